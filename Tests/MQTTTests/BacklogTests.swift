import Dispatch
import MQTT
import TestSupport
import Testing
import Threading

/// What arrives and is not read: it is limited in bytes, and the broker keeps the rest.
@Suite(.timeLimit(.minutes(1)))
struct BacklogTests {
    private static let number = 200
    /// 17 of them have 1 MiB; what is read from the socket at a time is less than one.
    private static let size = 65_000

    /// Runs the body with a client whose broker sends messages as soon as it subscribes, to `t`.
    private func withFlood(
        _ publish: @escaping @Sendable (_ isV5: Bool) -> [UInt8],
        _ body: (MQTTClient) async throws -> Void
    ) async throws {
        let broker = try HostileBroker(flooding: Self.number, publish)
        defer { broker.stop() }
        try await withClient(configuration(port: broker.port) { $0.maximumUnreadBytes = 1 << 20 }, body)
    }

    private static func payload(_ isV5: Bool) -> [UInt8] {
        BrokerPackets.packet(0x30, [0, 1, 0x74] + (isV5 ? [0] : []) + [UInt8](repeating: 7, count: size))
    }

    private func stalls(_ client: MQTTClient) async -> Bool {
        guard await eventually({ client.counters.received >= 17 }) else { return false }
        return await eventually(within: .milliseconds(200)) { client.counters.received > 18 } == false
    }

    @Test func `while too many bytes wait in a stream nothing more is received, and nothing is lost`()
        async throws
    {
        try await withFlood(Self.payload) { client in
            let stream = client.subscribe(["t"], qos: .atMostOnce)
            #expect(await stalls(client))
            let messages = await stream.first(Self.number)
            #expect(messages.count == Self.number)
            #expect(messages.allSatisfy { $0.payload.count == Self.size })
            #expect(client.counters.lost == 0)
        }
    }

    @Test func `a message that is passed on counts until it is taken`() async throws {
        try await withFlood(Self.payload) { client in
            let (deliveries, port) = AsyncStream.makeStream(of: MQTTDelivery.self)
            let subscription = client.subscribe(["t"], qos: .atMostOnce) { _ = port.yield($0) }
            #expect(await stalls(client))
            var taken = 0
            for await delivery in deliveries {
                #expect(delivery.take().payload.count == Self.size)
                taken += 1
                if taken == Self.number { break }
            }
            #expect(taken == Self.number && client.counters.lost == 0)
            subscription.cancel()
        }
    }

    @Test func `a stream that is released holds nothing up`() async throws {
        try await withFlood(Self.payload) { client in
            do {
                let stream = client.subscribe(["t"], qos: .atMostOnce)
                #expect(await stalls(client))
                withExtendedLifetime(stream) {}
            }
            #expect(await eventually { client.counters.received == Self.number })
        }
    }

    @Test func `user properties count as well`() async throws {
        // Two texts of half the size.
        let text = [UInt8](repeating: 0x61, count: Self.size / 2)
        let length = [UInt8(text.count >> 8), UInt8(text.count & 0xFF)]
        let property = [0x26] + length + text + length + text
        try await withFlood { _ in
            BrokerPackets.packet(0x30, [0, 1, 0x74] + BrokerPackets.variable(property.count) + property)
        } _: { client in
            let stream = client.subscribe(["t"], qos: .atMostOnce)
            #expect(await stalls(client))
            #expect(await stream.first(Self.number).count == Self.number)
        }
    }

    @Test func `however many messages wait, others on the executor have their turn between them`()
        async throws
    {
        let (loop, gate) = (try LoopExecutor(), DispatchSemaphore(value: 0))
        let (handled, before) = (Locked(0), Locked(0))
        try await withFlood({ BrokerPackets.packet(0x30, [0, 1, 0x74] + ($0 ? [0] : [])) }) { client in
            let subscription = client.subscribe(["t"], qos: .atMostOnce, on: loop) { _ in
                let end = ContinuousClock.now + .microseconds(100)
                while ContinuousClock.now < end {}
                handled.withLock { $0 += 1 }
            }
            loop.perform { gate.wait() }
            #expect(await eventually { client.counters.received == Self.number })
            await withCheckedContinuation { continuation in
                loop.perform {
                    let count = handled.withLock { $0 }
                    before.withLock { $0 = count }
                    continuation.resume()
                }
                gate.signal()
            }
            #expect(before.withLock { $0 } < Self.number / 2)
            #expect(await eventually { handled.withLock { $0 } == Self.number })
            subscription.cancel()
        }
    }
}
