import Bindings
import JSON
import Rules
import SeededRandom
import Testing

struct RuleTruthTests {
    private static let state: JSONObject = ["t": 30, "on": true, "mode": "eco", "text": "1", "none": .null]

    private static func clause(_ text: String) throws -> StateClause {
        try StateClause(JSONValue(parsing: text))
    }

    @Test(arguments: [
        (#"{"type":"eq","field":"t","value":30.0}"#, RuleTruth.yes),
        (#"{"type":"eq","field":"t","value":3e1}"#, .yes),
        (#"{"type":"eq","field":"t","value":"30"}"#, .no),
        (#"{"type":"eq","field":"text","value":1}"#, .no),
        (#"{"type":"eq","field":"text","value":"1"}"#, .yes),
        (#"{"type":"eq","field":"on","value":1}"#, .no),
        (#"{"type":"eq","field":"on","value":true}"#, .yes),
        (#"{"type":"eq","field":"gone","value":1}"#, .unknown),
        (#"{"type":"eq","field":"none","value":1}"#, .unknown),
        (#"{"type":"not","clause":{"type":"eq","field":"gone","value":1}}"#, .unknown),
        (#"{"type":"not","clause":{"type":"eq","field":"t","value":1}}"#, .yes),
        (#"{"type":"range","field":"t","lowerLimit":30}"#, .yes),
        (#"{"type":"range","field":"t","lowerLimit":30,"lowerIncluded":false}"#, .no),
        (#"{"type":"range","field":"gone","lowerLimit":30}"#, .unknown),
        (#"{"type":"range","field":"mode","lowerLimit":30}"#, .unknown),
        (#"{"type":"range","field":"on","lowerLimit":30}"#, .unknown),
        (#"{"type":"withinTimeRange","lowerLimit":5,"upperLimit":5}"#, .yes),
        (#"{"type":"all"}"#, .yes),
    ])
    func `a clause about a missing field, or no number, is unknown`(text: String, truth: RuleTruth) throws {
        #expect(try Self.clause(text).truth(of: Self.state, at: 5) == truth)
    }

    @Test func `three values follow Kleene's tables`() {
        let order: [RuleTruth] = [.no, .unknown, .yes]
        func rank(_ truth: RuleTruth) -> Int { order.firstIndex(of: truth) ?? 0 }
        for one in RuleTruth.allCases {
            #expect(rank(!one) == 2 - rank(one))
            for other in RuleTruth.allCases {
                #expect(rank(.all([one, other])) == min(rank(one), rank(other)))
                #expect(rank(.any([one, other])) == max(rank(one), rank(other)))
            }
        }
        #expect(RuleTruth.all([]) == .yes)
        #expect(RuleTruth.any([]) == .no)
    }

    @Test func `what is known agrees with queries of the history`() {
        for seed in UInt64(0)..<1_000 {
            var random = RandomRule(seed: seed)
            let clause = random.clause(depth: 3)
            let state = random.state()
            // With all fields there, two values are enough.
            var whole = state
            for field in RandomRule.fields where whole[field] == nil { whole[field] = 0 }
            let truth = clause.truth(of: whole, at: 5)
            // A range of no number is unknown; a query has no such thing.
            let isNumeric = whole.values.allSatisfy { $0.number != nil }
            #expect(
                truth == RuleTruth(clause.matches(whole, at: 5)) || truth == .unknown && !isNumeric,
                "seed \(seed)"
            )
            // A value that is added never turns one truth into the other.
            let before = clause.truth(of: state, at: 5)
            #expect(
                before == .unknown || before == truth || !clause.fields.isSubset(of: Set(state.keys)),
                "seed \(seed)"
            )
            if before != .unknown { #expect(before == truth, "seed \(seed)") }
        }
    }

    @Test func `a margin keeps a clause true`() throws {
        let clause = try Self.clause(#"{"type":"range","field":"t","lowerLimit":30}"#)
        func truth(_ value: Double, wasTrue: Bool) -> RuleTruth {
            clause.truth(of: ["t": .number(value)], at: 0, margin: 2, wasTrue: wasTrue)
        }
        #expect(truth(29, wasTrue: false) == .no)
        #expect(truth(30, wasTrue: false) == .yes)
        #expect(truth(29, wasTrue: true) == .yes)
        #expect(truth(28, wasTrue: true) == .yes)
        #expect(truth(27.9, wasTrue: true) == .no)
        let upper = try Self.clause(#"{"type":"range","field":"t","upperLimit":1e308,"upperIncluded":false}"#)
        #expect(upper.truth(of: ["t": 1e308], at: 0, margin: 1e308, wasTrue: true) == .yes)
    }
}
