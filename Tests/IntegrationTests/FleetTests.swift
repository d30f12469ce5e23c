import JSON
import TestSupport
import Testing

/// Several daemons on one broker, seen by `trilateral fleet`.
@Suite(.enabled(if: Mosquitto.isExpected), .timeLimit(.minutes(1)))
struct FleetTests {
    private func fleet(_ home: Home, _ port: Int, _ options: String...) async throws -> Program.End {
        try await Program.run(["fleet", "--mqtt", "127.0.0.1:\(port)"] + options, in: home.folder)
    }

    /// The nodes by name, once the verb ends with this status.
    private func nodes(_ home: Home, _ port: Int, status: Int32) async throws -> [String: JSONValue] {
        var end: Program.End?
        let hasEnded = try await eventually {
            end = try await fleet(home, port, "--json")
            return end?.status == status
        }
        #expect(hasEnded, "\(end?.output ?? "")")
        let list = try JSONValue(parsing: end?.output ?? "")["nodes"]?.array ?? []
        return list.reduce(into: [:]) { $0[$1["node"]?.string ?? ""] = $1 }
    }

    @Test func `fleet lists two daemons with version, health and alerts, and says which one is not well`()
        async throws
    {
        try await withMosquitto { broker in
            let port = broker.port
            let keys = ["discovery.enabled": "false"]
            try await withHome(keys, port: port) { first, visitor in
                try await withHome(keys, port: port) { second, _ in
                    let well = try await nodes(first, port, status: 0)
                    #expect(Set(well.keys) == [first.node, second.node])
                    for node in well.values {
                        #expect(node["status"] == "online" && node["health"] == "ok" && node["well"] == true)
                        #expect(node["version"]?.string?.isEmpty == false)
                        #expect(node["seen"]?.string != nil && node["started"]?.string != nil)
                        #expect(node["alerts"]?["count"] == 0)
                    }
                    await second.kill()
                    let one = try await nodes(first, port, status: 1)
                    #expect(one[first.node]?["well"] == true)
                    #expect(one[second.node]?["status"] == "offline" && one[second.node]?["well"] == false)
                    // An alert of a node that is online.
                    visitor.say(
                        absolute: "trilateral/stranger/status",
                        "online",
                        isRetained: true
                    )
                    visitor.say(
                        absolute: "trilateral/stranger/alerts",
                        #"{"count":1,"ids":["no\u001b[2J-space"],"severity":"error","message":"m"}"#,
                        isRetained: true
                    )
                    var table = ""
                    let isShown = try await eventually {
                        table = try await fleet(first, port).output
                        return table.contains("1: no")
                    }
                    #expect(isShown, "\(table)")
                    #expect(!table.contains("\u{1B}"), "\(table)")
                    #expect(table.contains("3 nodes, 2 online, 1 with alerts"), "\(table)")
                }
            }
        }
    }

    @Test func `more nodes than are read at once are all listed`() async throws {
        try await withMosquitto { broker in
            try await withEmptyHome(port: broker.port) { home, visitor in
                for number in 0..<250 {
                    let topics = [
                        "status": "online", "info": #"{"version":"1","started":"2026-11-21T10:18:53.456Z"}"#,
                        "health": #"{"status":"ok","ts":"2026-11-21T11:00:00.000Z"}"#,
                        "alerts": #"{"count":0,"ids":[]}"#,
                    ]
                    for (topic, text) in topics {
                        visitor.say(absolute: "trilateral/n\(number)/\(topic)", text, isRetained: true)
                    }
                }
                var nodes: [JSONValue] = []
                let areThere = try await eventually {
                    let end = try await fleet(home, broker.port, "--json")
                    nodes = (try? JSONValue(parsing: end.output))?["nodes"]?.array ?? []
                    return nodes.count == 250 && end.status == 0
                }
                #expect(areThere, "\(nodes.count)")
                #expect(nodes.allSatisfy { $0["version"] == "1" && $0["health"] == "ok" })
            }
        }
    }

    @Test func `nodes that somebody made up use up the time, and those that were read are printed`()
        async throws
    {
        try await withMosquitto { broker in
            try await withEmptyHome(port: broker.port) { home, visitor in
                for number in 0..<2000 {
                    visitor.say(absolute: "trilateral/n\(number)/status", "online", isRetained: true)
                }
                var end: Program.End?
                let isPrinted = try await eventually {
                    end = try await fleet(home, broker.port, "--json", "--timeout", "1")
                    let json = (end?.output).flatMap { try? JSONValue(parsing: $0) }
                    return json?["nodes"]?.array?.isEmpty == false && json?["complete"] == false
                }
                #expect(isPrinted && end?.status == 1, "\(end?.output.suffix(200) ?? "")")
            }
        }
    }

    @Test func `fleet says where it looked when there is no node, and when there is no broker`() async throws
    {
        try await withMosquitto { broker in
            try await withEmptyHome(port: broker.port) { home, _ in
                let none = try await fleet(home, broker.port)
                #expect(
                    none.status == 69 && none.output.contains("keeps no node under trilateral/"),
                    "\(none)"
                )
                let free = try LoopbackSocket.freePort()
                let unreachable = try await fleet(home, free, "--timeout", "1")
                #expect(unreachable.status == 69, "\(unreachable)")
            }
        }
    }

    @Test func `a daemon reads what others announce only while its Flare server has other clients`()
        async throws
    {
        try await withMosquitto { broker in
            let port = try LoopbackSocket.freePort()
            try await withHome(["flare.server.listen": "127.0.0.1:\(port)"], port: broker.port) { home, _ in
                func reads(_ filter: String) -> Bool {
                    broker.log.split(separator: "\n").contains {
                        $0.contains("trilateral-\(home.node)-") && $0.hasSuffix(" 1 \(filter)")
                    }
                }
                // It is subscribed before anything is published.
                #expect(reads("\(home.root)/info"), "the log does not tell what is subscribed")
                #expect(!reads("homeassistant/device/+/config"))
                #expect(!reads("trilateral/+/info") && !reads("trilateral/+/status"))
                try await withEmptyHome(port: broker.port) { other, visitor in
                    let keys = ["flare.mode": "remote", "flare.remote.url": "http://127.0.0.1:\(port)"]
                    try await visitor.whileStarting { try await other.start(keys) }
                    #expect(await eventually { reads("homeassistant/device/+/config") })
                }
            }
        }
    }
}
