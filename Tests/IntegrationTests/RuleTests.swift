import JSON
import TestSupport
import Testing

/// Rules of a daemon that runs, by the verbs.
@Suite(.enabled(if: Mosquitto.isExpected), .mosquitto, .timeLimit(.minutes(2)))
struct RuleTests {
    private static let profiles = """
        {"devices":[{"oemModel":"cooler","name":"Cooler","class":"Cooler","managedProperties":[{"name":"temperature"}]}]}
        """

    private func run(_ words: [String], _ home: Home) async throws -> Program.End {
        try await Program.run(["rule"] + words + ["--state", home.state], in: home.folder)
    }

    @Test func `a rule of the command line does what it says, and explains it`() async throws {
        try await withHome { home, visitor in
            let added = try await run(
                [
                    "add", "--title", "Bright", "--thing", "table-lamp", "--when", "brightness>=0.9", "--set",
                    "on=true", "--target", "kitchen-light", "--notify", "user:owner",
                ],
                home
            )
            #expect(added.status == 0 && added.output == "bright\n", "\(added)")
            #expect(try await run(["test", "bright"], home).status == 1)
            try await visitor.awaits("things/kitchen-light") { $0["state"] == "OFF" }
            visitor.say("things/table-lamp/set", #"{"brightness":255}"#)
            try await visitor.awaits("things/kitchen-light") { $0["state"] == "ON" }
            let test = try await run(["test", "bright"], home)
            #expect(test.status == 0 && test.output.contains("brightness 1"), "\(test)")
            let explained = try await run(["explain", "bright"], home)
            #expect(explained.output.contains("state table-lamp brightness 0.6 -> 1"), "\(explained)")
            let list = try await run(["list", "--thing", "kitchen-light"], home)
            #expect(list.output.contains("1   bright  ready"), "\(list)")
            #expect(try await run(["off", "bright"], home).status == 0)
            #expect(try await run(["list"], home).output.contains("1   bright  off"))
            #expect(try await run(["rm", "1"], home).status == 0)
            #expect(try await run(["show", "bright"], home).status == 66)
        }
    }

    @Test
    func `what a profile keeps from schedules is refused, and a file is added as a whole or not at all`()
        async throws
    {
        try await withEmptyHome { home, visitor in
            try await home.take()
            try home.folder.write(Self.profiles, to: "profiles.json")
            let file = "profiles: {files: [profiles.json], things: [{thing: fridge, profile: cooler}]}\n"
            try await visitor.whileStarting { try await home.start(file: file) }
            let words = ["--cron", "* * * * *", "--thing", "fridge", "--set", "temperature=1"]
            let refused = try await run(["add"] + words, home)
            #expect(
                refused.status == 1 && refused.output.contains("does not let schedules set"),
                "\(refused)"
            )
            try home.folder.write(
                """
                [{"title":"One","when":[{"on":"cron","cron":"0 7 * * *"}],"then":[{"set":{"on":true},"target":"thing:table-lamp"}]},
                {"title":"Two","when":[{"on":"cron","cron":"0 7 * * *"}],"then":[{"set":{"on":true},"target":"thing:nowhere"}]}]
                """,
                to: "rules.json"
            )
            let path = home.folder.path("rules.json")
            let imported = try await run(["import", path], home)
            #expect(imported.status == 65, "\(imported)")
            #expect(
                imported.output.contains("\(path):2:85: error: unknown_thing: then[0].target:"),
                "\(imported)"
            )
            #expect(try await run(["export"], home).output == "{\"rules\":[\n]}\n")
        }
    }
}
