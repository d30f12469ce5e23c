import Flare
import Foundation
import JSON
import MQTT
import TestSupport
import Testing
import Text

/// Rules 6, 7 and 10 of the contract: the link to the broker.
@Suite(.enabled(if: Mosquitto.isExpected), .timeLimit(.minutes(1)))
struct LinkTests {
    @Test(arguments: [true, false])
    func `after a restart of the broker it holds everything again`(withStore: Bool) async throws {
        var options = MosquittoOptions()
        options.hasStore = true
        try await withMosquitto(options) { broker in
            try await withHome(port: broker.port) { home, visitor in
                try await visitor.ask("things/table-lamp/set/color", "red")
                try await visitor.awaits("things/table-lamp") { $0["color_name"] == "red" }
                // What all lamps of a zone show together comes a moment later.
                try await visitor.awaits("zones/living-room/lights") { $0["color"]?["g"] == 0 }
                let before = try await retained(at: broker.port, of: home)
                await broker.stop()
                #expect(await home.logs("the link to the broker"))
                await visitor.forget()
                try await broker.start(withStore: withStore)
                try await visitor.awaits("status", "online")
                try await visitor.awaits("things/table-lamp")
                try await visitor.ask("request/ping")
                let after = try await retained(at: broker.port, of: home)
                let topics = Set(before.keys).union(after.keys).sorted()
                for topic in topics where before[topic] != after[topic] {
                    #expect(after[topic] == before[topic], "\(topic)")
                }
                #expect(await home.isRunning)
                #expect(try await visitor.ask("things/table-lamp/set/color", "blue").outcome == "ok")
            }
        }
    }

    /// What a late subscriber sees, without what changes by itself.
    private func retained(at port: Int, of home: Home) async throws -> [String: String] {
        try await withVisitor(to: home.root, port: port) { late in
            try await late.awaits("status", "online")
            try await late.awaits("things/fridge/data")
            try await late.ask("request/ping")
            var held: [String: String] = [:]
            for message in await late.heard where message.isRetained { held[message.topic] = message.text }
            held["\(home.root)/health"] = nil
            return held
        }
    }

    @Test func `a reconnect says status, info, the model and the view, in this order`() async throws {
        var options = MosquittoOptions()
        options.hasStore = true
        try await withMosquitto(options) { broker in
            // Announcements may still wait for the broker, and would then be the first to be sent again.
            try await withHome(["discovery.enabled": "false"], port: broker.port) { home, visitor in
                try await visitor.awaits("things/fridge/data")
                await broker.stop()
                #expect(await home.logs("the link to the broker"))
                let linesBefore = broker.log.split(separator: "\n").count
                await visitor.forget()
                try await broker.start(withStore: false)
                try await visitor.awaits("things/fridge/data")
                try await visitor.awaits("state")
                // As the broker got it: the visitor may have come later.
                let tails = broker.log.split(separator: "\n").dropFirst(linesBefore).compactMap {
                    line -> String? in
                    guard line.contains("Received PUBLISH from trilateral-") else { return nil }
                    return line.split(separator: "'").dropFirst().first.map {
                        String($0.dropFirst(home.root.count + 1))
                    }
                }
                let order = [
                    "status", "info", "things/table-lamp/availability", "things/table-lamp", "state",
                ]
                .map { tails.firstIndex(of: $0) ?? -1 }
                #expect(order.first == 0 && order == order.sorted(), "\(tails)")
            }
        }
    }

