import Flare
import Foundation
import JSON
import MQTT
import TestSupport
import Testing
import Text

/// A broker that knows its users, with the access lists that the program prints.
@Suite(.enabled(if: Mosquitto.isExpected), .timeLimit(.minutes(3)))
struct AccessListTests {
    @Test(arguments: ["5", "3.1.1"])
    func `the daemon works in full, and is driven, under its list`(version: String) async throws {
        try await withSite(["mqtt.version": version]) { site in
            try await site.visit(as: "driver") { visitor in
                try await visitor.awaits("status", "online")
                try await visitor.awaits("device") { $0["id"]?.string != nil }
                try await visitor.awaits("things/table-lamp/availability", "online")
                visitor.say("things/table-lamp/set", #"{"color":"red","tx":"1"}"#)
                try await visitor.awaits("response/set") { $0["status"] == "ok" && $0["tx"] == "1" }
                try await visitor.awaits("things/table-lamp") { $0["color_name"] == "red" }
                try await visitor.awaitsEvent("thing", "changed")
                #expect(await eventually { await visitor.text("map")?.hasPrefix("<svg ") == true })
                // A response topic is a matter of MQTT 5.
                if version == "5" { #expect(try await visitor.ask("request/ping").outcome == "ok") }
                try await visitor.awaits("health") { $0["links"]?["flare"] == true }
                try await site.visit(as: "sensor") { sensor in
                    sensor.say("sensors/compass/raw", "90")
                    try await visitor.awaits("device/angle", "90")
                }
                visitor.say("environment/set", "hut")
                try await visitor.awaits("things/table-lamp", "")
                try await site.visit(as: "ha") { ha in
                    let own = "homeassistant/device/trilateral_\(site.home.node)/config"
                    for await announced in ha.client.subscribe(["homeassistant/#"], qos: .atLeastOnce) {
                        if announced.topic == own, !announced.payload.isEmpty { break }
                    }
                }
                await site.home.kill()
                try await visitor.awaits("status", "offline")
            }
        }
    }

    @Test func `each role may publish its part and nothing else`() async throws {
        try await withSite { site in
            let commands = [
                "nearby/set", "nearby/set/color", "nearby/action", "things/x/set", "things/x/set/color",
                "things/x/action", "things/x/get", "device/set", "environment/set", "sensors/gps/set",
                "display/x/screen/set", "request/ping", "rules/x/set", "rules/x/run",
            ]
            let state = [
                "status", "info", "state", "nearby", "zone", "device", "map", "health", "things/x",
                "sensors/gps",
                "event/thing", "response/set", "alert/x", "display/x/screen", "setup/candidates",
                "rules/x", "rules/x/fired", "rules/x/out",
            ]
            let (driving, hers) = (["driver", "ha"], "homeassistant/status")
            for topic in commands {
                for user in Self.users where user != "trilateral" {
                    let isTaken = try await site.takes("\(site.home.root)/\(topic)", from: user)
                    #expect(isTaken == driving.contains(user), "\(topic) from \(user)")
                }
            }
            for topic in state {
                for user in Self.users where user != "trilateral" {
                    #expect(
                        try await !site.takes("\(site.home.root)/\(topic)", from: user),
                        "\(topic) from \(user)"
                    )
                }
            }
            #expect(try await site.takes(hers, from: "ha"))
            #expect(try await site.takes("\(site.home.root)/sensors/gps/raw", from: "sensor"))
            #expect(try await site.takes("\(site.home.root)/display/wall/presence", from: "driver"))
            for user in Self.users where user != "ha" { #expect(try await !site.takes(hers, from: user)) }
            for user in Self.users { #expect(try await !site.takes("trilateral/other/status", from: user)) }
            #expect(site.broker.log.contains("Denied PUBLISH from"), "as it is looked for of the daemon's")
        }
    }

    @Test func `lamps and receivers on the same broker work with the lines for others`() async throws {
        let lamps = RealLamp.Kind.allCases.map { kind in
            let topic = kind == .tasmota ? "desk" : "\(kind.rawValue)/desk"
            return "  - {thing: \(Self.things[kind] ?? ""), kind: \(kind.rawValue), topic: \(topic)}\n"
        }
        let file = "links:\n" + lamps.joined() + "sensors: {espresense: {device: tag}}\n"
        try await withSite(file: file) { site in
            try await site.visit(as: "driver") { driver in
                for (kind, thing) in Self.things {
                    try await withLamp(kind, name: "desk", port: site.broker.port) {
                        site.identify(as: kind.rawValue, &$0)
                    } _: { lamp in
                        await lamp.press(isOn: false)
                        lamp.setAvailable(true)
                        try await driver.awaits("things/\(thing)") { $0["state"] == "OFF" }
                        driver.say("things/\(thing)/set", #"{"state":"ON"}"#)
                        try await lamp.awaits { $0.isOn }
                        lamp.setAvailable(false)
                        try await driver.awaits("things/\(thing)/availability", "offline")
                    }
                }
            }
            #expect(
                try await site.takes("espresense/devices/tag/cellar", #"{"rssi":-60}"#, from: "espresense")
            )
            #expect(await site.home.logs("no thing of this environment has the receiver cellar"))
            for user in Self.others {
                #expect(try await !site.takes("homeassistant/status", from: user))
                #expect(try await !site.takes("homeassistant/device/trilateral_x/config", from: user))
                #expect(try await !site.takes("\(site.home.root)/nearby/set", from: user))
            }
            for user in ["zigbee2mqtt", "espresense"] {
                #expect(try await site.takes("homeassistant/light/1/light/config", from: user))
            }
            for topic in ["zigbee2mqtt/desk/set", "cmnd/desk/POWER", "espresense/rooms/x/absorption/set"] {
                #expect(try await site.takes(topic, from: "ha"), "\(topic)")
            }
        }
    }

    private static let things: [RealLamp.Kind: String] = [
        .zigbee2mqtt: "table-lamp", .tasmota: "kitchen-light", .wled: "television",
    ]

    @Test func `who reads is told of this node and of nothing else`() async throws {
        try await withSite { site in
            try await site.visit(as: "kiosk") { kiosk in
                let all = kiosk.client.subscribe(["#"], qos: .atLeastOnce)
                try await kiosk.awaits("status", "online")
                #expect(try await site.takes("homeassistant/status", from: "ha"))
                #expect(try await site.takes("\(site.home.root)/request/ping", from: "driver"))
                var heard: [String] = []
                // What comes after them, on a topic that a kiosk may read.
                for await message in all {
                    heard.append(message.topic)
                    if message.topic.hasSuffix("/response/ping") { break }
                }
                #expect(!heard.contains { $0.hasSuffix("/request/ping") })
                #expect(heard.allSatisfy { $0.hasPrefix("\(site.home.root)/") }, "\(heard)")
            }
        }
    }

    @Test(arguments: [
        (["--role", "nobody"], "nobody"), (["--user", "driver"], "ROLE=NAME"),
        (["--user", "foo=bar"], "homeassistant"),
        (["--user", "driver=a\nuser b"], "role=name"),
        (["--base", "a/#"], "--base"), (["--node", "A"], "--node"), (["--replies", ""], "--replies"),
    ])
    func `what cannot be a line of the list is refused`(arguments: [String], told: String) async throws {
        try await withTemporaryFolder { folder in
            let end = try await Program.run(["acl"] + arguments, in: folder)
            #expect(end.status == 64)
            #expect(end.output.contains(told), "\(end.output)")
        }
    }

    @Test func `the example is what the program prints`() async throws {
        try await withTemporaryFolder { folder in
            let end = try await Program.run(["acl", "--node", "panel"], in: folder)
            #expect(end.output == (try Self.example("acl")))
        }
    }

    // MARK: The site

    private static let users = ["trilateral", "ha", "kiosk", "driver", "sensor"]
    private static let others = ["zigbee2mqtt", "tasmota", "wled", "espresense"]

    private static func example(_ name: String) throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: "contrib/mosquitto/\(name)"), encoding: .utf8)
    }

    private struct Site {
        let home: Home
        let broker: Mosquitto

        func identify(as user: String, _ configuration: inout MQTTConfiguration) {
            configuration.username = user
            configuration.password = Secret("secret of \(user)")
        }

        /// Runs the body with a visitor who has a user's rights.
        func visit<Result: Sendable>(as user: String, _ body: (Visitor) async throws -> Result) async throws
            -> Result
        {
            try await withVisitor(to: home.root, port: broker.port) {
                identify(as: user, &$0)
            } _: { visitor in
                try await body(visitor)
            }
        }

        /// Whether the broker takes a message from a user; asked in version 5, where it says so.
        func takes(_ topic: String, _ payload: String = "", from user: String) async throws -> Bool {
            try await visit(as: user) { visitor in
                let message = MQTTMessage(topic: topic, payload: Array(payload.utf8), qos: .atLeastOnce)
                do throws(MQTTPublishError) {
                    try await visitor.client.publishAndWait(message)
                    return true
                } catch {
                    guard case .refusedByBroker(_, 0x87, _) = error else { throw error }
                    return false
                }
            }
        }
    }

    /// Runs the body with a daemon and its broker; afterwards the broker must have denied the daemon nothing.
    private func withSite(
        _ keys: [String: String] = [:],
        file: String = "{}",
        _ body: (Site) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            var options = MosquittoOptions()
            let port = try LoopbackSocket.freePort()
            options.port = port
            let home = Home(in: folder, port: port)
            try folder.write(file, to: "site.yaml")
            let list = try await Program.run(
                [
                    "acl", "--config", folder.path("site.yaml"), "--node", home.node, "--user",
                    "homeassistant=ha",
                ],
                in: folder
            )
            let others = try Self.example("acl-others").replacing("user homeassistant", with: "user ha")
            #expect(list.status == 0, "\(list.output)")
            try folder.write(list.output + "\n" + others, to: "acl")
            try folder.write("secret of trilateral\n", to: "password")
            options.lines = ["acl_file \(folder.path("acl"))"]
            let users = Self.users + Self.others
            options.users = Dictionary(uniqueKeysWithValues: users.map { ($0, "secret of \($0)") })
            let own = [
                "mqtt.username": "trilateral", "mqtt.password_file": folder.path("password"),
                "map.enabled": "true",
            ]
            try await withMosquitto(options) { broker in
                try await home.take()
                try await home.start(own.merging(keys) { $1 }, file: file)
                do {
                    try await body(Site(home: home, broker: broker))
                    await home.stop()
                } catch {
                    await home.kill()
                    throw HomeFailure(error: error, log: folder.read("log-1"))
                }
                let denied = broker.log.split(separator: "\n").filter {
                    $0.contains("Denied") && $0.contains("trilateral-\(home.node)")
                }
                #expect(denied.isEmpty, "\(denied)")
            }
        }
    }
}
