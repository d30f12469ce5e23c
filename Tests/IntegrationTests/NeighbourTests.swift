import Flare
import Foundation
import JSON
import MQTT
import TestSupport
import Testing

/// What another program on our topics, or a signal, may do to us.
@Suite(.enabled(if: Mosquitto.isExpected), .mosquitto, .timeLimit(.minutes(1)))
struct NeighbourTests {
    @Test func `who is said to be offline by somebody else tells everything again`() async throws {
        try await withHome { _, visitor in
            try await visitor.awaits("status", "online")
            visitor.say("environment", "overwritten", isRetained: true)
            visitor.say("status", "offline", isRetained: true)
            #expect(await eventually { await visitor.said(on: "status").suffix(2) == ["offline", "online"] })
            try await visitor.awaits("environment") { $0["id"] != nil && $0["id"] != .null }
        }
    }

    @Test func `every hang-up has the configuration read again, not the first one only`() async throws {
        try await withHome { home, visitor in
            let epoch = try await visitor.awaits("info")["epoch"]
            for count in 0..<3 {
                await home.signal(SIGHUP)
                try await visitor.awaitsEvent("bridge", "reloaded", after: count)
            }
            #expect(try await visitor.awaits("info")["epoch"] == epoch, "nothing had changed")
        }
    }

    @Test(arguments: ["node", "base"])
    func `a reload that moves us to other topics takes the old ones back first`(key: String) async throws {
        try await withEmptyHome { home, visitor in
            try await home.take()
            func configure(_ value: String) throws {
                try FileManager.default.createDirectory(
                    atPath: home.folder.path(".config/trilateral"),
                    withIntermediateDirectories: true
                )
                let other = key == "node" ? "base: trilateral" : "node: \(home.node)"
                try home.folder.write(
                    "mqtt:\n  \(other)\n  \(key): \(value)\n",
                    to: ".config/trilateral/trilateral.yaml"
                )
            }
            try configure(key == "node" ? home.node : "trilateral")
            try await visitor.whileStarting { try await home.start(["mqtt.node": ""]) }
            try await visitor.awaits("health")
            try configure("moved-\(home.node)")
            let root = key == "node" ? "trilateral/moved-\(home.node)" : "moved-\(home.node)/\(home.node)"
            let statuses = visitor.client.subscribe(
                ["\(home.root)/status", "\(root)/status"],
                qos: .atLeastOnce
            )
            try await withVisitor(to: root, port: SharedMosquitto.broker.port) { new in
                await home.signal(SIGHUP)
                var told: [String] = []
                for await status in statuses {
                    told.append("\(status.topic == "\(root)/status" ? "new" : "old") \(status.text)")
                    if told.last == "new online" { break }
                }
                #expect(told.suffix(3) == ["old offline", "old ", "new online"], "one after the other")
                try await new.awaits("status", "online")
                try await new.awaits("state") { $0["device"]?["id"]?.string != nil }
                #expect(try await new.ask("things/table-lamp/set/color", "red").outcome == "ok")
            }
            try await withVisitor(to: home.root, port: SharedMosquitto.broker.port) { late in
                late.say("probe", "there")
                try await late.awaits("probe", "there")
                let left = await late.heard.map(\.topic)
                #expect(left == ["\(home.root)/probe"])
            }
        }
    }

    @Test func `a reload that leaves us where we are takes nothing back`() async throws {
        try await withHome(file: "mqtt: {keepalive_seconds: 60}\n") { home, visitor in
            await visitor.forget()
            try home.folder.write("mqtt: {keepalive_seconds: 61}\n", to: "trilateral.yaml")
            await home.signal(SIGHUP)
            try await visitor.awaitsEvent("bridge", "reloaded")
            try await visitor.awaits("state")
            let heard = await visitor.heard
            let emptied = heard.filter(\.payload.isEmpty).map {
                String($0.topic.dropFirst(home.root.count + 1))
            }
            let passing = ["device/location", "health", "map"]
            #expect(emptied.filter { !$0.hasPrefix("alert/") && !passing.contains($0) } == [])
        }
    }

    @Test func `a configuration that turns out not to work gives way to the one before, and that is told`()
        async throws
    {
        try await withHome(
            ["flare.server.listen": ""],
            file: "flare: {server: {listen: \"127.0.0.1:0\"}}"
        ) { home, visitor in
            let epoch = try await visitor.awaits("info")["epoch"]
            let taken = try LoopbackSocket.listening()
            try home.folder.write(
                "flare: {server: {listen: \"127.0.0.1:\(taken.port)\"}}\n",
                to: "trilateral.yaml"
            )
            await home.signal(SIGHUP)
            let alert = try await visitor.awaits("alert/configuration") { $0["message"] != nil }
            #expect(
                alert["message"]?.string?.contains("127.0.0.1:\(taken.port) is in use by another program")
                    == true,
                "\(alert)"
            )
            try await visitor.awaits("info") { $0["epoch"] != epoch }
            try await visitor.awaits("status", "online")
            #expect(try await visitor.ask("things/table-lamp/set/color", "red").outcome == "ok")
            try home.folder.write("flare: {server: {listen: \"127.0.0.1:0\"}}", to: "trilateral.yaml")
            await home.signal(SIGHUP)
            try await visitor.awaits("alert/configuration", "")
        }
    }

    @Test func `a daemon that cannot have its port is never heard on the broker`() async throws {
        try await withHome { home, visitor in
            try await visitor.awaits("status", "online")
            let taken = try LoopbackSocket.listening()
            let told = await visitor.said(on: "status")
            try await withEmptyHome { other, _ in
                try await other.start(
                    ["flare.server.listen": "127.0.0.1:\(taken.port)", "mqtt.node": home.node])
                #expect(await other.end() == 69)
            }
            #expect(await visitor.said(on: "status") == told)
        }
    }
}
