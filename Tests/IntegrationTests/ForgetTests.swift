import JSON
import TestSupport
import Testing

@Suite(.mosquitto, .enabled(if: Mosquitto.isExpected), .timeLimit(.minutes(2)))
struct ForgetTests {
    private func forget(_ home: Home, _ options: [String] = ["--yes"]) async throws -> Program.End {
        let port = try SharedMosquitto.broker.port
        return try await Program.run(
            ["forget", "--mqtt", "127.0.0.1:\(port)", "--node", home.node] + options,
            in: home.folder
        )
    }

    /// What the broker keeps of a node.
    private func kept(_ home: Home) async throws -> [String] {
        try await retainedMessages(port: SharedMosquitto.broker.port).keys.filter {
            $0.contains(home.node)
        }.sorted()
    }

    private func awaitsKept(_ home: Home, _ condition: ([String]) -> Bool) async throws {
        let isSo = try await eventually { condition(try await kept(home)) }
        #expect(isSo)
    }

    @Test func `forget clears what a killed daemon left, and nothing of others`() async throws {
        try await withHome { home, visitor in
            // Those of the things come after the daemon's own.
            let devices = "homeassistant/device/trilateral_\(home.node)"
            try await awaitsKept(home) { $0.filter { $0.hasPrefix(devices) }.count > 3 }
            await home.kill()
            try await visitor.awaits("status", "offline")
            // A node whose name begins alike, and one of the same name below another base.
            let others = [
                "\(home.root)2/status": "offline", "trilateral/status": "mine",
                "other/\(home.node)/status": "offline",
                "homeassistant/device/trilateral_\(home.node)_9/config":
                    #"{"origin":{"name":"Trilateral"},"availability":[{"topic":"other/\#(home.node)/status"}]}"#,
                "homeassistant/device/shelly/config": "{}",
            ]
            for (topic, payload) in others { visitor.say(absolute: topic, payload, isRetained: true) }
            let areThere = try await eventually {
                let all = try await retainedMessages(port: SharedMosquitto.broker.port)
                return others.allSatisfy { all[$0.key] == $0.value }
            }
            #expect(areThere)
            let end = try await forget(home, ["--yes", "--json"])
            #expect(end.status == 0, "\(end.output)")
            let result = try JSONValue(parsing: end.output)
            #expect(result["root"]?.string == home.root)
            #expect((result["topics"]?.integer ?? 0) > 20 && (result["devices"]?.integer ?? 0) > 3)
            let after = try await retainedMessages(port: SharedMosquitto.broker.port)
            #expect(after.filter { $0.key.contains(home.node) || $0.key == "trilateral/status" }.count == 4)
            #expect(others.allSatisfy { after[$0.key] == $0.value })
            #expect(try await forget(home).output.contains("keeps nothing of \(home.root)"))
            for (topic, _) in others { visitor.say(absolute: topic, "", isRetained: true) }
        }
    }

    @Test func `forget stops when a daemon runs there, or is said to run and does not answer`() async throws {
        try await withHome { home, visitor in
            let before = try await kept(home)
            let end = try await forget(home)
            #expect(end.status == 1)
            #expect(end.output.contains("a daemon runs on \(home.root)"), "\(end.output)")
            #expect(Set(try await kept(home)).isSuperset(of: before))
            await home.kill()
            try await visitor.awaits("status", "offline")
            // What a broker says that was switched off with the daemon.
            visitor.say("status", "online", isRetained: true)
            #expect(try await forget(home).status == 0)
            #expect(try await kept(home) == [])
        }
    }

    @Test func `forget without a terminal asks for --yes and changes nothing`() async throws {
        try await withEmptyHome { home, visitor in
            visitor.say("status", "offline", isRetained: true)
            try await awaitsKept(home) { $0.count == 1 }
            let end = try await forget(home, [])
            #expect(end.status == 64 && end.output.contains("--yes"), "\(end.output)")
            #expect(try await kept(home) == ["\(home.root)/status"])
            #expect(try await forget(home).status == 0)
        }
    }

    @Test func `topics that the broker does not let us clear are named`() async throws {
        try await withTemporaryFolder { folder in
            try folder.write("topic read #\ntopic write t/node/request/ping\n", to: "acl")
            var options = MosquittoOptions()
            options.lines = ["persistence true", "persistence_location \(folder.path)/"]
            try await withMosquitto(options) { broker in
                try await withVisitor(to: "t/node", port: broker.port) {
                    $0.say("status", "offline", isRetained: true)
                    let isThere = try await eventually {
                        try await retainedMessages(port: broker.port)["t/node/status"] != nil
                    }
                    #expect(isThere)
                }
                await broker.stop()
            }
            options.lines.append("acl_file \(folder.path("acl"))")
            try await withMosquitto(options) { broker in
                let end = try await Program.run(
                    [
                        "forget", "--yes", "--mqtt", "127.0.0.1:\(broker.port)", "--node", "node", "--base",
                        "t",
                    ],
                    in: folder
                )
                #expect(end.status == 1)
                #expect(end.output.contains("t/node/status"), "\(end.output)")
            }
        }
    }

    @Test func `forget stops where the broker does not let it ask whether a daemon runs`() async throws {
        try await withTemporaryFolder { folder in
            try folder.write("topic read #\ntopic write t/node/status\n", to: "acl")
            var options = MosquittoOptions()
            options.lines = ["acl_file \(folder.path("acl"))"]
            try await withMosquitto(options) { broker in
                let node = ["--mqtt", "127.0.0.1:\(broker.port)", "--node", "node", "--base", "t"]
                let end = try await Program.run(["forget", "--yes"] + node, in: folder)
                #expect(end.status == 77)
                #expect(end.output.contains("t/node/request/ping"), "\(end.output)")
            }
        }
    }

    @Test func `a thousand and more topics are cleared`() async throws {
        try await withEmptyHome { home, visitor in
            for number in 0..<1500 { visitor.say("things/t\(number)", "{}", isRetained: true) }
            try await awaitsKept(home) { $0.count == 1500 }
            let end = try await forget(home)
            #expect(end.output.contains("Cleared 1500 retained topics"), "\(end.output)")
            #expect(try await kept(home) == [])
        }
    }
}
