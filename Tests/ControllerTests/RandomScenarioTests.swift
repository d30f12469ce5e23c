import Testing

@Suite struct RandomScenarioTests {
    @Test(arguments: UInt64(0)..<300)
    func `whatever happens, every command gets one answer and the state comes true`(seed: UInt64) {
        var turmoil = RandomScenario(seed: seed)
        for _ in 0..<250 { turmoil.step() }
        turmoil.settle()
    }
}
