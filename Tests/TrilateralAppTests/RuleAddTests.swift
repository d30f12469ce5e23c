import JSON
import TestSupport
import Testing

/// What `rule add`, `rule simulate` and other verbs refuse rather than guess.
@Suite(.timeLimit(.minutes(2))) struct RuleAddTests {
    private static let rule = [
        "rule", "add", "--thing", "desk-lamp", "--when", "on", "--set", "on=false", "--cron", "0 4 * * *",
    ]

    @Test(arguments: [
        ("--title", "a"), ("--pause", "60"), ("--missed", "run"), ("--as", "bob"), ("--file", "a.json"),
        ("--thing", "a"), ("--edge", "true"), ("--for", "5"), ("--margin", "1"), ("--threshold", "300"),
        ("--start", "04:00"), ("--end", "05:00"), ("--days", "mon"), ("--from", "2030-01-01"),
        ("--until", "2030-01-02"), ("--rssi", "-65"), ("--gone", "10"), ("--text", "x"), ("--state", "/tmp"),
    ])
    func `an option of one value is refused when it is given twice`(option: String, value: String)
        async throws
    {
        try await withVerbDesk { desk in
            for twice in [[option, value, option, value], [option, value, "\(option)=\(value)"]] {
                let end = try await desk.run(["rule", "add"] + twice)
                #expect(end.status == 64, "\(end.output)")
                #expect(end.output.contains("give \(option) once"), "\(end.output)")
            }
        }
    }

    @Test(arguments: ["--from", "--until", "--zone", "--position", "--place", "--events", "--thing"])
    func `an option of a simulation is refused when it is given twice`(option: String) async throws {
        try await withSimulationDesk { desk in
            let values = [
                "--zone": "UTC", "--position": "-1,2", "--from": "2026-06-01", "--until": "2026-06-02",
            ]
            let value = values[option] ?? "x"
            let words = ["night.json"] + SimulationDesk.oneDay + [option, value, option, value]
            let end = try await desk.run(words)
            #expect(end.status == 64 && end.output.isEmpty, "\(end.errors)")
            #expect(end.errors.contains("give \(option) once"), "\(end.errors)")
        }
    }

    @Test(arguments: [
        ["rule", "list"], ["rule", "import", "a.json"], ["user", "list"], ["grant", "list"], ["log"],
    ])
    func `an option of one value is given once to every verb`(words: [String]) async throws {
        try await withVerbDesk { desk in
            // The desk names its own folder behind this one.
            let end = try await desk.run(words + ["--state", "/tmp"])
            #expect(end.status == 64 && end.output.contains("give --state once"), "\(end.output)")
        }
    }

    @Test func `options of several values, and files after two dashes, are given as often as you like`()
        async throws
    {
        try await withVerbDesk { desk in
            try await desk.withDaemon(["POST rules/add": .init(201, ["slug": "r"])]) {
                let end = try await desk.run(Self.rule + ["--set", "level=1", "--cron", "0 5 * * *"])
                #expect(end.status == 0, "\(end.output)")
            }
        }
        try await withSimulationDesk { desk in
            try desk.folder.write(SimulationDesk.night, to: "--zone")
            let end = try await desk.run(
                SimulationDesk.oneDay + SimulationDesk.berlin + ["--", "night.json", "--zone"]
            )
            #expect(end.status == 0 && end.rows.count == 4, "\(end.errors)")
        }
    }

    @Test func `what is before the first target drives the thing, and what is behind it the target`()
        async throws
    {
        try await withVerbDesk { desk in
            try await desk.withDaemon(["POST rules/add": .init(201, ["slug": "order"])]) {
                let end = try await desk.run([
                    "rule", "add", "--title", "Order", "--start", "04:00", "--thing", "desk-lamp", "--set",
                    "on=false", "--target", "table-lamp", "--set", "on=true",
                ])
                #expect(end.status == 0, "\(end.output)")
            }
            let then = desk.sent.first?.body?["rule"]?["then"]
            #expect(
                then == [
                    ["set": ["on": false], "target": "thing:desk-lamp"],
                    ["set": ["on": true], "target": "thing:table-lamp"],
                ]
            )
        }
    }

    @Test func `how strongly a beacon must be heard is a number below zero, and no option`() async throws {
        try await withVerbDesk { desk in
            try await desk.withDaemon(["POST rules/add": .init(201, ["slug": "close"])]) {
                let end = try await desk.run([
                    "rule", "add", "--enter", "beacon:id1: 0x2f234454cf6d4a0fadf2", "--rssi", "-65", "--gone",
                    "10", "--target", "lamp", "--set", "on=true",
                ])
                #expect(end.status == 0, "\(end.output)")
            }
            let trigger = desk.sent.first?.body?["rule"]?["when"]?.array?.first
            #expect(trigger?["rssi"] == -65 && trigger?["gone"] == 10)
            let end = try await desk.run([
                "rule", "add", "--enter", "zone:kitchen", "--rssi", "-65", "--target", "lamp", "--set",
                "on=true",
            ])
            #expect(end.status == 65 && end.output.contains("--rssi needs"), "\(end.output)")
        }
    }

    @Test func `a target behind what could be for the thing is refused`() async throws {
        try await withVerbDesk { desk in
            let end = try await desk.run([
                "rule", "add", "--start", "04:00", "--thing", "desk-lamp", "--set", "on=false", "--target",
                "table-lamp",
            ])
            #expect(end.status == 65, "\(end.output)")
            #expect(end.output.contains("--target must be before the --set that it is for"), "\(end.output)")
        }
    }

    @Test(arguments: [
        ("when[0].at must be in the future, is 2020", "when[0].at", "--once must be in the future, is 2020"),
        ("there is no user \"bob\"", "as", "--as: there is no user \"bob\""),
        ("nothing of it can be set", "then[0]", "--set: nothing of it can be set"),
    ])
    func `what the daemon refuses is told of the option`(message: String, field: String, told: String)
        async throws
    {
        try await withVerbDesk { desk in
            let refusal: JSONValue = [
                "error": "invalid_value", "message": .string(message), "field": .string(field),
            ]
            try await desk.withDaemon(["POST rules/add?as=bob": .init(400, refusal)]) {
                let end = try await desk.run([
                    "rule", "add", "--as", "bob", "--once", "2020-01-01T00:00:00Z", "--thing", "fan", "--set",
                    "on=true",
                ])
                #expect(end.status == 65 && end.output == "trilateral rule add: \(told)\n", "\(end.output)")
            }
        }
    }

    @Test(arguments: [
        ("enter,zone:kichen,", "there is no zone \"kichen\" in the place; did you mean \"kitchen\"?"),
        ("near,fan,", "there is no thing \"fan\" in the place"),
        ("state,fan,{\"on\":true}", "there is no thing \"fan\" in the place"),
        ("availability,fan,offline", "there is no thing \"fan\" in the place"),
    ])
    func `an event of what is not in the place is found before a row is printed`(
        event: String,
        message: String
    ) async throws {
        try await withSimulationDesk { desk in
            try desk.folder.write(
                #"{"environments":[{"name":"Flat","zones":[{"name":"Kitchen","things":[{"name":"Lamp"}]}]}]}"#,
                to: "place.json"
            )
            let rows = "2026-06-01T08:00:00,enter,zone:kitchen,\n2026-06-01T09:00:00,\(event)\n"
            try desk.folder.write("time,kind,subject,value\n" + rows, to: "events.csv")
            let words = ["night.json", "--place", "place.json", "--events", "events.csv"]
            let end = try await desk.run(words + SimulationDesk.oneDay + SimulationDesk.berlin)
            #expect(end.status == 65 && end.output.isEmpty, "\(end)")
            #expect(
                end.errors.hasPrefix("events.csv:3:1: error: unknown_thing: line 3: \(message)"),
                "\(end.errors)"
            )
            // Without a place each name is one.
            let free = ["night.json", "--events", "events.csv"]
            #expect(try await desk.run(free + SimulationDesk.oneDay + SimulationDesk.berlin).status == 0)
        }
    }
}