    @Test func `a reconnect publishes the status before states that the broker had not confirmed`()
        async throws
    {
        try await withMosquitto { broker in
            try await withHome(port: broker.port) { home, visitor in
                try await visitor.awaits("things/fridge/data")
                await broker.freeze()
                try await home.rest(
                    "PUT",
                    Place.path(ofThing: Place.tableLamp, in: Place.living),
                    #"{"data":{"color":"red","on":true}}"#
                )
                // The states leave right after the answer; a request later they are on their way.
                _ = try await home.rest("GET", "/environments")
                await broker.kill()
                #expect(await home.logs("the link to the broker"))
                let linesBefore = broker.log.split(separator: "\n").count
                try await broker.start()
                #expect(
                    await eventually {
                        broker.log.split(separator: "\n").dropFirst(linesBefore).contains {
                            $0.contains("Received PUBLISH from trilateral-") && $0.contains("/info'")
                        }
                    }
                )
                let first = broker.log.split(separator: "\n").dropFirst(linesBefore).first {
                    $0.contains("Received PUBLISH from trilateral-")
                }
                #expect(first?.contains("'\(home.root)/status'") == true, "\(first ?? "")")
            }
        }
    }

    @Test func `it starts without a broker and finds it when it comes`() async throws {
        let port = try LoopbackSocket.freePort()
        try await withEmptyHome(port: port, waits: false) { home, visitor in
            try await home.take()
            try await home.start()
            #expect(
                try await home.rest("GET", "/environments").status == 200,
                "the Flare server runs meanwhile"
            )
            var options = MosquittoOptions()
            options.port = port
            try await withMosquitto(options) { _ in
                try await visitor.awaits("status", "online")
                #expect(try await visitor.ask("things/table-lamp/set/color", "red").outcome == "ok")
                try await visitor.awaits("things/table-lamp") { $0["color_name"] == "red" }
            }
        }
    }

    @Test func `a command that was sent while we were away is not carried out later`() async throws {
        try await withMosquitto { broker in
            try await withHome(port: broker.port) { home, visitor in
                for isKilled in [false, true] {
                    if isKilled { await home.kill() } else { await home.stop() }
                    try await visitor.awaits("status", "offline")
                    visitor.say("things/table-lamp/set", #"{"color":"red","tx":"late"}"#)
                    try await visitor.awaits("things/table-lamp/set")
                    try await visitor.whileStarting { try await home.start() }
                    try await visitor.ask("things/television/set/volume", "\(isKilled ? 1 : 2)")
                    #expect(await visitor.json("things/table-lamp")?["color_name"] == "orange")
                    #expect(await visitor.objects(on: "response/set").allSatisfy { $0["tx"] == nil })
                }
            }
        }
    }

    @Test func `a broker that refuses the password is told in the log, and tried for ever`() async throws {
        var options = MosquittoOptions()
        options.users = ["walker": "right", "visitor": "v"]
        try await withMosquitto(options) { broker in
            try await withTemporaryFolder { folder in
                let home = Home(in: folder, port: broker.port)
                try await home.take()
                try await home.start(["mqtt.username": "walker", "mqtt.password": "wrong-secret"])
                #expect(await home.logs("refuses user \"walker\""))
                #expect(await home.log.contains("wrong-secret") == false)
                #expect(try await home.rest("GET", "/environments").status == 200)
                try await broker.setUsers(["walker": "wrong-secret", "visitor": "v"])
                let isOnline = try await withVisitor(to: home.root, port: broker.port) {
                    $0.username = "visitor"
                    $0.password = Secret("v")
                } _: { visitor in
                    try await visitor.awaits("status", "online")
                    return try await visitor.ask("request/ping").outcome
                }
                #expect(isOnline == "ok")
                await home.kill()
            }
        }
    }

    @Test(arguments: [("5", "MQTT 5"), ("3.1.1", "MQTT 3.1.1"), ("auto", "MQTT 5")])
    func `the protocol is the one that was asked for, and nothing depends on it`(
        version: String,
        told: String
    ) async throws {
        try await withMosquitto { broker in
            try await withHome(["mqtt.version": version], port: broker.port) { home, visitor in
                #expect(await home.logs("with \(told)"))
                visitor.say("things/table-lamp/set", #"{"color":"red","tx":1}"#)
                #expect(try await visitor.awaits("response/set").outcome == "ok")
                try await visitor.awaits("things/table-lamp") { $0["color_name"] == "red" }
                await home.kill()
                try await visitor.awaits("status", "offline")
            }
        }
    }

    @Test func `the client id is of the node and a stored number, the subscriptions are narrow`() async throws
    {
        try await withMosquitto { broker in
            try await withHome(port: broker.port) { home, _ in
                func subscribed() -> (client: String, filters: Set<String>) {
                    var (client, filters, isOurs) = ("", Set<String>(), false)
                    for line in broker.log.split(separator: "\n") {
                        if line.contains("Received SUBSCRIBE from ") {
                            let name = line.split(separator: " ").last.map(String.init) ?? ""
                            isOurs = name.hasPrefix("trilateral-\(home.node)-")
                            if isOurs { client = name }
                        } else if isOurs, let range = line.range(of: "\t\(home.root)/") {
                            filters.insert(String(line[range.upperBound...].prefix { $0 != " " }))
                        } else if !line.contains("\t") {
                            isOurs = false
                        }
                    }
                    return (client, filters)
                }
                let wanted: Set = [
                    "nearby/set", "nearby/set/+", "nearby/action", "things/+/set", "things/+/set/+",
                    "things/+/action", "things/+/command", "rules/+/set", "rules/+/run",
                    "things/+/get", "zones/+/set", "device/set", "environment/set", "sensors/+/set",
                    "request/+", "lifecycle/+/set", "display/+/screen/set", "display/+/presence", "info",
                    "status",
                    "sensors/compass/raw", "sensors/gps/raw", "sensors/beacons/raw",
                ]
                #expect(await eventually { subscribed().filters.isSuperset(of: wanted) })
                let first = subscribed()
                #expect(first.filters == wanted)
                #expect(first.client.wholeMatch(of: /trilateral-t\d+-[0-9a-f]{8}/) != nil)
                await home.stop()
                try await home.start()
                #expect(await home.logs("connected to the broker"))
                #expect(subscribed().client == first.client)
            }
        }
    }

    @Test func `a client that may only command and read needs nothing else`() async throws {
        var options = MosquittoOptions()
        options.users = ["walker": "w", "guest": "g"]
        try await withTemporaryFolder { folder in
            let root = "trilateral/guarded"
            let commands = [
                "nearby/set", "nearby/set/+", "nearby/action", "things/+/set", "things/+/set/+",
                "things/+/get",
                "things/+/action", "device/set", "environment/set", "sensors/+/set", "request/+",
            ]
            let rules =
                ["user walker", "topic readwrite #", "user guest", "topic read \(root)/#"]
                + commands.map { "topic write \(root)/\($0)" }
            try folder.write(rules.joined(separator: "\n") + "\n", to: "acl")
            options.lines = ["acl_file \(folder.path("acl"))"]
            try await withMosquitto(options) { broker in
                let home = Home(in: folder, port: broker.port)
                try await home.take()
                try await home.start([
                    "mqtt.node": "guarded", "mqtt.username": "walker", "mqtt.password": "w",
                ])
                try await withVisitor(to: root, port: broker.port) {
                    $0.username = "guest"
                    $0.password = Secret("g")
                } _: { visitor in
                    try await visitor.awaits("status", "online")
                    try await visitor.awaits("things/fridge")
                    visitor.say("things/table-lamp/set", #"{"color":"red","tx":1}"#)
                    #expect(try await visitor.awaits("response/set").outcome == "ok")
                    visitor.say("things/fridge/get", #"{"tx":2}"#)
                    #expect(try await visitor.awaits("response/get")["data"]?["slug"] == "fridge")
                    visitor.say("request/ping", #"{"tx":3}"#)
                    #expect(try await visitor.awaits("response/ping")["tx"] == 3)
                }
                await home.kill()
            }
        }
    }
}
