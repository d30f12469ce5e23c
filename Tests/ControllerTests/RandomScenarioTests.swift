import Testing

@Suite struct RandomScenarioTests {
    @Test(arguments: UInt64(0)..<300)
    func `in random scenarios, each command gets one answer and the state matches the server`(seed: UInt64) {
        var turmoil = RandomScenario(seed: seed)
        for _ in 0..<250 { turmoil.step() }
        turmoil.settle()
    }
}
