import MQTT
import TestSupport
import Testing
import Text

@Suite(.enabled(if: Mosquitto.isExpected), .timeLimit(.minutes(1)))
struct ReconnectTests {
    @Test func `a client connects when the broker starts later`() async throws {
        var options = MosquittoOptions()
        options.port = try LoopbackSocket.freePort()
        try await withClient(configuration(port: options.port ?? 0)) { client in
            guard case .unreachable(_, let reason) = await client.nextFailure() else {
                Issue.record("not unreachable")
                return
            }
            #expect(reason == "Connection refused")
            let message = MQTTMessage(
                topic: "early",
                payload: bytes("1"),
                qos: .atLeastOnce,
                isRetained: true
            )
            #expect(client.publish(message) == .queued)
            try await withMosquitto(options) { _ in
                #expect(await client.nextSession() != nil)
                #expect(
                    await client.subscribe(["early"], qos: .atLeastOnce).first(1).map(\.payload) == [
                        bytes("1")
                    ]
                )
            }
        }
    }

    @Test(arguments: [true, false])
    func `messages continue after a restart of the broker`(withStore: Bool) async throws {
        var options = MosquittoOptions()
        options.hasStore = true
        try await withMosquitto(options) { broker in
            try await withConnectedClient(configuration(port: broker.port)) { client, _ in
                let heard = client.subscribe(["kept", "new/#"], qos: .atLeastOnce)
                let kept = MQTTMessage(topic: "kept", qos: .atLeastOnce, isRetained: true)
                try await client.publishAndWait(
                    MQTTMessage(topic: "kept", payload: [1], qos: .atLeastOnce, isRetained: true)
                )
                #expect(await heard.first(1).count == 1)
                await broker.stop()
                #expect(await client.nextFailure() != nil)

                let frame = MQTTMessage(topic: "new/frame")
                #expect(client.publish(frame) == .dropped)
                await #expect(throws: MQTTPublishError.notConnected) {
                    try await client.publishAndWait(frame)
                }
                for number in 0..<300 {
                    let message = MQTTMessage(topic: "new/\(number)", qos: .atLeastOnce)
                    #expect(client.publish(message) == .queued)
                }
                try await broker.start(withStore: withStore)

                let retained = withStore ? 1 : 0
                let messages = await heard.first(retained + 300)
                #expect(messages.prefix(retained).allSatisfy { $0.topic == kept.topic && $0.isRetained })
                let isInOrder = messages.dropFirst(retained).map(\.topic) == (0..<300).map { "new/\($0)" }
                #expect(isInOrder)
                #expect(await eventually { client.counters.queued == 0 })
                #expect(client.counters.dropped == 2)
                #expect(client.counters.connects == 2)
            }
        }
    }

    @Test func `a wrong password is reported and a later correction is used`() async throws {
        var options = MosquittoOptions()
        options.users = ["walker": "right"]
        try await withMosquitto(options) { broker in
            let log = LogRecorder()
            for version in [MQTTProtocolChoice.v5, .v311] {
                try await broker.setUsers(["walker": "right"])
                let settings = configuration(port: broker.port) {
                    $0.protocolVersion = version
                    $0.username = "walker"
                    $0.password = Secret("s3cret")
                }
                try await withClient(settings, logger: log.logger) { client in
                    let code = version == .v5 ? 0x87 : 5
                    let error = MQTTError.notAuthorised(user: "walker", address: settings.address, code: code)
                    #expect(await client.nextFailure() == error)
                    #expect("\(error)".contains("walker") && "\(error)".contains("127.0.0.1:\(broker.port)"))
                    #expect(await eventually { client.counters.failures > 3 })
                    try await broker.setUsers(["walker": "s3cret"])
                    #expect(await client.nextSession() != nil)
                }
                #expect(!"\(settings) \(String(reflecting: settings))".contains("s3cret"))
            }
            #expect(
                log.recorded.filter { $0.contains("refuses user \"walker\"") && $0.hasPrefix("warning") }
                    .count == 2
            )
            #expect(!log.recorded.joined().contains("s3cret"))
        }
    }

    @Test func `beyond the limit publications are refused, and later there is room again`() async throws {
        try await withMosquitto { broker in
            await broker.stop()
            try await withClient(configuration(port: broker.port) { $0.maximumQueued = 50 }) { client in
                let message = MQTTMessage(topic: "t", qos: .atLeastOnce)
                for _ in 0..<50 { #expect(client.publish(message) == .queued) }
                #expect(client.publish(message) == .refused(.queueFull(limit: 50)))
                await #expect(throws: MQTTPublishError.queueFull(limit: 50)) {
                    try await client.publishAndWait(message)
                }
                #expect(client.counters.queued == 50)
                try await broker.start()
                for await event in client.links where event == .drained { break }
                #expect(client.publish(message) == .queued)
                #expect(await eventually { client.counters.queued == 0 })
                #expect(client.counters.sent == 51)
                #expect(client.counters.refused == 2)
            }
        }
    }

    @Test func `a broker that stops answering: waiting is limited, frames are dropped, stop is prompt`()
        async throws
    {
        try await withMosquitto { broker in
            try await withConnectedClient(configuration(port: broker.port) { $0.maximumQueued = 20 }) {
                client,
                _ in
                await broker.freeze()
                let message = MQTTMessage(topic: "t", qos: .atLeastOnce)
                await #expect(throws: MQTTPublishError.timedOut(.milliseconds(50))) {
                    try await client.publishAndWait(message, timeout: .milliseconds(50))
                }
                let frame = MQTTMessage(topic: "f", payload: [UInt8](repeating: 0, count: 1 << 20))
                #expect(await eventually { client.publish(frame) == .dropped })
                #expect(client.counters.dropped > 0)
                let duration = await ContinuousClock().measure { await client.stop(last: message) }
                #expect(duration < .seconds(20))
                await broker.thaw()
            }
        }
    }

    @Test func `a long outage is reported once with its reason`() async throws {
        let log = LogRecorder()
        let settings = configuration(port: try LoopbackSocket.freePort()) { $0.warnAfterSeconds = 0 }
        try await withClient(settings, logger: log.logger) { client in
            #expect(await eventually { client.counters.failures >= 5 })
        }
        let warnings = log.recorded.filter {
            $0.hasPrefix("warning no link to the broker at \(settings.address)")
        }
        #expect(warnings.count == 1)
        #expect(warnings.first?.contains("Connection refused") == true)
    }

    @Test func `an unresolvable host is reported by name`() async throws {
        try await withClient(configuration(port: 1883) { $0.host = "no such host.invalid" }) { client in
            guard case .unreachable(_, let reason) = await client.nextFailure() else {
                Issue.record("not unreachable")
                return
            }
            #expect(reason.contains("no such host.invalid"))
        }
    }

    @Test func `a client that never ran can be stopped`() async {
        let client = MQTTClient(MQTTConfiguration(), logger: LogRecorder().logger)
        await client.stop(last: MQTTMessage(topic: "t", qos: .atLeastOnce))
        await client.run()
        #expect(client.publish(MQTTMessage(topic: "t", qos: .atLeastOnce)) == .refused(.stopped))
        #expect(await client.subscribe(["t"], qos: .atLeastOnce).first(1).isEmpty)
        #expect(await client.nextSession() == nil)
    }
}
