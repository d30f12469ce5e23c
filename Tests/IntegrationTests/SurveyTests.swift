import Flare
import Foundation
import JSON
import TestSupport
import Testing

/// `trilateral survey` and `trilateral calibrate beacons`, as somebody uses them who walks about.
@Suite(.enabled(if: Mosquitto.isExpected), .mosquitto, .timeLimit(.minutes(1)))
struct SurveyTests {
    /// Runs the program with answers on its standard input, an empty line for each Enter.
    private func run(
        _ words: [String],
        answers: String,
        _ home: Home,
        keys: [String: String] = [:]
    ) async throws -> Program.End {
        try home.folder.write(answers, to: "answers")
        return try await Program.run(
            words,
            in: home.folder,
            keys: [
                "mqtt.host": "127.0.0.1", "mqtt.port": "\(try SharedMosquitto.broker.port)",
                "mqtt.node": home.node,
            ].merging(keys) { $1 },
            shell: "exec < '\(home.folder.path("answers"))'",
            within: .seconds(40)
        )
    }

    /// Hears the kitchen's beacon, close by, while the body runs.
    private func walking<Result>(
        _ visitor: Visitor,
        rssi: Int = -50,
        _ body: () async throws -> Result
    ) async rethrows -> Result {
        let packet =
            #"{"uuid":"\#(Place.beaconUUID)","major":2,"minor":2,"rssi":\#(rssi),"power":-59}"#
        // More than is needed, however busy the machine is.
        let packets = "[" + Array(repeating: packet, count: 10).joined(separator: ",") + "]"
        let walking = Task {
            while !Task.isCancelled {
                visitor.say("sensors/beacons/raw", packets)
                try? await Task.sleep(for: .milliseconds(50))
            }
        }
        defer { walking.cancel() }
        return try await body()
    }

    @Test func `a survey tells how far positions are off, at each spot and in all`() async throws {
        try await withHome { home, visitor in
            try home.folder.write("name,x,y\nLight,8.5,2\nCellar,100,2\nDoor,8.5,5\n", to: "spots.csv")
            let (spots, output) = (home.folder.path("spots.csv"), home.folder.path("survey.csv"))
            try await walking(visitor) {
                try await visitor.awaits("nearby") { $0["slug"] == "kitchen-light" }
                let end = try await run(
                    ["survey", spots, "--seconds", "2", "--output", output],
                    answers: "\ns\n\n",
                    home
                )
                #expect(end.status == 0, "\(end.output)")
                #expect(end.output.contains("1 of 3: go to Light (8.5, 2.0)"))
                #expect(end.output.contains("median so far") && end.output.contains("2 spots: median "))
                let rows = home.folder.read("survey.csv").split(separator: "\n").map {
                    $0.split(separator: ",")
                }
                #expect(rows.count == 3 && rows.first?.first == "name", "\(rows)")
                let errors = rows.dropFirst().compactMap { $0.count > 5 ? Double($0[5]) : nil }
                #expect(errors.count == 2 && errors[0] < 0.8 && abs(errors[1] - 3) < 0.8, "\(errors)")
                // What is there is not written over.
                let again = try await run(
                    ["survey", spots, "--seconds", "1", "--output", output],
                    answers: "",
                    home
                )
                #expect(again.status == 73 && again.output.contains("survey.csv cannot be made: File exists"))
            }
        }
    }

