import Controller
import Daemon
import Flare
import JSON
import MQTT
import Testing
import Threading

@Suite(.timeLimit(.minutes(1)))
struct FramePublisherTests {
    /// A publisher whose clock moves only as it sleeps, and a broker that takes what the test lets it.
    private final class Bench: Sendable {
        private let loop: LoopExecutor
        private let publisher: FramePublisher
        private let clock: Locked<Int64>
        /// The clock's time until which the broker is busy.
        let busyUntil = Locked<Int64>(0)
        let messages: AsyncStream<MQTTMessage>
        let taken: AsyncStream<Void>.Continuation

        init(isSlow: Bool = false) throws {
            let clock = Locked<Int64>(1000)
            let (messages, port) = AsyncStream.makeStream(of: MQTTMessage.self)
            let (takes, taken) = AsyncStream.makeStream(of: Void.self)
            (self.clock, self.messages, self.taken) = (clock, messages, taken)
            let busyUntil = busyUntil
            loop = try LoopExecutor()
            publisher = FramePublisher(
                on: loop,
                topic: "t/n/frame",
                now: { clock.withLock { $0 } },
                sleep: { duration in
                    try Task.checkCancellation()
                    clock.withLock { $0 += Int64(duration / .milliseconds(1)) }
                },
                isBrokerBusy: { busyUntil.withLock { $0 } > clock.withLock { $0 } },
                send: { message in
                    port.yield(message)
                    guard isSlow else { return }
                    for await _ in takes { break }
                }
            )
        }

        func pass(_ milliseconds: Int64) { clock.withLock { $0 += milliseconds } }

        func connect(_ isUp: Bool = true) async { await publisher.brokerChanged(isUp: isUp) }

        func move(to x: Double, at level: LifecycleLevel = .active) async throws {
            var state = ControllerState(epoch: "e")
            state.lifecycle.isLinked = true
            state.lifecycle.isPlaceLoaded = true
            state.lifecycle.forcedLevel = level
            _ = state.lifecycle.update()
            state.environmentID = FlareID(high: 1, low: 1)
            var device = try #require(
                FlareDevice(json: [
                    "_id": .string("\(FlareID(high: 1, low: 2))"), "name": "Walker", "data": [:],
                ])
            )
            device.position = Point3D(x: x, y: 0, z: 0)
            state.device = device
            await publisher.observe(StateSnapshot(state: state, changes: [.position]))
        }

        func run<Result>(_ body: () async throws -> Result) async rethrows -> Result {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await self.publisher.run() }
                defer { group.cancelAll() }
                return try await body()
            }
        }

        /// The places of the next frames, up to one place.
        func places(upTo x: Double) async throws -> [Double] {
            var places: [Double] = []
            for await message in messages {
                #expect(message.topic == "t/n/frame" && message.qos == .atMostOnce && !message.isRetained)
                let place = try #require(try JSONValue(parsing: message.payload)["position"]?["x"]?.number)
                places.append(place)
                if place == x { break }
            }
            return places
        }
    }

    @Test func `a move is published in 30 frames`() async throws {
        let bench = try Bench()
        await bench.connect()
        try await bench.run {
            try await bench.move(to: 0)
            #expect(try await bench.places(upTo: 0) == [0])
            try await bench.move(to: 3)
            let places = try await bench.places(upTo: 3)
            #expect(places.count == 30)
            #expect(places == places.sorted())
        }
    }

    @Test func `a slow broker gets the newest frames only`() async throws {
        let bench = try Bench(isSlow: true)
        await bench.connect()
        try await bench.run {
            try await bench.move(to: 0)
            bench.taken.yield()
            #expect(try await bench.places(upTo: 0) == [0])
            try await bench.move(to: 3)
            #expect(try await bench.places(upTo: 0.1) == [0.1])
            // The first frame leaves only now.
            bench.pass(200)
            bench.taken.yield()
            #expect(try await bench.places(upTo: 1.3) == [1.3])
            bench.pass(9000)
            bench.taken.yield()
            #expect(try await bench.places(upTo: 3) == [3])
            bench.taken.yield()
        }
    }

    @Test func `a busy broker gets no frames, and where the device is as soon as it keeps up`() async throws {
        let bench = try Bench()
        await bench.connect()
        try await bench.run {
            try await bench.move(to: 0)
            #expect(try await bench.places(upTo: 0) == [0])
            bench.busyUntil.withLock { $0 = 60_000 }
            try await bench.move(to: 3)
            #expect(try await bench.places(upTo: 3) == [3])
        }
    }

    @Test(arguments: [LifecycleLevel.notRunning, .background, .limited])
    func `there are no frames below the active level, and what happened meanwhile is not shown`(
        level: LifecycleLevel
    ) async throws {
        let bench = try Bench()
        await bench.connect()
        try await bench.run {
            try await bench.move(to: 0, at: level)
            try await bench.move(to: 3, at: level)
            try await bench.move(to: 6)
            let places = try await bench.places(upTo: 6)
            #expect(places.first == 3.1)
            #expect(places.count == 30)
        }
    }

    @Test func `a move without a link is not caught up`() async throws {
        let bench = try Bench()
        try await bench.run {
            try await bench.move(to: 0)
            try await bench.move(to: 3)
            await bench.connect()
            try await bench.move(to: 6)
            let places = try await bench.places(upTo: 6)
            #expect(places.first == 3.1)
            #expect(places.count == 30)
        }
    }
}
