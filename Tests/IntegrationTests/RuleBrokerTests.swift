import JSON
import MQTT
import TestSupport
import Testing

/// Rules on the broker, with a daemon that runs.
@Suite(.enabled(if: Mosquitto.isExpected), .mosquitto, .timeLimit(.minutes(2)))
struct RuleBrokerTests {
    private func run(_ words: [String], _ home: Home) async throws -> Program.End {
        try await Program.run(["rule"] + words + ["--state", home.state], in: home.folder)
    }

    /// A rule that switches the kitchen light on when the table lamp is bright.
    private func addBright(_ home: Home) async throws {
        let words = [
            "add", "--title", "Bright", "--thing", "table-lamp", "--when", "brightness>=0.9", "--set",
            "on=true", "--target", "kitchen-light",
        ]
        let added = try await run(words, home)
        #expect(added.status == 0 && added.output == "bright\n", "\(added)")
    }

    @Test func `a rule is switched off by a word, and its topic and explain say so`() async throws {
        try await withHome { home, visitor in
            try await addBright(home)
            let held = try await visitor.awaits("rules/bright")
            #expect(held["id"] == 1 && held["slug"] == "bright" && held["title"] == "Bright")
            #expect(held["enabled"] == true && held["next"] == nil && held["last"] == nil)
            #expect(try await visitor.awaitsEvent("rule", "added")["slug"] == "bright")

            visitor.say("rules/bright/set", "OFF")
            try await visitor.awaits("rules/bright") { $0["enabled"] == false }
            let answer = try await visitor.awaits("response/set")
            #expect(answer["target"] == ["kind": "rule", "slug": "bright"])
            #expect(answer["status"] == "ok" && answer["accepted"] == ["state": "OFF"], "\(answer)")
            try await visitor.awaitsEvent("rule", "changed")

            try await visitor.awaits("things/kitchen-light") { $0["state"] == "OFF" }
            visitor.say("things/table-lamp/set", #"{"brightness":255}"#)
            try await visitor.awaits("things/table-lamp") { $0["brightness"] == 255 }
            let explained = try await run(["explain", "bright"], home)
            #expect(explained.output.contains("off"), "\(explained)")
            #expect(explained.output.contains("state table-lamp brightness"), "\(explained)")
            #expect(await visitor.json("things/kitchen-light")?["state"] == "OFF")

            // A late reader finds it.
            try await withVisitor(to: home.root, port: SharedMosquitto.broker.port) { late in
                try await late.awaits("rules/bright") { $0["enabled"] == false }
                #expect(await late.messages(on: "rules/bright").first?.isRetained == true)
            }
            let on = try await visitor.ask("rules/1/set", #"{"state":"ON","tx":"7"}"#)
            #expect(on.outcome == "ok" && on["tx"] == "7" && on["target"]?["slug"] == "bright", "\(on)")
            try await visitor.awaits("rules/bright") { $0["enabled"] == true }
        }
    }

    @Test func `a rule is run at once, tells that it has fired, and goes without a trace`() async throws {
        try await withHome { home, visitor in
            try await addBright(home)
            try await visitor.awaits("things/kitchen-light") { $0["state"] == "OFF" }
            let answer = try await visitor.ask("rules/bright/run")
            #expect(answer.outcome == "ok", "\(answer)")
            try await visitor.awaits("things/kitchen-light") { $0["state"] == "ON" }
            let fired = try await visitor.awaits("rules/bright/fired")
            #expect(fired["event_type"] == "fired" && fired["slug"] == "bright")
            #expect(fired["rule"]?["outcome"] == "done" && fired["rule"]?["title"] == "Bright")
            #expect(try await visitor.awaitsEvent("rule", "fired") == fired)
            try await visitor.awaits("rules/bright") { $0["last"]?["outcome"] == "done" }
            try await withVisitor(to: home.root, port: SharedMosquitto.broker.port) { late in
                try await late.awaits("rules/bright")
                #expect(await late.said(on: "rules/bright/fired").isEmpty)
            }

            #expect(try await run(["rm", "bright"], home).status == 0)
            try await visitor.awaits("rules/bright", "")
            try await visitor.awaitsEvent("rule", "removed")
            #expect(try await visitor.ask("rules/bright/run").outcome == "unknown_rule")
        }
    }

    @Test func `what is wrong is refused, and switches nothing`() async throws {
        try await withHome { home, visitor in
            try await addBright(home)
            try await visitor.awaits("rules/bright")
            let wrong = [
                ("rules/bright/set", "MAYBE", "invalid_value"), ("rules/bright/set", "", "invalid_value"),
                ("rules/bright/set", #"{"state":"OFF","rule":"x"}"#, "unknown_key"),
                ("rules/bright/set", #"{"state":"OFF","token":"tlu_x"}"#, "unauthenticated"),
                ("rules/bright/run", "now", "bad_json"), ("rules/nothing/set", "OFF", "unknown_rule"),
            ]
            for (tail, payload, code) in wrong {
                #expect(try await visitor.ask(tail, payload).outcome == code, "\(tail) \(payload)")
            }
            #expect(await visitor.json("rules/bright")?["enabled"] == true)
        }
    }

    @Test func `a rule publishes on its own topic`() async throws {
        try await withHome { home, visitor in
            let rule = """
                {"title":"Tell","when":[{"on":"cron","cron":"0 0 1 1 *"}],"then":[{"publish":{"hello":[1,2]}}]}
                """
            try home.folder.write(rule, to: "tell.json")
            let added = try await run(["add", "--file", home.folder.path("tell.json")], home)
            #expect(added.status == 0 && added.output == "tell\n", "\(added)")
            let next = try await visitor.awaits("rules/tell")["next"]?.string
            #expect(next?.contains("-01-01T") == true || next?.contains("-12-31T") == true, "\(next ?? "")")
            #expect(try await visitor.ask("rules/tell/run").outcome == "ok")
            #expect(try await visitor.awaits("rules/tell/out") == ["hello": [1, 2]])
        }
    }

    @Test func `after a restart its topic is right, and what earlier runs have left is cleared`() async throws
    {
        try await withHome { home, visitor in
            try await addBright(home)
            #expect(try await visitor.ask("rules/bright/set", "OFF").outcome == "ok")
            #expect(await home.stop() == 0)
            visitor.say("rules/ghost", #"{"id":9,"slug":"ghost"}"#, isRetained: true)
            try await visitor.awaits("rules/ghost")
            try await visitor.whileStarting { try await home.start() }
            try await visitor.awaits("rules/bright") { $0["enabled"] == false }
            try await visitor.awaits("rules/ghost", "")
        }
    }

    @Test func `Home Assistant gets a rule when it is made, and loses it when it goes`() async throws {
        try await withEmptyHome { home, visitor in
            try await home.take()
            let keys = ["discovery.prefix": "\(home.root)/ha"]
            try await visitor.whileStarting { try await home.start(keys) }
            try await addBright(home)
            let tail = "ha/device/trilateral_\(home.node)__rule_bright/config"
            let device = try await visitor.awaits(tail)
            #expect(device["device"]?["name"]?.string?.hasSuffix(" Rules") == true)
            let entity = device["components"]?["switch"]
            #expect(entity?["command_topic"] == .string("\(home.root)/rules/bright/set"))
            // As Home Assistant does it.
            visitor.say("rules/bright/set", "OFF")
            try await visitor.awaits("rules/bright") { $0["enabled"] == false }
            visitor.say("rules/bright/run", "{}")
            try await visitor.awaits("rules/bright/fired")
            #expect(await visitor.messages(on: tail).count == 1)

            #expect(try await run(["rm", "bright"], home).status == 0)
            try await visitor.awaits("rules/bright", "")
            try await visitor.awaits(tail, "")
            let topics = await visitor.heard.filter(\.payload.isEmpty).map(\.topic)
            let entities = topics.lastIndex(of: "\(home.root)/\(tail)") ?? .max
            #expect(entities < topics.lastIndex(of: "\(home.root)/rules/bright") ?? 0)
        }
    }
}
