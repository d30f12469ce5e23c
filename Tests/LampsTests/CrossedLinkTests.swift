import Flare
import JSON
import Lamps
import SeededRandom
import Testing
import Things

/// Two daemons with crossed links: each uses the other's thing as its lamp.
struct CrossedLinkTests {
    private static let delays: [ClosedRange<Int64>] = [5...30, 5...300, 200...200, 100...1000]
    private static let colours = ["red", "green", "blue", "orange", "white", "#8040ff"]

    private func data(_ generator: inout SplitMix64) -> JSONObject {
        [
            "on": .bool(.random(using: &generator)),
            "brightness": .number(Double(Int.random(in: 1...20, using: &generator)) / 20),
            "color": .string(Self.colours.randomElement(using: &generator) ?? "red"),
        ]
    }

    @Test(arguments: 0..<4)
    func `crossed links converge from any start`(delays: Int) {
        for seed in 0..<100 {
            var generator = SplitMix64(seed: UInt64(seed))
            var world = CrossedWorld(
                seed: UInt64(seed),
                delays: Self.delays[delays],
                things: [data(&generator), data(&generator)]
            )
            world.start()
            world.pass(120_000)
            let shapes = world.shapes
            #expect(world.isEqual, "seed \(seed): \(shapes)")
            #expect(world.actions <= 40, "seed \(seed): \(world.actions) actions")
            let before = world.actions
            world.pass(600_000)
            #expect(world.actions == before, "seed \(seed) goes on for ever")
        }
    }

    @Test(arguments: 0..<4)
    func `changes on either side of crossed links reach the other`(delays: Int) {
        for seed in 0..<100 {
            var generator = SplitMix64(seed: UInt64(seed))
            let first = data(&generator)
            var world = CrossedWorld(seed: UInt64(seed), delays: Self.delays[delays], things: [first, first])
            world.start()
            world.pass(10_000)
            var changes = 0
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                for own in [0, 1] where Bool.random(using: &generator) {
                    world.set(data(&generator), of: own)
                    changes += 1
                }
                world.pass([0, 50, 500, 5000].randomElement(using: &generator) ?? 0)
            }
            world.pass(180_000)
            let shapes = world.shapes
            #expect(world.isEqual, "seed \(seed): \(shapes)")
            #expect(world.actions <= 40 + 10 * changes, "seed \(seed): \(world.actions) actions")
            let before = world.actions
            world.pass(600_000)
            #expect(world.actions == before, "seed \(seed) goes on for ever")
        }
    }

    @Test func `a change on one side of crossed links wins on both`() {
        var world = CrossedWorld(
            seed: 1,
            delays: 5...300,
            things: [
                ["on": true, "color": "red", "brightness": 1], ["on": true, "color": "red", "brightness": 1],
            ]
        )
        world.start()
        world.pass(5000)
        world.set(["on": true, "color": "blue", "brightness": 0.4], of: 0)
        world.pass(20_000)
        #expect(world.shapes[0] == world.shapes[1])
        #expect(world.things[1].data["color"] == "blue")
        world.set(["on": false], of: 1)
        world.pass(20_000)
        #expect(world.things[0].data["on"] == false)
        #expect(world.conditions.allSatisfy { !$0.isSilent }, "nobody is thought to be silent")
    }
}
