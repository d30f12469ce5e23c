import JSON
import Rules
import Testing

/// Chains of firings, which come to an end.
struct RuleChainTests {
    private static let any = #"{"when":{"on":"state","thing":"a","field":"t","edge":"CONDITION_TRUE"}}"#

    @Test func `the ninth firing of a chain is a loop`() throws {
        var rig = EngineRig()
        try rig.add(1, Self.any)
        #expect(try rig.write("a", ["t": 1], chain: Array(2...8)).count == 1)
        #expect(rig.firings.first?.chain == Array(2...8))
        #expect(try rig.write("a", ["t": 1], chain: Array(2...9)).isEmpty)
        #expect(rig.outputs == [.stopped(rule: 1, .loop, partners: Array(2...9))])
        #expect(rig.refusals(of: 1) == [.loop])
    }

    @Test(arguments: [
        ([1, 2, 1, 2], [2]), ([9, 9, 1, 3, 2], [2, 3]), ([9, 8, 7, 6], [6, 7, 8, 9]), ([1, 1, 1, 1], []),
    ])
    func `a rule that is stopped names the others of its circle, else those of its chain`(
        _ chain: [Int],
        _ partners: [Int]
    ) throws {
        var rig = EngineRig(RuleEngine.Configuration(chain: 4))
        try rig.add(1, Self.any)
        #expect(try rig.write("a", ["t": 1], chain: Array(chain.suffix(4))).isEmpty)
        #expect(rig.outputs == [.stopped(rule: 1, .loop, partners: partners)])
    }
}
