import Bindings
import JSON
import SeededRandom
import Testing

struct HistoryAnswerTests {
    private typealias Sample = (state: JSONObject, at: Int64)

    private static func answer(_ query: HistoryQuery, _ samples: [Sample]) throws -> HistoryAnswer {
        var answer = try HistoryAnswer(to: query, of: .minute)
        for sample in samples { answer.add(sample.state, at: sample.at) }
        return answer
    }

    @Test func `results have the time of their sample`() throws {
        let answer = try Self.answer(
            try HistoryQuery(.equals("on", true)),
            [
                (["on": true, "_created": 7], 1000), (["on": false], 2000), (["on": true], 3000),
            ]
        )
        #expect(
            answer.json().description
                == #"{"results":[{"_created":1000,"on":true},{"_created":3000,"on":true}]}"#
        )
    }

    @Test func `samples are grouped, and empty groups left out`() throws {
        let query = try HistoryQuery(.time(0...300_000), isGrouped: true)
        let answer = try Self.answer(
            query,
            [(["t": 1], 0), (["t": 2], 59_999), (["t": 3], 180_000), (["t": 4], 400_000)]
        )
        let expected: JSONValue = [
            "groupedResults": [
                [
                    "range": ["from": 0, "to": 60_000],
                    "objects": [["t": 1, "_created": 0], ["t": 2, "_created": 59_999]],
                ],
                ["range": ["from": 180_000, "to": 240_000], "objects": [["t": 3, "_created": 180_000]]],
            ]
        ]
        #expect(answer.json() == expected.object)
    }

    @Test func `fields whose names only look alike are told apart`() throws {
        let names = ["é", "e\u{301}"]
        let query = try HistoryQuery(
            .time(0...59_999),
            isGrouped: true,
            aggregations: try names.map { try Aggregation(JSONValue.count(of: $0)) }
        )
        let answer = try Self.answer(query, [([names[0]: 1], 0), ([names[1]: 1], 1), ([names[1]: 2], 2)])
        #expect(answer.rows.first?.values == [1, 2])
    }

    @Test func `groups are aggregated, and the greatest has its sample`() throws {
        let aggregations = [try Aggregation(argument: "mean:t"), try Aggregation(argument: "max:t")]
        let query = try HistoryQuery(.time(0...59_999), isGrouped: true, aggregations: aggregations)
        let answer = try Self.answer(query, [(["t": 21.5], 0), (["t": 21.5], 1), (["t": 22.5], 2)])
        let json = answer.json(truncatedBefore: 5) { at, field, value in
            at == 2 && field == "t" && value == 22.5 ? ["t": 22.5, "on": true] : nil
        }
        let expected: JSONValue = [
            "groupedResults": [
                [
                    "range": ["from": 0, "to": 60_000],
                    "aggregations": [
                        ["name": "mean_t", "value": 21.833333333333332],
                        ["name": "max_t", "value": 22.5, "object": ["t": 22.5, "on": true, "_created": 2]],
                    ],
                ]
            ], "truncated_before": 5,
        ]
        #expect(json == expected.object)
        #expect(answer.rows.map(\.count) == [3])
        #expect(answer.rows.map(\.range) == [0..<60_000])
    }

    @Test func `a decimal is skipped by an aggregation of integers, and counted by its own type`() throws {
        func aggregation(_ function: String, _ type: String) throws -> Aggregation {
            try Aggregation([
                "type": .string(function), "field": "a", "fieldType": .string(type),
                "putAggregationInto": .string(function + type),
            ])
        }
        var sums = GroupSums()
        for value: JSONValue in [1, 2.5, 4, true, [:], [], "text", .null] { sums.add(["a": value], at: 0) }
        for (function, type, expected): (String, String, JSONValue) in [
            ("SUM", "INTEGER", 5), ("MEAN", "INTEGER", 2.5), ("MAX", "INTEGER", 4), ("SUM", "DECIMAL", 7.5),
            ("MEAN", "DECIMAL", 2.5), ("MIN", "DECIMAL", 1), ("COUNT", "INTEGER", 2), ("COUNT", "DECIMAL", 3),
            ("COUNT", "BOOLEAN", 1), ("COUNT", "OBJECT", 1), ("COUNT", "ARRAY", 1),
        ] {
            #expect(try aggregation(function, type).result(in: sums).value == expected, "\(function) \(type)")
        }
        #expect(try Aggregation(argument: "count:a").result(in: sums).value == 7)
        #expect(try Aggregation(argument: "max:b").result(in: sums).value == .null)
        #expect(try Aggregation(argument: "count:b").result(in: sums).value == 0)
    }

    @Test func `stored sums of whole groups and samples of the others answer as all samples do`() throws {
        for seed in UInt64(0)..<200 {
            var random = RandomHistory(seed: seed)
            let samples: [Sample] = (0..<60).map { _ in
                (["a": JSONValue(random.random.number(below: 9))], random.time())
            }
            .sorted { $0.at < $1.at }
            let lower = random.time()
            let range = lower...(lower + Int64(random.random.number(below: 3_600_000)))
            let aggregations = try ["count:a", "sum:a", "mean:a", "max:a", "min:a"].map {
                try Aggregation(argument: $0)
            }
            let query = try HistoryQuery(.time(range), isGrouped: true, aggregations: aggregations)
            let all = try Self.answer(query, samples)
            var unstored = UnstoredSums(.minute)
            for sample in samples { unstored.add(sample.state, at: sample.at) }
            var answer = try HistoryAnswer(to: query, of: .minute)
            let cover = try #require(query.cover(.minute))
            for (start, sums) in unstored.groups where cover.whole?.contains(start) == true {
                #expect(query.isAnswered(by: sums))
                answer.add(sums, of: start)
            }
            for sample in samples where cover.partial.contains(where: { $0.contains(sample.at) }) {
                answer.add(sample.state, at: sample.at)
            }
            #expect(answer.json() == all.json(), "seed \(seed)")
        }
    }

    @Test func `pages have every sample once, also those of one time`() throws {
        for seed in UInt64(0)..<100 {
            var random = SplitMix64(seed: seed)
            let samples: [Sample] = (0..<50).map { ["n": JSONValue($0)] }.map {
                ($0, Int64(random.number(below: 8)))
            }
            .enumerated().sorted { ($0.element.1, $0.offset) < ($1.element.1, $1.offset) }.map(\.element)
            let filter = StateClause.not(.equals("n", 7))
            var found: [JSONValue] = []
            var position: HistoryPosition?
            let limit = 1 + random.number(below: 9)
            repeat {
                let query = try HistoryQuery(filter, limit: limit, from: position)
                let times = try #require(query.samples)
                let json = try Self.answer(query, samples.filter { times.contains($0.at) }).json()
                let results = try #require(json["results"]?.array)
                #expect(results.count <= limit)
                found += results.compactMap { $0["n"] }
                position = json["nextPaginationKey"]?.string.flatMap { HistoryPosition($0) }
            } while position != nil && found.count < 100
            #expect(found == samples.compactMap { $0.state["n"] }.filter { $0 != 7 }, "seed \(seed)")
        }
    }

    @Test func `a page that begins behind the range has nothing`() throws {
        let query = try HistoryQuery(.time(0...9), from: HistoryPosition(time: 10, skipped: 0))
        #expect(query.samples == nil)
        #expect(try Self.answer(query, [(["a": 1], 5), (["a": 1], 10)]).json() == ["results": []])
    }

    @Test func `times that exclude each other have no samples`() throws {
        let query = try HistoryQuery(.and([.time(0...9), .time(20...29)]), isGrouped: true)
        #expect(try Self.answer(query, [(["a": 1], 5), (["a": 1], 25)]).json() == ["groupedResults": []])
    }

    @Test func `a field that was cut from stored sums is looked for in the samples`() throws {
        var sums = GroupSums()
        sums.add(JSONObject((0..<65).map { ("f\($0 + 10)", 1) }), at: 0)
        for (field, isAnswered) in [("f10", true), ("f74", false)] {
            let query = try HistoryQuery(
                .time(0...1),
                isGrouped: true,
                aggregations: [try Aggregation(argument: "sum:\(field)")]
            )
            #expect(query.isAnswered(by: sums) == isAnswered)
        }
    }
}

extension JSONValue {
    /// An aggregation that counts the whole numbers of a field.
    fileprivate static func count(of field: String) -> JSONValue {
        [
            "type": "COUNT", "field": .string(field), "fieldType": "INTEGER",
            "putAggregationInto": .string("\(field.utf8.count)"),
        ]
    }
}
