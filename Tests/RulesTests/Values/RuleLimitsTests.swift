import People
import Rules
import Testing

struct RuleLimitsTests {
    @Test func `as many rules are stored as are read`() {
        #expect(RuleLimits.rules == PeopleLimits.rules)
        #expect(RuleLimits.rulesOfUser == PeopleLimits.rulesOfUser)
    }
}
