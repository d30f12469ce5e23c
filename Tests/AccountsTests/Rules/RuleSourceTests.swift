import Accounts
import Testing

/// Rules as the log has them.
@Suite struct RuleSourceTests {
    @Test(arguments: [1, 12, Int.max])
    func `a rule is read as it was written`(rule: Int) throws {
        let source = try #require(RuleSource("rule:\(rule)"))
        #expect(source == RuleSource(rule) && source.description == "rule:\(rule)")
        #expect(source.triggerID == "\(rule)")
    }

    @Test(
        arguments: [
            "", "rule:", "rule:x", "rule:01", "rule:+1", "rule: 1", "rule:1 ", "Rule:1", "1", "192.0.2.1",
            "things/rule:1/command", "rule:9223372036854775808",
        ]
    )
    func `an address, a topic and another spelling are no rule`(source: String) {
        #expect(RuleSource(source) == nil)
    }
}
