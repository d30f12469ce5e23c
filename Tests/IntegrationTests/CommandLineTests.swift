import JSON
import TestSupport
import Testing

/// The verbs that talk to a running daemon.
@Suite(.enabled(if: Mosquitto.isExpected), .mosquitto, .timeLimit(.minutes(1)))
struct CommandLineTests {
    private func run(
        _ words: String,
        _ home: Home,
        keys: [String: String] = [:]
    ) async throws -> Program.End {
        let port = try SharedMosquitto.broker.port
        let arguments =
            words.split(separator: " ").map(String.init) + [
                "--mqtt", "127.0.0.1:\(port)", "--node", home.node,
            ]
        return try await Program.run(arguments, in: home.folder, keys: keys)
    }

    @Test func `set, action and get wait for the answer`() async throws {
        try await withHome { home, visitor in
            #expect(try await run("set table-lamp color=red brightness=40%", home).status == 0)
            try await visitor.awaits("things/table-lamp") {
                $0["color_name"] == "red" && $0["brightness"] == 102
            }
            #expect(try await run("set table-lamp toggle", home).status == 0)
            try await visitor.awaits("things/table-lamp") { $0["state"] == "OFF" }
            #expect(try await run("action table-lamp nextColor", home).status == 0)
            try await visitor.awaits("things/table-lamp") { $0["color_name"] == "orange" }
            let got = try await run("get table-lamp --json", home)
            #expect(got.status == 0)
            var thing = try await visitor.awaits("things/table-lamp").object ?? [:]
            thing["data"] = try await visitor.awaits("things/table-lamp/data")
            thing["availability"] = "online"
            #expect(try JSONValue(parsing: got.output) == .object(thing))
            let environment = try await run("get environment --json", home)
            #expect(
                try await visitor.awaits("environment") == JSONValue(parsing: environment.output),
                "as its topic"
            )
            #expect(try await run("get environment", home).output.contains("Flat"))
            let next = try await run("set environment next", home)
            #expect(next.status == 0 && next.output == "environment hut\n", "\(next.output)")
            try await visitor.awaits("environment") { $0["slug"] == "hut" }
            #expect(try await run("set sensors/gps OFF", home).status == 0)
            try await visitor.awaits("sensors/gps", "OFF")
        }
    }

    @Test func `explain tells why a thing is not near and what became of a command`() async throws {
        try await withHome { home, visitor in
            let zone = try await run("explain zone", home)
            #expect(zone.status == 0 && zone.output.hasPrefix("The device is in "), "\(zone.output)")
            let nearby = try await run("explain nearby table-lamp --json", home)
            #expect(try JSONValue(parsing: nearby.output)["limit_m"]?.number != nil, "\(nearby.output)")
            #expect(try await run("set table-lamp color=pinkish", home).status == 1)
            let command = try await run("explain command", home)
            #expect(command.output.contains("set color of table-lamp"), "\(command.output)")
            #expect(command.output.contains("(unknown_colour)"), "\(command.output)")
            visitor.say("request/explain", #"{"subject":"command","command":"none","tx":"1"}"#)
            try await visitor.awaits("response/explain") {
                $0["tx"] == "1" && $0["error"]?["code"] == "unknown_command"
            }
            visitor.say("nearby/set", #"{"tx":"bad","#)
            visitor.say("things/table-lamp/set", #"{"tx":"odd","colour":"red"}"#)
            try await visitor.awaits("response/set") { $0["tx"] == "odd" }
            let odd = try await run("explain command odd", home)
            #expect(odd.output.contains("did you mean \"color\""), "\(odd.output)")
            let unknown = try await run("explain command 8", home)
            #expect(unknown.status == 1 && unknown.output.contains("no command with tx"), "\(unknown.output)")
        }
    }

    @Test func `zones, alerts, health and lists are told`() async throws {
        try await withHome { home, visitor in
            #expect(try await run("set zones/kitchen OFF", home).status == 0)
            try await visitor.awaits("things/kitchen-light") { $0["state"] == "OFF" }
            let zone = try await run("get zones/kitchen --json", home)
            #expect(try JSONValue(parsing: zone.output)["lights"]?["on"] == 0, "\(zone.output)")
            #expect(try await run("get alerts", home).output == "none\n")
            #expect(try await run("get health", home).output.contains("links.mqtt"))
            let unknown = try await run("get zones/attic", home)
            #expect(unknown.status == 1 && unknown.output.contains("kitchen"), "\(unknown.output)")
            for (kind, word) in [
                ("things", "table-lamp"), ("zones", "kitchen"), ("environments", "hut"), ("nodes", home.node),
            ] {
                let list = try await run("list \(kind)", home)
                #expect(list.status == 0 && list.output.contains("\n\(word) "), "\(list.output)")
                let json = try await run("list \(kind) --json", home)
                #expect(try JSONValue(parsing: json.output).array?.isEmpty == false, "\(json.output)")
            }
        }
    }

    @Test func `watch ends when nobody reads it any more`() async throws {
        try await withHome { home, _ in
            let port = try SharedMosquitto.broker.port
            let watch = "watch --mqtt 127.0.0.1:\(port) --node \(home.node)"
            let end = try await Program.run(
                watch.split(separator: " ").map(String.init),
                in: home.folder,
                shell: "exec > >(head -n 1)",
                within: .seconds(20)
            )
            #expect(end.status == 0, "\(end.output)")
        }
    }

    @Test(arguments: [["--node", "nobody"], ["--timeout", "600"]])
    func `watch ends when nobody reads it any more, also without a broker`(options: [String]) async throws {
        try await withTemporaryFolder { folder in
            let port = try LoopbackSocket.freePort()
            let end = try await Program.run(
                ["watch", "--mqtt", "127.0.0.1:\(port)"] + options,
                in: folder,
                shell: "exec > >(exec sleep 0.3)",
                within: .seconds(20)
            )
            #expect(end.status == 0, "\(end.output)")
        }
    }

    @Test func `more than a thousand retained topics are all read`() async throws {
        // With MQTT 5 our client lets the broker send as many as it likes at once.
        let keys = ["mqtt.version": "3.1.1"]
        let things = (0..<1200).map { #"{"name":"T\#($0)","data":{"on":false}}"# }.joined(separator: ",")
        try await withEmptyHome { home, visitor in
            try await home.take(
                #"{"environments":[{"name":"Hall","zones":[{"name":"Room","things":[\#(things)]}]}]}"#
            )
            try await visitor.whileStarting { try await home.start(["discovery.enabled": "false"]) }
            let port = try SharedMosquitto.broker.port
            let isThere = try await eventually(within: .seconds(20)) {
                try await retainedMessages(port: port).keys.count { $0.hasPrefix("\(home.root)/things/") }
                    >= 3600
            }
            #expect(isThere)
            let list = try await run("list things --json", home, keys: keys)
            let listed = try JSONValue(parsing: list.output).array ?? []
            #expect(listed.count == 1200, "\(listed.count)")
            #expect(listed.allSatisfy { $0["availability"] == "online" })
            for number in [0, 1199] {
                let thing = try await run("get t\(number) --json", home, keys: keys)
                #expect(try JSONValue(parsing: thing.output)["data"] == ["on": false], "\(thing.output)")
            }
            for number in 0..<1500 {
                visitor.say(absolute: "many\(home.node)/n\(number)/status", "offline", isRetained: true)
            }
            let areThere = try await eventually(within: .seconds(20)) {
                try await retainedMessages(port: port).keys.count { $0.hasPrefix("many\(home.node)/") }
                    == 1500
            }
            #expect(areThere)
            let nodes = try await run("list nodes --json --base many\(home.node)", home, keys: keys)
            #expect(try JSONValue(parsing: nodes.output).array?.count == 1500)
        }
    }

    @Test(arguments: [
        ("set nearby color=red", "nearby"), ("set tabel-lamp color=red", "table-lamp"),
        ("set table-lamp color=rde", "rde"),
        ("set table-lamp darker", "if \"darker\" is an action: trilateral action table-lamp darker"),
        ("action table-lamp dance", "dance"),
        ("get tabel-lamp", "table-lamp"),
        ("set device angle=90", "allow_set"),
    ])
    func `what is refused ends with 1 and the daemon's message`(words: String, told: String) async throws {
        try await withHome { home, _ in
            let end = try await run(words, home)
            #expect(end.status == 1)
            #expect(end.output.contains(told), "\(end.output)")
        }
    }

    @Test(arguments: [
        ("get foo/bar", "zones/<zone>", "trilateral get <target>"),
        ("set foo/bar on", "zones/<zone>", "trilateral set <target>"),
        ("set lamp =5", "a name must stand before =", "trilateral set <target>"),
        ("action zones/kitchen nextColor", "zones/kitchen has no actions", "trilateral action <target>"),
    ])
    func `words that make no sense are told with what is legal and how the verb is used`(
        words: String,
        told: String,
        usage: String
    ) async throws {
        try await withTemporaryFolder { folder in
            let end = try await Program.run(words.split(separator: " ").map(String.init), in: folder)
            #expect(end.status == 64)
            #expect(end.output.contains(told) && end.output.contains(usage), "\(end.output)")
        }
    }

    @Test(arguments: [
        ("lst", "there is no verb \"lst\"; did you mean \"list\"?"),
        ("user dance", "there is no verb \"dance\"; trilateral user --help lists them"),
        ("get lamp --mqtt localhost", "it must be host:port, such as localhost:1883"),
        ("serve --listen localhost:99999", "the port must be 0 to 65535"),
        ("set --hlp", "Unknown option '--hlp'"), ("action lamp --nod x", "Unknown option '--nod'"),
        ("acl --user dirver=bob", "there is no such role; did you mean \"driver\"?"),
    ])
    func `a wrong verb, host or port is refused with what is legal`(words: String, told: String) async throws
    {
        try await withTemporaryFolder { folder in
            let end = try await Program.run(words.split(separator: " ").map(String.init), in: folder)
            #expect(end.status == 64 && end.output.contains(told), "\(end.output)")
        }
    }

    @Test(arguments: ["zone", "state"])
    func `what only follows cannot be set, and what can be is told`(word: String) async throws {
        try await withTemporaryFolder { folder in
            let end = try await Program.run(["set", word, "x=1"], in: folder)
            #expect(end.status == 64)
            #expect(end.output.contains("\(word) cannot be set"), "\(end.output)")
            for other in ["nearby", "device", "environment", "sensors/<sensor>"] {
                #expect(end.output.contains(other), "\(end.output)")
            }
        }
    }

    @Test func `watch goes on after a lost link, and says that events are missing`() async throws {
        try await withTemporaryFolder { folder in
            try await withMosquitto { broker in
                let child = try Program.start(
                    ["watch", "--mqtt", "127.0.0.1:\(broker.port)", "--node", "hall"],
                    in: folder,
                    output: folder.path("watched")
                )
                func publish(_ status: String) async throws {
                    let address = ["-h", "127.0.0.1", "-p", "\(broker.port)", "-t", "trilateral/hall/status"]
                    try await ChildProcess.run(
                        try #require(ChildProcess.find("mosquitto_pub")),
                        address + ["-r", "-m", status]
                    )
                }
                func watched() -> String { folder.read("watched") }
                try await publish("online")
                #expect(await eventually { watched().contains(" status online\n") }, "\(watched())")
                #expect(!watched().contains("missing"))
                await broker.kill()
                #expect(await eventually { watched().contains("trilateral watch: ") }, "\(watched())")
                try await broker.start()
                #expect(
                    await eventually {
                        watched().contains("the broker is back; events since the link was lost are missing\n")
                    },
                    "\(watched())"
                )
                try await publish("offline")
                #expect(await eventually { watched().contains(" status offline\n") }, "\(watched())")
                await child.destroy()
            }
        }
    }

    @Test func `watch writes lines of one form when piped`() async throws {
        try await withHome { home, visitor in
            let port = try SharedMosquitto.broker.port
            let child = try Program.start(
                ["watch", "--mqtt", "127.0.0.1:\(port)", "--node", home.node],
                in: home.folder,
                output: home.folder.path("watched")
            )
            func lines() -> [String] { home.folder.read("watched").split(separator: "\n").map(String.init) }
            #expect(await eventually { lines().contains { $0.contains(" device Walker") } })
            try await visitor.ask("things/table-lamp/set/color", "red")
            #expect(
                await eventually {
                    lines().contains { $0.contains(" thing changed Table lamp (table-lamp) ") }
                }
            )
            #expect(lines().contains { $0.hasSuffix(" status online") })
            for line in lines() {
                #expect(line.wholeMatch(of: /\d\d:\d\d:\d\d [a-z\/-]+ [^{}\[\]]+/) != nil, "\(line)")
            }
            await child.destroy()
        }
    }

    @Test func `without a broker or a daemon it ends with 69`() async throws {
        try await withTemporaryFolder { folder in
            let port = try SharedMosquitto.broker.port
            for address in ["127.0.0.1:1", "127.0.0.1:\(port)"] {
                let end = try await Program.run(
                    ["get", "state", "--mqtt", address, "--node", "nobody", "--timeout", "1"],
                    in: folder
                )
                #expect(end.status == 69, "\(end.output)")
            }
        }
    }
}
