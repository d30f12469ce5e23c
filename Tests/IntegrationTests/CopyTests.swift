import Flare
import Foundation
import JSON
import MQTT
import TestSupport
import Testing

/// Other daemons with what should be ours alone: the client id, the node, or the state folder.
@Suite(.enabled(if: Mosquitto.isExpected), .timeLimit(.minutes(1)))
struct CopyTests {
    /// Each has its state folder, its node and so its client id from the same machine, or only the client id.
    @Test(arguments: [("auto", true), ("3.1.1", true), ("auto", false), ("3.1.1", false)])
    func `a daemon with the client id of another is an alert on both, until one of them goes`(
        version: String,
        isCopy: Bool
    ) async throws {
        try await withMosquitto { broker in
            try await withEmptyHome(port: broker.port) { first, visitor in
                try await first.take()
                // Two panels with the same things are an alert of their own.
                var keys = ["mqtt.version": version, "discovery.enabled": "false"]
                if !isCopy { keys["mqtt.client_id"] = first.node }
                try await visitor.whileStarting { try await first.start(keys) }
                await first.stop()
                try await withTemporaryFolder { folder in
                    let second = Home(in: folder, port: broker.port)
                    if isCopy {
                        keys["mqtt.node"] = first.node
                        try FileManager.default.copyItem(atPath: first.state, toPath: second.state)
                    } else {
                        try await second.take()
                    }
                    try await first.start(keys)
                    #expect(await first.logs("connected to the broker"))
                    try await withVisitor(to: isCopy ? first.root : second.root, port: broker.port) { other in
                        try await second.start(keys)
                        for one in [visitor, other] {
                            try await one.awaits("alert/duplicate-client") {
                                $0["message"]?.string?.contains("client id") == true
                            }
                            try await one.awaits("health") { $0["status"]?.string == "degraded" }
                        }
                        if isCopy {
                            #expect(
                                await eventually {
                                    let alerts = await visitor.objects(on: "alert/duplicate-node")
                                    return Set(alerts.compactMap { $0["since"] }).count == 2
                                }
                            )
                        }
                        await second.kill()
                        await visitor.forget()
                        try await visitor.awaits("alert/duplicate-client", "")
                        try await visitor.awaits("health") { $0["status"]?.string == "ok" }
                        if isCopy { try await visitor.awaits("alert/duplicate-node", "") }
                        // It may have had the link when the other one was killed, and then says nothing new.
                        visitor.say("request/ping", "{}")
                        try await visitor.awaits("response/ping") { $0["status"] == "ok" }
                    }
                }
            }
        }
    }

    @Test(arguments: ["auto", "3.1.1"])
    func `a copy of a machine with another node is an alert on both, until it goes`(version: String)
        async throws
    {
        try await withMosquitto { broker in
            try await withEmptyHome(port: broker.port) { first, visitor in
                try await first.take()
                let keys = ["mqtt.version": version]
                try await visitor.whileStarting { try await first.start(keys) }
                await first.stop()
                try await withTemporaryFolder { folder in
                    let second = Home(in: folder, port: broker.port)
                    try FileManager.default.copyItem(atPath: first.state, toPath: second.state)
                    try await visitor.whileStarting { try await first.start(keys) }
                    try await withVisitor(to: second.root, port: broker.port) { other in
                        try await other.whileStarting { try await second.start(keys) }
                        for (one, node) in [(visitor, second.node), (other, first.node)] {
                            try await one.awaits("alert/duplicate-installation") {
                                $0["message"]?.string?.contains(node) == true
                            }
                        }
                        await second.kill()
                        try await visitor.awaits("alert/duplicate-installation", "")
                    }
                }
            }
        }
    }

    @Test(arguments: ["auto", "3.1.1"])
    func `a daemon that is killed and started again, and reloaded, is no other daemon`(version: String)
        async throws
    {
        try await withMosquitto { broker in
            try await withHome(["mqtt.version": version], port: broker.port) { home, visitor in
                for _ in 0..<4 {
                    await home.kill()
                    try await visitor.whileStarting { try await home.start(["mqtt.version": version]) }
                    await home.signal(SIGHUP)
                    try await visitor.awaits("event/bridge") { $0["event_type"] == "reloaded" }
                }
                let alerts = await visitor.heard.filter {
                    $0.topic.contains("/alert/duplicate") && !$0.payload.isEmpty
                }
                #expect(alerts.isEmpty)
            }
        }
    }

    @Test func `two daemons of one node are told on both, until one of them goes`() async throws {
        try await withMosquitto { broker in
            try await withHome(port: broker.port) { first, visitor in
                try await withTemporaryFolder { folder in
                    let second = Home(in: folder, port: broker.port)
                    try await second.take()
                    try await second.start(["mqtt.node": first.node])
                    // Each tells it at its own time.
                    #expect(
                        await eventually {
                            Set(await visitor.objects(on: "alert/duplicate-node").compactMap { $0["since"] })
                                .count == 2
                        }
                    )
                    #expect(
                        await visitor.json("alert/duplicate-node")?["message"]?.string?.contains(first.root)
                            == true
                    )
                    #expect(await first.isRunning)
                    #expect(await second.isRunning)
                    await second.kill()
                    try await visitor.awaits("alert/duplicate-node", "")
                    try await visitor.awaits("status", "online")
                    try await second.start(["mqtt.node": first.node])
                    try await visitor.awaits("alert/duplicate-node")
                    await second.stop()
                    try await visitor.awaits("alert/duplicate-node", "")
                }
            }
        }
    }
}
