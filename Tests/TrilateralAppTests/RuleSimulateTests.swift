import TestSupport
import Testing

/// The verb `rule simulate`.
@Suite(.timeLimit(.minutes(2))) struct RuleSimulateTests {
    /// A rule with this trigger, which publishes.
    private static func rule(_ title: String, _ when: String) -> String {
        #"{"title":"\#(title)","when":[\#(when)],"then":[{"publish":1}]}"#
    }

    private static let header = "time,rule,why\n"

    // MARK: Times

    @Test(
        arguments: [
            (["2026-03-29", "2026-03-30"], "2026-03-29T03:00:00+02:00", "2026-03-29T04:00:00+02:00"),
            (["2026-10-25", "2026-10-26"], "2026-10-25T02:30:00+02:00", "2026-10-25T04:00:00+01:00"),
            // The same day as an instant in UTC and as milliseconds.
            (
                ["2026-10-24T22:00:00Z", "1792969200000"], "2026-10-25T02:30:00+02:00",
                "2026-10-25T04:00:00+01:00"
            ),
        ] as [([String], String, String)]
    )
    func `a night that is an hour shorter or longer starts and ends by the clock`(
        times: [String],
        start: String,
        end: String
    ) async throws {
        try await withSimulationDesk { desk in
            let words = ["night.json", "--from", times[0], "--until", times[1]] + SimulationDesk.berlin
            let run = try await desk.run(words)
            #expect(run.status == 0, "\(run)")
            #expect(run.output == Self.header + "\(start),night,start\n\(end),night,end\n")
            #expect(run.errors.isEmpty)
        }
    }

    @Test(arguments: ["TZ=Europe/Berlin", "TZ=:Europe/Berlin", "TZ=CET-1CEST,M3.5.0,M10.5.0/3"])
    func `without a zone it is that of the system`(variable: String) async throws {
        try await withSimulationDesk { desk in
            let run = try await desk.run(["night.json"] + SimulationDesk.oneDay, [variable])
            #expect(
                run.rows == ["2026-06-01T02:30:00+02:00,night,start", "2026-06-01T04:00:00+02:00,night,end"],
                "\(run)"
            )
        }
    }

    @Test func `cron, moments and the sun are followed, and rows come by time, then by file`() async throws {
        try await withSimulationDesk { desk in
            let rules = [
                Self.rule("Workday", #"{"on":"cron","cron":"30 7 * * 1-5"}"#),
                Self.rule("Once", #"{"on":"once","at":"2026-06-01T05:30:00Z"}"#),
                Self.rule("Dusk", #"{"on":"schedule","startTimeEachDay":"sunset"}"#),
            ]
            let run = try await desk.day(
                "[\(rules.joined(separator: ","))]",
                ["--position", "52.52,13.405"]
            )
            #expect(run.rows.count == 3, "\(run)")
            #expect(
                run.rows.prefix(2) == [
                    "2026-06-01T07:30:00+02:00,workday,cron", "2026-06-01T07:30:00+02:00,once,once",
                ]
            )
            // As almanacs have it: 21:19.
            let dusk = run.rows.last ?? ""
            #expect(dusk.hasPrefix("2026-06-01T21:1") && dusk.hasSuffix(",dusk,start"), "\(dusk)")
            let south = try await desk.run(
                ["rules.json", "--position", "-33.87,151.2"] + SimulationDesk.oneDay + SimulationDesk.berlin
            )
            #expect(south.status == 0 && south.rows.count == 3, "\(south)")
        }
    }

    // MARK: Events and places

    @Test func `what happens meanwhile is a file, and its first value is no change`() async throws {
        try await withSimulationDesk { desk in
            let clause = #"{"type":"range","field":"room_temp","lowerLimit":30,"lowerIncluded":true}"#
            let rule = Self.rule("Too, warm", #"{"on":"state","thing":"radiator","clause":\#(clause)}"#)
            try desk.folder.write(
                """
                time,kind,subject,value
                2026-05-31T23:00:00,state,radiator,{"room_temp":29}
                2026-06-01T08:05:00,state,radiator,{"room_temp":30}
                2026-06-01T08:06:00,state,radiator,{"room_temp":31}

                """,
                to: "events.csv"
            )
            let run = try await desk.day(rule, ["--events", "events.csv"])
            #expect(run.status == 0, "\(run)")
            #expect(run.rows == ["2026-06-01T08:05:00+02:00,too-warm,state radiator room_temp 29 -> 30"])
        }
    }

    @Test func `a place has the things, the zone of the time and the position of the sun`() async throws {
        try await withSimulationDesk { desk in
            try desk.folder.write(
                #"""
                {"environments":[{"name":"Flat","data":{"time_zone":"Europe/Berlin"},
                 "geofence":{"latitude":52.52,"longitude":13.405,"radius":100},
                 "zones":[{"name":"Kitchen","things":[{"name":"Big lamp","data":{"on":false}}]}]}]}
                """#,
                to: "place.json"
            )
            let rules = [
                Self.rule("Dusk", #"{"on":"schedule","startTimeEachDay":"sunset"}"#),
                Self.rule("Near", #"{"on":"near","thing":"big-lamp"}"#),
            ]
            try desk.folder.write("[\(rules.joined(separator: ","))]", to: "rules.json")
            let words = SimulationDesk.oneDay + ["--place", "place.json"]
            let run = try await desk.run(["rules.json"] + words)
            #expect(run.status == 0 && run.rows.count == 1, "\(run)")
            #expect(run.rows.first?.hasPrefix("2026-06-01T21:1") == true, "\(run)")
            // A thing that is not there.
            let missing = try await desk.run(["night.json"] + words)
            #expect(missing.status == 65 && missing.output.isEmpty)
            #expect(missing.errors.hasPrefix("night.json:1:1: error: unknown_thing: then[0].target: "))
        }
    }

    // MARK: Forms

    @Test func `rules of all four spellings are simulated together`() async throws {
        try await withSimulationDesk { desk in
            let files = [
                "kii.json": #"""
                {"title":"Kii","thing":"fan","predicate":{"eventSource":"STATES","triggersWhen":"CONDITION_FALSE_TO_TRUE",
                 "condition":{"type":"eq","field":"power","value":true}},"triggersWhat":"COMMAND",
                 "command":{"actions":[{"turnPower":{"power":true}}],"target":"thing:fan"}}
                """#,
                "ayla.json": #"""
                {"schedule":{"display_name":"Evening","start_time_each_day":"18:00:00","end_time_each_day":"23:00:00",
                 "schedule_actions":[{"name":"on","base_type":"boolean","value":"1","at_start":true,"at_end":false},
                 {"name":"on","base_type":"boolean","value":"0","at_end":true}]}}
                """#,
                "home.json": #"""
                {"automations":[{"name":"Home","triggerUUID":"2B5C","triggerType":"TriggerTypeGeofenceEnter",
                 "enabled":true,"actions":[{"device":"lamp","property":"on","value":true}]}],
                 "locations":[{"uuid":"2b5c","name":"Home","latitude":52.5,"longitude":13.4,"radius":150}]}
                """#,
                "warm.json": #"""
                {"trigger":{"name":"Warm","trigger_type":"on_change","property_nickname":"room_temp",
                 "device_nickname":"radiator","trigger_apps":[{"name":"email","param1":"dave@example.org"}]}}
                """#,
            ]
            for (name, text) in files { try desk.folder.write(text, to: name) }
            try desk.folder.write(
                """
                time,kind,subject,value
                2026-05-31T08:00:00,state,fan,{"power":false}
                2026-05-31T08:00:00,state,radiator,{"room_temp":20}
                2026-06-01T08:00:00,location,,52.6 13.4
                2026-06-01T09:00:00,state,fan,{"power":true}
                2026-06-01T10:00:00,state,radiator,{"room_temp":21}
                2026-06-01T11:00:00,location,,52.5 13.4

                """,
                to: "events.csv"
            )
            let words = ["--thing", "lamp", "--events", "events.csv"]
            let run = try await desk.run(
                files.keys.sorted() + SimulationDesk.oneDay + SimulationDesk.berlin + words
            )
            #expect(run.status == 0, "\(run)")
            #expect(
                run.rows == [
                    "2026-06-01T09:00:00+02:00,kii,state fan power false -> true",
                    "2026-06-01T10:00:00+02:00,warm,state radiator room_temp 20 -> 21",
                    "2026-06-01T11:00:00+02:00,home,enter geofence",
                    "2026-06-01T18:00:00+02:00,evening,start", "2026-06-01T23:00:00+02:00,evening,end",
                ]
            )
        }
    }

    @Test func `equal titles get other short names, in the order of the files`() async throws {
        try await withSimulationDesk { desk in
            try desk.folder.write(SimulationDesk.night, to: "again.json")
            let run = try await desk.run(
                ["night.json", "again.json"] + SimulationDesk.oneDay + SimulationDesk.berlin
            )
            #expect(
                run.rows.map { $0.split(separator: ",").dropFirst().joined(separator: " ") } == [
                    "night start", "night-2 start", "night end", "night-2 end",
                ]
            )
        }
    }

    // MARK: Errors

    @Test(
        arguments: [
            ("", 64, "Missing expected argument"), ("night.json", 64, "--from"),
            ("night.json --from 2026-06-01", 64, "--until"),
            ("night.json --from yesterday --until 2026-06-02", 64, "--from must be a time"),
            ("night.json --from 2026-06-01 --until 2026-06-31", 64, "--until must be a time"),
            ("night.json --from 2026-06-01 --until 2501-01-02", 64, "from 1970 to 2500"),
            ("night.json --from 2026-06-02 --until 2026-06-01", 64, "must be after --from"),
            ("night.json --zone Europe/Berln DAY", 64, "did you mean \"Europe/Berlin\""),
            ("night.json --zone ../../etc/passwd DAY", 64, "--zone: a time zone must be"),
            ("night.json --position 91,0 DAY", 64, "--position must be"),
            ("night.json --thing= DAY", 64, "--thing"),
            ("- --events - DAY", 64, "can be given once"),
            ("none.json DAY", 66, "none.json cannot be read: No such file"),
            ("night.json --events none.csv DAY", 66, "none.csv cannot be read"),
            ("night.json --place none.json DAY", 66, "none.json cannot be read"),
            ("night.json --place night.json DAY", 65, "night.json"),
            (
                "night.json --events night.json DAY", 65,
                ":1:1: error: invalid_value: line 1 must be the header"
            ),
            ("zone.json DAY", 65, "zone.json:2:1: error: invalid_value: timeZone: there is no"),
            ("dusk.json DAY", 65, "dusk.json:1:1: error: invalid_value: sunrise and sunset"),
            ("broken.json DAY", 65, "broken.json:2:"),
        ] as [(String, Int32, String)]
    )
    func `what is wrong ends with its exit code, says what it is, and prints no row`(
        line: String,
        status: Int32,
        message: String
    ) async throws {
        try await withSimulationDesk { desk in
            let dusk = Self.rule("Dusk", #"{"on":"schedule","startTimeEachDay":"sunset"}"#)
            let zone = Self.rule("Zone", #"{"on":"cron","cron":"0 7 * * *","timeZone":"Europe/Berln"}"#)
            try desk.folder.write(dusk, to: "dusk.json")
            try desk.folder.write("[\n\(zone)]", to: "zone.json")
            try desk.folder.write(
                "{\"when\":[{\"on\":\"near\",\"thing\":\"a\"}],\n\"then\":1}",
                to: "broken.json"
            )
            let words = line.split(separator: " ").map(String.init)
            let run = try await desk.run(words.flatMap { $0 == "DAY" ? SimulationDesk.oneDay : [$0] })
            #expect(run.status == status, "\(run)")
            #expect(run.errors.contains(message) && run.output.isEmpty, "\(run)")
        }
    }

    @Test func `a member that means nothing is a warning, and the rule is simulated`() async throws {
        try await withSimulationDesk { desk in
            let rule =
                #"{"title":"A","colour":1,"when":[{"on":"cron","cron":"0 7 * * *"}],"then":[{"publish":1}]}"#
            let run = try await desk.day(rule)
            #expect(run.status == 0 && run.rows == ["2026-06-01T07:00:00+02:00,a,cron"], "\(run)")
            #expect(run.errors.hasPrefix("rules.json:1:") && run.errors.contains(": warning: unknown_key: "))
        }
    }

    @Test func `without the time zone database only UTC is known, and a message names the package`()
        async throws
    {
        try await withSimulationDesk { desk in
            let variables = ["TZDIR=\(desk.folder.path("none"))", "TZ=UTC"]
            let words = ["night.json"] + SimulationDesk.oneDay
            let berlin = try await desk.run(words + SimulationDesk.berlin, variables)
            #expect(berlin.status == 66 && berlin.errors.contains("install the package tzdata"), "\(berlin)")
            let utc = try await desk.run(words, variables)
            #expect(utc.rows.first == "2026-06-01T02:30:00+00:00,night,start", "\(utc)")
        }
    }
}
