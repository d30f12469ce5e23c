import Foundation
import MQTT
import SeededRandom
import Synchronization
import TestSupport
import Testing

/// A broker that sends what no broker may: the library must never see it, and the process live.
@Suite(.timeLimit(.minutes(30)))
struct HostileBrokerTests {
    private static let unknownProperty: [UInt8] = [2, 0x7F, 0]

    private func withBroker(
        tls: Bool,
        isNarrow: Bool = false,
        _ body: @escaping @Sendable (_ version: UInt8, HostileBroker.Connection) -> Void,
        _ test: (MQTTConfiguration) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let certificates = tls ? try await TestCertificates.make(in: folder) : nil
            let broker = try HostileBroker(certificates, isNarrow: isNarrow, body)
            defer { broker.stop() }
            let settings = configuration(port: broker.port) {
                $0.reconnectMinimumSeconds = 0.001
                $0.reconnectMaximumSeconds = 0.001
                guard let certificates else { return }
                $0.host = "localhost"
                $0.tls.isEnabled = true
                $0.tls.caFile = certificates.caFile
            }
            try await test(settings)
        }
    }

    @Test(
        arguments: [
            ([], [0x20, 5, 0, 0] + unknownProperty, "CONNACK"),
            (BrokerPackets.connack(.v5), [0x90, 6, 0, 1] + unknownProperty + [0], "SUBACK"),
            (BrokerPackets.connack(.v5), [0x40, 6, 0, 1, 0] + unknownProperty, "PUBACK"),
            (BrokerPackets.connack(.v5), [0x30, 6, 0, 1, 65] + unknownProperty, "PUBLISH"),
            (BrokerPackets.connack(.v5), [0xE0, 4, 0x8E] + unknownProperty, "DISCONNECT"),
        ],
        [false, true]
    )
    func `an unknown property ends the link with the packet's name and the client reconnects`(
        packets: (before: [UInt8], bad: [UInt8], name: String),
        tls: Bool
    ) async throws {
        try await withBroker(tls: tls) { _, connection in
            _ = connection.send(packets.before)
            _ = connection.send(packets.bad)
            _ = connection.receive()
        } _: { settings in
            try await withClient(settings) { client in
                guard case .malformed(_, let what) = await client.nextFailure() else {
                    Issue.record("not .malformed")
                    return
                }
                #expect(what == "\(packets.name) with the unknown property 0x7f")
                #expect(await eventually { client.counters.failures > 3 })
            }
        }
    }

    @Test(arguments: [false, true])
    func `packets are parsed however the stream is divided`(tls: Bool) async throws {
        let count = 200
        try await withBroker(tls: tls) { version, connection in
            let isV5 = version == 5
            _ = connection.send(BrokerPackets.connack(isV5 ? .v5 : .v311))
            _ = connection.receive()
            let one = BrokerPackets.packet(
                0x30,
                [0, 1, 116] + (isV5 ? [0] : []) + [UInt8](repeating: 7, count: 300)
            )
            for byte in one { _ = connection.send([byte]) }
            _ = connection.send(Array(repeating: one, count: count - 1).flatMap(\.self))
            while !connection.receive().isEmpty {}
        } _: { settings in
            let client = MQTTClient(settings, logger: LogRecorder().logger)
            let heard = client.subscribe(["t"], qos: .atMostOnce)
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await client.run() }
                let messages = await heard.first(count)
                #expect(messages.count == count)
                #expect(messages.allSatisfy { $0.payload.count == 300 })
                group.cancelAll()
            }
        }
    }

    @Test(.timeLimit(.minutes(1)), arguments: [false, true])
    func `a broker that never stops sending does not keep the client from writing`(tls: Bool) async throws {
        try await withBroker(tls: tls) { version, connection in
            guard connection.send(BrokerPackets.connack(version == 5 ? .v5 : .v311)) else { return }
            let one = BrokerPackets.packet(0x30, [0, 1, 116] + (version == 5 ? [0] : []) + [7])
            let many = Array(repeating: one, count: 1000).flatMap(\.self)
            while connection.send(many) {}
        } _: { settings in
            try await withConnectedClient(settings) { client, _ in
                #expect(await eventually { client.counters.received > 10_000 })
                // With QoS 0 it waits until the message is written.
                try await client.publishAndWait(MQTTMessage(topic: "t"), timeout: .seconds(8))
                await client.stop()
            }
        }
    }

    @Test(.timeLimit(.minutes(1)), arguments: [false, true])
    func `a broker that does not read our acknowledgements loses the link`(tls: Bool) async throws {
        try await withBroker(tls: tls, isNarrow: true) { version, connection in
            guard connection.send(BrokerPackets.connack(version == 5 ? .v5 : .v311)) else { return }
            let one = BrokerPackets.packet(0x32, [0, 1, 116, 0, 1] + (version == 5 ? [0] : []))
            let many = Array(repeating: one, count: 1000).flatMap(\.self)
            while connection.send(many) {}
        } _: { settings in
            try await withClient(settings) { client in
                guard case .lost(_, let reason) = await client.nextFailure() else {
                    Issue.record("not .lost")
                    return
                }
                #expect(reason.hasPrefix("the broker does not read our acknowledgements"))
            }
        }
    }

    /// The number of damaged packets, over all forms: a hundred thousand with TRILATERAL_FUZZ=100000.
    private static let damaged =
        ProcessInfo.processInfo.environment["TRILATERAL_FUZZ"].flatMap { Int($0) } ?? 4000

    @Test(arguments: BrokerPackets.Version.allCases, [false, true])
    func `damaged packets do not crash the process`(version: BrokerPackets.Version, tls: Bool)
        async throws
    {
        let sent = Counter()
        let wanted = Self.damaged / 4
        try await withBroker(tls: tls) { _, connection in
            var dice = SplitMix64(seed: UInt64(sent.value))
            guard Int.random(in: 0..<8, using: &dice) > 0 || connection.send(BrokerPackets.connack(version))
            else {
                return
            }
            var packets = BrokerPackets.legal(version)
            // Several a connection, the first of them mostly a good CONNACK.
            if Int.random(in: 0..<4, using: &dice) > 0 {
                packets = [BrokerPackets.connack(version)] + packets
            }
            for turn in 0..<8 {
                var packet = turn == 0 ? packets[0] : packets.randomElement(using: &dice) ?? []
                if turn > 0 { BrokerPackets.damage(&packet, &dice) }
                guard !packet.isEmpty else { continue }
                sent.add(turn > 0 ? 1 : 0)
                guard connection.send(packet) else { return }
            }
        } _: { settings in
            var settings = settings
            settings.protocolVersion = version.choice
            let client = MQTTClient(settings, logger: LogRecorder().logger)
            let heard = client.subscribe(["#"], qos: .atLeastOnce)
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await client.run() }
                group.addTask { for await _ in heard {} }
                #expect(await eventually(within: .seconds(1500)) { sent.value >= wanted })
                // It has not only survived, it works on.
                let failures = client.counters.failures
                #expect(await eventually { client.counters.failures > failures })
                group.cancelAll()
            }
        }
    }
}

/// Counts on several threads.
private final class Counter: Sendable {
    private let count = Atomic(0)

    var value: Int { count.load(ordering: .relaxed) }

    func add(_ number: Int) { count.wrappingAdd(number, ordering: .relaxed) }
}
