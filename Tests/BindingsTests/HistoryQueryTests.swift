import Bindings
import JSON
import SeededRandom
import Testing
import Things

struct HistoryQueryTests {
    private static func query(_ text: String) throws -> HistoryQuery {
        try HistoryQuery(JSONValue(parsing: text))
    }

    private static let mean = #"{"type":"MEAN","field":"t","fieldType":"DECIMAL","putAggregationInto":"m"}"#

    @Test func `a query is read with all its members`() throws {
        let query = try Self.query(
            """
            {"query":{"clause":{"type":"and","clauses":[
                {"type":"withinTimeRange","lowerLimit":0,"upperLimit":9},{"type":"eq","field":"on","value":true}]},
              "grouped":true,"aggregations":[\(Self.mean)]},"bestEffortLimit":7,"paginationKey":"5.2"}
            """
        )
        #expect(query.times == 0...9)
        #expect(query.filter == .equals("on", true))
        #expect(query.isGrouped)
        #expect(query.aggregations.map(\.name) == ["m"])
        #expect(query.limit == 7)
        #expect(query.position == HistoryPosition(time: 5, skipped: 2))
    }

    @Test(arguments: [
        ("[]", "the request must be an object"),
        ("{}", "query is missing"),
        (#"{"query":{}}"#, "query.clause is missing"),
        (#"{"query":{"clause":{"type":"al"}}}"#, "query.clause.type must be one of"),
        (
            #"{"query":{"clause":{"type":"all"},"group":true}}"#,
            #"query.group is unknown; did you mean "grouped"?"#
        ),
        (#"{"query":{"clause":{"type":"all"},"grouped":1}}"#, "query.grouped must be true or false"),
        (#"{"query":{"clause":{"type":"all"},"grouped":true}}"#, "a grouped query needs a range of times"),
        (
            #"{"query":{"clause":{"type":"all"}},"bestEffortLimit":-1}"#,
            "bestEffortLimit must be a whole number"
        ),
        (
            #"{"query":{"clause":{"type":"all"}},"bestEffortLimit":"9"}"#,
            "bestEffortLimit must be a whole number"
        ),
        (
            #"{"query":{"clause":{"type":"all"}},"paginationKey":"9"}"#,
            "paginationKey must be the nextPaginationKey"
        ),
        (
            #"{"query":{"clause":{"type":"all"}},"paginationKey":"9.-1"}"#,
            "paginationKey must be the nextPaginationKey"
        ),
        (#"{"query":{"clause":{"type":"all"}},"limit":1}"#, "limit is unknown"),
        (
            #"{"query":{"clause":{"type":"all"},"aggregations":[\#(mean)]}}"#,
            #"aggregations need a grouped query; it must have "grouped":true"#
        ),
        (
            #"{"query":{"clause":{"type":"all"},"grouped":true,"aggregations":[\#(mean),\#(mean)]}}"#,
            #"query.aggregations must have different names, two are called "m""#
        ),
        (
            #"{"query":{"clause":{"type":"all"},"aggregations":[{"type":"AVG"}]}}"#,
            "query.aggregations[0].type must be one of MAX, MIN, SUM, MEAN, COUNT"
        ),
        (
            #"{"query":{"clause":{"type":"all"},"aggregations":[{"type":"SUM","fieldType":"BOOLEAN","field":"a","putAggregationInto":"b"}]}}"#,
            "query.aggregations[0].fieldType must be INTEGER or DECIMAL with SUM, is BOOLEAN"
        ),
        (
            #"{"query":{"clause":{"type":"all"},"aggregations":[{"type":"COUNT","fieldType":"BOOLEAN","field":"a","putAggregationInto":""}]}}"#,
            "query.aggregations[0].putAggregationInto must be a name for the result"
        ),
    ])
    func `a refusal names what is wrong and what is legal`(text: String, sentence: String) throws {
        let refusal = #expect(throws: Refusal.self) { try Self.query(text) }
        #expect(refusal?.message.hasPrefix(sentence) == true, "\(refusal?.message ?? "")")
        #expect([.invalidValue, .wrongType].contains(refusal?.code))
    }

    @Test func `results may have names that only look alike`() throws {
        let aggregations = try ["é", "e\u{301}"].map { try Aggregation(argument: "max:\($0)") }
        let query = try HistoryQuery(.time(0...1), isGrouped: true, aggregations: aggregations)
        #expect(query.aggregations.count == 2)
    }

    @Test func `a limit beyond a thousand counts as a thousand`() throws {
        for (limit, expected) in [("0", 1000), ("1", 1), ("1000", 1000), ("1001", 1000), ("null", 1000)] {
            let text = #"{"query":{"clause":{"type":"all"}},"bestEffortLimit":\#(limit)}"#
            #expect(try Self.query(text).limit == expected)
        }
    }

    @Test func `more aggregations than the limit are refused`() throws {
        func text(_ count: Int) -> String {
            let list = (0..<count).map { Self.mean.replacing(#""m""#, with: #""m\#($0)""#) }.joined(
                separator: ","
            )
            let clause = #"{"type":"withinTimeRange","lowerLimit":0,"upperLimit":1}"#
            return #"{"query":{"clause":\#(clause),"grouped":true,"aggregations":[\#(list)]}}"#
        }
        #expect(throws: Never.self) { try Self.query(text(Aggregation.limit)) }
        #expect(throws: Refusal.self) { try Self.query(text(Aggregation.limit + 1)) }
    }

    @Test(arguments: GroupInterval.allCases)
    func `59 intervals are answered and 60 refused`(interval: GroupInterval) throws {
        let length = interval.milliseconds
        for upper in [59 * length, 60 * length - 1] {
            let query = try HistoryQuery(.time(0...upper), isGrouped: true)
            #expect(throws: Never.self) { try HistoryAnswer(to: query, of: interval) }
        }
        let query = try HistoryQuery(.time(0...(60 * length)), isGrouped: true)
        let refusal = #expect(throws: Refusal.self) { try HistoryAnswer(to: query, of: interval) }
        #expect(refusal?.message.contains("less than 60 intervals of \(interval.rawValue)") == true)
        let ungrouped = try HistoryQuery(.time(0...(60 * length)))
        #expect(throws: Never.self) { try HistoryAnswer(to: ungrouped, of: interval) }
    }

    @Test(arguments: [
        ("mean:temperature", "mean_temperature"), ("MAX:a", "max_a"), ("count:a:b", "count_a:b"),
    ])
    func `an aggregation is read from an argument`(argument: String, name: String) throws {
        #expect(try Aggregation(argument: argument).name == name)
    }

    @Test(arguments: ["", "mean", "mean:", ":a", "avg:a"])
    func `an argument that is no aggregation is refused`(argument: String) {
        let refusal = #expect(throws: Refusal.self) { try Aggregation(argument: argument) }
        #expect(refusal?.message.contains("functions are max, min, sum, mean, count") == true)
    }

    @Test func `any bytes are read or refused`() {
        var fuzz = Fuzz(
            seed: 31,
            corpus: [
                #"{"query":{"clause":{"type":"withinTimeRange","lowerLimit":0,"upperLimit":9},"grouped":true}}"#,
                #"{"query":{"clause":{"type":"all"}},"bestEffortLimit":7,"paginationKey":"5.2"}"#,
                #"{"query":{"clause":{"type":"all"},"aggregations":[\#(Self.mean)]}}"#,
            ]
        )
        for _ in 0..<Fuzz.count {
            guard let json = try? JSONValue(parsing: fuzz.next(), keepsHugeNumbers: true),
                let query = try? HistoryQuery(json),
                var answer = try? HistoryAnswer(to: query, of: .halfDay)
            else { continue }
            for time in [Int64.min, 0, 5, .max] { answer.add(["t": 1], at: time) }
            _ = answer.json()
            _ = query.samples
            _ = query.cover(.minute)
        }
    }
}