    @Test func `a survey without positions or with a wrong list says so`() async throws {
        try await withHome { home, _ in
            try home.folder.write("name,x,y\nLight,8.5,2\nDoor,8.5,5\n", to: "spots.csv")
            let spots = home.folder.path("spots.csv")
            let silent = try await run(["survey", spots, "--seconds", "1"], answers: "\n", home)
            #expect(silent.status == 65 && silent.output.contains("Light: the daemon published no position"))
            #expect(silent.output.contains("nothing was measured"))
            #expect(!silent.output.contains("2 of 2"), "nobody is asked who cannot answer")
            try home.folder.write("name,x\nLight,8.5\n", to: "spots.csv")
            let wrong = try await run(["survey", spots], answers: "", home)
            #expect(
                wrong.status == 65 && wrong.output.contains("spots.csv:1: the first line must be name,x,y")
            )
            let missing = try await run(["survey", "/nowhere.csv"], answers: "", home)
            #expect(missing.status == 66 && missing.output.contains("/nowhere.csv"))
        }
    }

    @Test func `what is heard at a spot is learnt, shown, exported, imported and forgotten`() async throws {
        try await withHome { home, visitor in
            try home.folder.write("name,x,y\nCellar,100,2\nLight,8.5,2\n", to: "spots.csv")
            let spots = home.folder.path("spots.csv")
            func survey(_ words: [String], answers: String = "") async throws -> Program.End {
                try await run(["survey"] + words + ["--state", home.state], answers: answers, home)
            }
            try await walking(visitor) {
                try await visitor.awaits("nearby") { $0["slug"] == "kitchen-light" }
                let learnt = try await survey([spots, "--learn", "--seconds", "20"], answers: "\ns\n\n")
                #expect(learnt.status == 0, "\(learnt.output)")
                // A spot that is refused can be skipped.
                #expect(learnt.output.contains("Cellar: the point (100.0, 2.0) is not in the place"))
                #expect(learnt.output.contains("2 of 2: stand at Light (8.5, 2.0)"))
                #expect(learnt.output.contains("Light: stored, 1 beacon and"))
                #expect(learnt.output.contains("the survey has 1 point, and is not used yet"))
                try await visitor.awaits("device/position") { $0["map"] == "plain" }
            }
            let far = try await survey([spots, "--learn"], answers: "\n")
            #expect(far.status == 65 && far.output.contains("is not in the place"), "\(far.output)")
            let list = try await survey(["list", "--json"])
            #expect(list.status == 0 && list.output.contains(#""name":"Light""#), "\(list.output)")
            let file = home.folder.path("points.csv")
            let exported = try await survey(["export", file])
            #expect(exported.status == 0, "\(exported.output)")
            let text = home.folder.read("points.csv")
            #expect(
                text.hasPrefix(
                    "point,x,y,beacon_id,level_db,packets,z,seconds,taken_ms,spread_db\nLight,8.5,2"
                ),
                "\(text)"
            )
            func restore() async throws {
                let imported = try await survey(["import", file, "--receiver", "broker"])
                #expect(imported.status == 0, "\(imported.output)")
            }
            let forgotten = try await survey(["forget", "Light"])
            #expect(forgotten.status == 0, "\(forgotten.output)")
            #expect(try await survey(["show", "Light"]).status == 66)
            try await restore()
            // One that is not there does not keep the others.
            let several = try await survey(["forget", "nope", "Light", "none"])
            #expect(several.status == 66, "\(several.output)")
            #expect(
                several.output.contains("no point \"nope\"") && several.output.contains("no point \"none\"")
            )
            #expect(try await survey(["show", "Light"]).status == 66)
            try await restore()
            #expect(try await survey(["show", "Light"]).output.contains("broker"))
            #expect(try await survey(["export", "-"]).output.contains(text))
            #expect(try await survey(["forget"]).status == 64)
            try home.folder.write(String(repeating: "x", count: 13 << 20), to: "large.csv")
            let large = try await survey(["import", home.folder.path("large.csv")])
            #expect(
                large.status == 65 && large.output.contains("is larger than 12582912 bytes"),
                "\(large.output)"
            )
        }
    }

    @Test func `beacons are calibrated, and the place knows it`() async throws {
        try await withHome(["flare.server.trusted_networks": ""]) { home, visitor in
            let server = try #require(await home.serverURL())
            try await walking(visitor, rssi: -67) {
                let words = [
                    "calibrate", "beacons", "--server", server, "--environment", "flat", "--seconds", "3",
                ]
                // Asked first, and with nobody to say yes nothing is changed.
                let asked = try await run(words + ["Kitchen light"], answers: "\n", home)
                #expect(
                    asked.status == 0 && asked.output.columns.contains("Kitchen light\t-67"),
                    "\(asked.output)"
                )
                #expect(asked.output.contains("nothing was changed"))
                let done = try await run(words + ["--yes", "--json", "kitchen-light"], answers: "\n", home)
                #expect(done.status == 0 && done.output.contains(#""power":-67"#), "\(done.output)")
                try await visitor.awaits("things/kitchen-light/data") { $0["power"] == -67 }
                // The next one is at another distance, and not there.
                let silent = try await run(words + ["Table lamp"], answers: "\nq\n", home)
                #expect(silent.status == 65 && silent.output.contains("Table lamp: received only 0 packets"))
                #expect(silent.output.contains("the loudest one here is Kitchen light"))
                let unknown = try await run(words + ["Sun"], answers: "", home)
                #expect(unknown.status == 64 && unknown.output.contains("there is no beacon Sun"))
            }
            let tokens = try await run(["token", "list"], answers: "", home)
            #expect(tokens.status == 0 && !tokens.output.contains("calibrate"), "\(tokens.output)")
            let several = try await run(["calibrate", "beacons", "--server", server], answers: "", home)
            #expect(several.status == 64 && several.output.contains("--environment: Flat, Hut"))
        }
    }

    @Test func `a server that is not there is named`() async throws {
        try await withHome { home, _ in
            let end = try await run(
                ["calibrate", "beacons", "--server", "http://127.0.0.1:9"],
                answers: "",
                home
            )
            #expect(end.status == 69 && end.output.contains("127.0.0.1:9 cannot be reached"), "\(end.output)")
        }
    }
}
