import Dispatch
import MQTT
import TestSupport
import Testing

/// What mosquitto cannot be made to do: brokers that know only 3.1.1, that are silent, that say nonsense.
@Suite(.timeLimit(.minutes(1)))
struct StandInTests {
    /// Answers to one CONNECT after the other, by version of the protocol; then every connection is closed.
    private func withStandIn(
        _ answer: @escaping @Sendable (_ version: UInt8, LoopbackSocket) throws -> Void,
        _ body: (_ port: Int) async throws -> Void
    ) async throws {
        let listener = try LoopbackSocket.listening()
        let queue = DispatchQueue(label: "stand-in")
        queue.async {
            while let client = try? listener.accept() {
                let connect = client.receive()
                guard connect.count > 8 else { continue }
                try? answer(connect[8], client)
            }
        }
        defer { listener.shut() }
        try await body(listener.port)
    }

    @Test func `a refusal of version 5 leads to 3_1_1 at once at every connect`()
        async throws
    {
        try await withStandIn { version, client in
            try client.send(version == 5 ? [0x20, 2, 0, 1] : [0x20, 2, 0, 0])
            if version == 4 { _ = client.receive() }
        } _: { port in
            let settings = configuration(port: port) {
                $0.keepAliveSeconds = 5
                $0.reconnectMinimumSeconds = 0.001
                $0.reconnectMaximumSeconds = 0.001
            }
            try await withClient(settings) { client in
                for connects in 1...2 {
                    #expect(await client.nextSession()?.version == .v311)
                    #expect(client.counters.failures == 2 * connects - 1)
                    client.publish(MQTTMessage(topic: "makes the stand-in hang up"))
                }
            }
        }
    }

    @Test func `a disconnect on version 5 leads to 3_1_1 in the next attempt`() async throws {
        try await withStandIn { version, client in
            guard version == 4 else { return }
            try client.send([0x20, 2, 0, 0])
            _ = client.receive()
        } _: { port in
            try await withClient(configuration(port: port)) { client in
                #expect(await client.nextSession()?.version == .v311)
            }
        }
    }

    @Test func `a required version 5 that the broker does not support is reported`() async throws {
        try await withStandIn { _, client in
            try client.send([0x20, 2, 0, 1])
        } _: { port in
            try await withClient(configuration(port: port) { $0.protocolVersion = .v5 }) { client in
                let failure = await client.nextFailure()
                guard case .refused(_, _, "it does not speak MQTT 5") = failure else {
                    Issue.record("\(String(describing: failure))")
                    return
                }
            }
        }
    }

    @Test(arguments: [(MQTTProtocolChoice.v5, UInt8(0x88)), (.v5, 0x89), (.v311, 3)])
    func `a broker that is unavailable or busy counts as unreachable`(
        version: MQTTProtocolChoice,
        code: UInt8
    ) async throws {
        try await withStandIn { spoken, client in
            try client.send(spoken == 5 ? [0x20, 3, 0, code, 0] : [0x20, 2, 0, code])
        } _: { port in
            try await withClient(configuration(port: port) { $0.protocolVersion = version }) { client in
                let failure = await client.nextFailure()
                guard case .unreachable(_, let reason) = failure else {
                    Issue.record("\(String(describing: failure))")
                    return
                }
                #expect(reason.hasSuffix("(code \(code))"))
            }
        }
    }

    @Test(arguments: ["HTTP/1.1 400 Bad Request\r\n\r\n", "\u{20}\u{7f}\u{0}", ""])
    func `a port where something else answers is retried for ever`(words: String) async throws {
        try await withStandIn { _, client in
            try client.send(bytes(words))
        } _: { port in
            try await withClient(configuration(port: port)) { client in
                #expect(await client.nextFailure() != nil)
                #expect(await eventually { client.counters.failures >= 6 })
                #expect(client.counters.connects == 0)
            }
        }
    }

    @Test func `a peer that never answers times out and stop is prompt`() async throws {
        let listener = try LoopbackSocket.listening()
        try await withClient(configuration(port: listener.port) { $0.connectTimeoutSeconds = 1 }) { client in
            guard case .noAnswer(_, 1) = await client.nextFailure() else {
                Issue.record("not .noAnswer")
                return
            }
            let last = MQTTMessage(topic: "t", qos: .atLeastOnce)
            let duration = await ContinuousClock().measure { await client.stop(last: last) }
            #expect(duration < .seconds(8))
        }
    }

    @Test func `a link ended by the broker is reported with its reason`() async throws {
        try await withStandIn { _, client in
            try client.send([0x20, 3, 0, 0, 0])
            try client.send([0xe0, 2, 0x8e, 0])
        } _: { port in
            try await withClient(configuration(port: port)) { client in
                let failure = await client.nextFailure()
                guard case .endedByBroker(_, 0x8e, let reason) = failure else {
                    Issue.record("\(String(describing: failure))")
                    return
                }
                #expect(reason == "Session taken over")
            }
        }
    }

    @Test func `CONNECT announces the maximum packet size`() async throws {
        try await withHeardConnect { connect in
            // MQTT 5.0, 3.1.2.11.4: property 0x27, four bytes.
            let property: [UInt8] = [0x27, 0x01, 0, 0, 0]
            #expect(connect.indices.contains { connect[$0...].starts(with: property) }, "\(connect)")
        }
    }

    @Test func `CONNECT asks for no explanations that are not read`() async throws {
        try await withHeardConnect { connect in
            // MQTT 5.0, 3.1.2.11.7: property 0x17, after the maximum packet size.
            let properties: [UInt8] = [0x27, 0x01, 0, 0, 0, 0x17, 0]
            #expect(connect.indices.contains { connect[$0...].starts(with: properties) }, "\(connect)")
        }
    }

    /// Runs the body with the bytes of a CONNECT of version 5.
    private func withHeardConnect(_ body: ([UInt8]) -> Void) async throws {
        let listener = try LoopbackSocket.listening()
        let (heard, port) = AsyncStream.makeStream(of: [UInt8].self)
        DispatchQueue(label: "stand-in").async {
            guard let client = try? listener.accept() else { return }
            port.yield(client.receive())
        }
        defer { listener.shut() }
        try await withClient(configuration(port: listener.port)) { _ in
            for await connect in heard { return body(connect) }
        }
    }

    @Test func `a disconnect during the TLS handshake is reported as a lost connection`()
        async throws
    {
        try await withStandIn { _, _ in
        } _: { port in
            try await withClient(configuration(port: port) { $0.tls.isEnabled = true }) { client in
                let failure = await client.nextFailure()
                guard case .lost = failure else {
                    Issue.record("\(String(describing: failure))")
                    return
                }
            }
        }
    }

    @Test func `the link comes up without answers to subscriptions`() async throws {
        try await withStandIn { _, client in
            try client.send([0x20, 3, 0, 0, 0])
            while !client.receive().isEmpty {}
        } _: { port in
            let client = MQTTClient(configuration(port: port), logger: LogRecorder().logger)
            let heard = client.subscribe(["t"], qos: .atLeastOnce)
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await client.run() }
                #expect(await client.nextSession() != nil)
                await client.stop()
            }
            #expect(await heard.first(1).isEmpty)
        }
    }
}
