import JSON
import Lamps
import SeededRandom
import Testing
import Things

/// Random events on both sides: they converge without endless exchange.
struct LampLinkPropertyTests {
    private static let colours = ["red", "green", "blue", "orange", "white", "#8040ff", "brown"]

    private func change(_ generator: inout SplitMix64) -> JSONObject {
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: ["on": .bool(.random(using: &generator))]
        case 1: ["brightness": .number(Double(Int.random(in: 0...20, using: &generator)) / 20)]
        case 2: ["color": .string(Self.colours.randomElement(using: &generator) ?? "red")]
        default: ["on": true, "brightness": 0.8, "color": "green"]
        }
    }

    private func press(_ generator: inout SplitMix64) -> JSONObject {
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: ["state": Bool.random(using: &generator) ? "ON" : "OFF"]
        case 1: ["state": "ON", "brightness": JSONValue(Int.random(in: 1...254, using: &generator))]
        default:
            [
                "color": [
                    "x": .number(Double.random(in: 0.2...0.6, using: &generator)),
                    "y": .number(Double.random(in: 0.2...0.6, using: &generator)),
                ]
            ]
        }
    }

    @Test func `thing and lamp converge with few messages`() {
        for seed in 0..<800 {
            var generator = SplitMix64(seed: UInt64(seed))
            var world = LinkWorld(seed: UInt64(seed))
            world.isCoarse = seed.isMultiple(of: 2)
            world.isGradual = seed.isMultiple(of: 3)
            world.start()
            world.forget()
            var changes = 0
            for _ in 0..<Int.random(in: 1...15, using: &generator) {
                changes += 1
                if Bool.random(using: &generator) {
                    world.setThing(change(&generator))
                } else {
                    world.pressLamp(press(&generator))
                }
                world.pass([0, 10, 100, 500, 3000].randomElement(using: &generator) ?? 0)
            }
            world.settle()
            let isEqual = world.isEqual
            #expect(isEqual, "seed \(seed): \(world.ends)")
            let counts = (world.sets.count, world.requests.count)
            #expect(counts.0 <= changes + 2, "seed \(seed): \(counts.0) orders")
            #expect(counts.1 <= changes + 2, "seed \(seed): \(counts.1) requests")
            world.pass(600_000)
            let later = (world.sets.count, world.requests.count)
            #expect(counts == later, "seed \(seed) goes on for ever")
        }
    }

    @Test func `thing and lamp converge with disconnects and lamps that go offline`() {
        for seed in 0..<800 {
            var generator = SplitMix64(seed: UInt64(seed))
            var world = LinkWorld(seed: UInt64(seed))
            world.start()
            var changes = 0
            for _ in 0..<12 {
                changes += 1
                switch Int.random(in: 0..<8, using: &generator) {
                case 0: world.setBroker(up: false)
                case 1: world.setBroker(up: true)
                case 2: world.setAvailable(false)
                case 3: world.setAvailable(true)
                case 4: world.isServerAway.toggle()
                case 5, 6: world.setThing(change(&generator))
                default: world.pressLamp(press(&generator))
                }
                world.pass([0, 100, 1000, 10_000].randomElement(using: &generator) ?? 0)
            }
            world.isServerAway = false
            world.setBroker(up: true)
            world.setAvailable(true)
            world.settle()
            let isEqual = world.isEqual
            #expect(isEqual, "seed \(seed): \(world.ends)")
            let counts = (world.sets.count, world.requests.count)
            #expect(counts.0 <= 4 * changes, "seed \(seed): \(counts.0) orders")
            // One every five seconds while the server is away.
            #expect(counts.1 <= 60, "seed \(seed): \(counts.1) requests")
        }
    }
}
