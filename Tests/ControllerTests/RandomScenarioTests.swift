import Testing

@Suite struct RandomScenarioTests {
    @Test(arguments: UInt64(0)..<300)
    func `in random scenarios, each command gets one answer and the state matches the server`(seed: UInt64) {
        var turmoil = RandomScenario(seed: seed)
        for _ in 0..<250 { turmoil.step() }
        turmoil.settle()
    }

    @Test(arguments: UInt64(0)..<300)
    func `the same holds for things with profiles, whatever becomes of these`(seed: UInt64) {
        var turmoil = RandomScenario(seed: seed, isManaged: true)
        for _ in 0..<250 { turmoil.step() }
        turmoil.settle()
    }
}
