import Bindings
import JSON
import SeededRandom
import Testing
import Things

struct StateClauseTests {
    private static let state: JSONObject = ["temperature": 21.5, "on": true, "mode": "eco", "none": .null]

    private static func clause(_ text: String) throws -> StateClause {
        try StateClause(JSONValue(parsing: text))
    }

    @Test(arguments: [
        (#"{"type":"all"}"#, true),
        (#"{"type":"eq","field":"mode","value":"eco"}"#, true),
        (#"{"type":"eq","field":"mode","value":"ECO"}"#, false),
        (#"{"type":"eq","field":"on","value":true}"#, true),
        (#"{"type":"eq","field":"on","value":1}"#, false),
        (#"{"type":"eq","field":"temperature","value":21.50}"#, true),
        (#"{"type":"eq","field":"absent","value":1}"#, false),
        (#"{"type":"not","clause":{"type":"eq","field":"absent","value":1}}"#, true),
        (#"{"type":"not","clause":{"type":"eq","field":"mode","value":"eco"}}"#, false),
        (#"{"type":"range","field":"temperature","lowerLimit":21.5}"#, true),
        (#"{"type":"range","field":"temperature","lowerLimit":21.5,"lowerIncluded":false}"#, false),
        (#"{"type":"range","field":"temperature","upperLimit":21.5,"upperIncluded":true}"#, true),
        (#"{"type":"range","field":"temperature","upperLimit":21.5,"upperIncluded":false}"#, false),
        (#"{"type":"range","field":"temperature","lowerLimit":20,"upperLimit":22}"#, true),
        (#"{"type":"range","field":"mode","lowerLimit":20}"#, false),
        (#"{"type":"range","field":"none","lowerLimit":0}"#, false),
        (#"{"type":"and","clauses":[{"type":"all"},{"type":"eq","field":"on","value":false}]}"#, false),
        (#"{"type":"or","clauses":[{"type":"all"},{"type":"eq","field":"on","value":false}]}"#, true),
        (#"{"type":"withinTimeRange","lowerLimit":1000,"upperLimit":1000}"#, true),
        (#"{"type":"withinTimeRange","lowerLimit":1001,"upperLimit":1001}"#, false),
        (#"{"type":"withinTimeRange","lowerLimit":0,"upperLimit":999}"#, false),
    ])
    func `a clause matches what it describes`(text: String, isMatch: Bool) throws {
        #expect(try Self.clause(text).matches(Self.state, at: 1000) == isMatch)
    }

    @Test func `texts that only look alike are not equal`() {
        let (one, other) = ("é", "e\u{301}")
        let state: JSONObject = ["name": .string(one)]
        #expect(StateClause.equals("name", .string(one)).matches(state, at: 0))
        #expect(!StateClause.equals("name", .string(other)).matches(state, at: 0))
        #expect(StateClause.not(.equals("name", .string(other))).matches(state, at: 0))
    }

    @Test func `a large whole number is equal however it is written`() throws {
        let texts = ["1e17", "100000000000000000"]
        for state in try texts.map({ try JSONValue(parsing: "{\"n\":\($0)}") }).compactMap(\.object) {
            for text in texts {
                let clause = try Self.clause("{\"type\":\"eq\",\"field\":\"n\",\"value\":\(text)}")
                #expect(clause.matches(state, at: 0))
            }
            let next = try Self.clause(#"{"type":"eq","field":"n","value":100000000000000001}"#)
            #expect(!next.matches(state, at: 0))
        }
    }

    @Test(arguments: [
        ("7", "clause must be an object"),
        ("{}", "clause.type is missing; it must be one of all, eq, not"),
        (#"{"type":"equal"}"#, "clause.type must be one of all, eq"),
        (#"{"type":"eq","value":1}"#, "clause.field is missing"),
        (#"{"type":"eq","field":"a"}"#, "clause.value is missing"),
        (#"{"type":"eq","field":"a","value":null}"#, "clause.value is missing"),
        (#"{"type":"eq","field":"a","value":[1]}"#, "clause.value must be a text, a number, true or false"),
        (#"{"type":"eq","field":"","value":1}"#, "clause.field must be the name of a field"),
        (#"{"type":"eq","field":"a","valeu":1}"#, #"clause.valeu is unknown; did you mean "value"?"#),
        (#"{"type":"not","clause":{"type":"all"}}"#, "clause.clause must be a clause of the type eq"),
        (#"{"type":"range","field":"a"}"#, "clause.lowerLimit is missing, and upperLimit too"),
        (#"{"type":"range","field":"a","lowerLimit":2,"upperLimit":1}"#, "clause.lowerLimit must be at most"),
        (#"{"type":"range","field":"a","lowerLimit":"2"}"#, "clause.lowerLimit must be a number"),
        (
            #"{"type":"range","field":"a","lowerLimit":2,"lowerIncluded":1}"#,
            "clause.lowerIncluded must be true"
        ),
        (#"{"type":"and","clauses":[]}"#, "clause.clauses must be a list of one or more clauses"),
        (#"{"type":"or","clauses":[{"type":"all"},{"type":"x"}]}"#, "clause.clauses[1].type must be one of"),
        (#"{"type":"withinTimeRange","lowerLimit":1}"#, "clause.upperLimit is missing"),
        (#"{"type":"withinTimeRange","lowerLimit":2,"upperLimit":1}"#, "clause.lowerLimit must be at most"),
        (#"{"type":"withinTimeRange","lowerLimit":1.5,"upperLimit":2}"#, "clause.lowerLimit must be a whole"),
        (
            #"{"type":"withinTimeRange","lowerLimit":0,"upperLimit":9223372036854775807}"#,
            "clause.upperLimit must be a whole number from"
        ),
    ])
    func `a refusal names what is wrong and what is legal`(text: String, sentence: String) throws {
        let refusal = #expect(throws: Refusal.self) { try Self.clause(text) }
        #expect(refusal?.message.hasPrefix(sentence) == true, "\(refusal?.message ?? "")")
        #expect([.invalidValue, .wrongType].contains(refusal?.code))
    }

    private static func nested(_ depth: Int) -> String {
        String(repeating: #"{"type":"and","clauses":["#, count: depth - 1) + #"{"type":"all"}"#
            + String(repeating: "]}", count: depth - 1)
    }

    @Test func `a clause beyond its depth is refused`() throws {
        #expect(throws: Never.self) { try Self.clause(Self.nested(StateClause.maximumDepth)) }
        let refusal = #expect(throws: Refusal.self) {
            try Self.clause(Self.nested(StateClause.maximumDepth + 1))
        }
        #expect(refusal?.message.hasSuffix("at most 8 clauses may be within each other") == true)
    }

    @Test func `a query has at most fifty clauses`() throws {
        func list(_ count: Int) -> String {
            let clauses = Array(repeating: #"{"type":"all"}"#, count: count).joined(separator: ",")
            return #"{"type":"or","clauses":[\#(clauses)]}"#
        }
        #expect(throws: Never.self) { try Self.clause(list(StateClause.maximumCount - 1)) }
        #expect(throws: Refusal.self) { try Self.clause(list(StateClause.maximumCount)) }
    }

    @Test func `times are separated from what else must be met`() throws {
        let field = StateClause.equals("on", true)
        #expect(StateClause.time(1...2).separated.times == 1...2)
        #expect(StateClause.time(1...2).separated.rest == .all)
        #expect(field.separated.times == nil)
        #expect(field.separated.rest == field)
        let both = StateClause.and([.time(0...9), .and([field, .time(5...20)]), .all])
        #expect(both.separated.times == 5...9)
        #expect(both.separated.rest == field)
        let choice = StateClause.or([.time(0...9), field])
        #expect(choice.separated.times == nil)
        #expect(choice.separated.rest == choice)
    }

    @Test func `a separated clause matches as the whole one does`() {
        for seed in UInt64(0)..<2000 {
            var random = RandomHistory(seed: seed)
            let clause = random.clause(depth: 4)
            let (times, rest) = clause.separated
            for _ in 0..<10 {
                let (state, time) = (random.state(), random.time())
                let isMatch = (times?.contains(time) ?? true) && rest.matches(state, at: time)
                #expect(isMatch == clause.matches(state, at: time), "seed \(seed)")
            }
        }
    }

    @Test func `any bytes are read or refused`() {
        var fuzz = Fuzz(
            seed: 30,
            corpus: [
                #"{"type":"range","field":"t","lowerLimit":1,"upperLimit":1e308,"lowerIncluded":true}"#,
                #"{"type":"and","clauses":[{"type":"withinTimeRange","lowerLimit":-1,"upperLimit":9}]}"#,
                #"{"type":"not","clause":{"type":"eq","field":"a","value":"b"}}"#,
            ]
        )
        for _ in 0..<Fuzz.count {
            guard let json = try? JSONValue(parsing: fuzz.next(), keepsHugeNumbers: true),
                let clause = try? StateClause(json)
            else { continue }
            _ = clause.matches(["t": 1, "a": "b"], at: 5)
            _ = clause.separated
        }
    }
}
