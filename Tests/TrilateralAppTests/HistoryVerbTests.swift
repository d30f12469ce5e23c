import JSON
import TestSupport
import Testing

/// The verb `history`: what it asks the daemon, and what it prints.
@Suite(.timeLimit(.minutes(2))) struct HistoryVerbTests {
    private static let line = "POST bindings/v-1/history"

    @Test func `groups are lines of values, and a long range is asked for in parts`() async throws {
        try await withVerbDesk { desk in
            let row: JSONValue = ["from": 0, "to": 900_000, "count": 3, "values": [21.5, .null]]
            try await desk.withDaemon([
                "GET bindings/v-1": .init(200, ["vendor": "v-1", "interval": "15_MINUTES"]),
                Self.line: .init(200, ["rows": [row]]),
            ]) {
                // 60 intervals and one more moment.
                let end = try await desk.run([
                    "history", "v-1", "--group", "--agg", "mean:temperature", "--agg", "max:a,b", "--from",
                    "1970-01-01", "--to", "1970-01-01T15:00:00Z",
                ])
                #expect(end.status == 0)
                let group = "1970-01-01T00:00:00Z,1970-01-01T00:15:00Z,3,21.5,\n"
                #expect(end.output.hasPrefix("from,to,count,mean_temperature,\"max_a,b\"\n\(group)\(group)"))
                #expect(end.output.hasSuffix("warning: the field \"a,b\" had no number in that time\n"))
            }
            let others: JSONObject = ["group": "1", "agg": ["mean:temperature", "max:a,b"]]
            let ranges: [JSONObject] = [
                ["from": "0", "to": "53999999"], ["from": "54000000", "to": "54000000"],
            ]
            #expect(
                desk.sent == [.init("GET bindings/v-1")]
                    + ranges.map { .init(Self.line, .object($0.merging(others) { $1 })) }
            )
        }
    }

    @Test func `means and sums have no more digits than they are good for, and other figures stay exact`()
        async throws
    {
        try await withVerbDesk { desk in
            let noise = 103.89999999999999
            let values: JSONValue = [.number(noise), .number(noise), .number(noise), 12_345_678_901_234]
            let row: JSONValue = ["from": 0, "to": 900_000, "count": 3, "values": values]
            try await desk.withDaemon([
                "GET bindings/v-1": .init(200, ["vendor": "v-1", "interval": "15_MINUTES"]),
                Self.line: .init(200, ["rows": [row]]),
            ]) {
                let words = [
                    "history", "v-1", "--group", "--to", "1970-01-01T00:10:00Z", "--from", "1970-01-01",
                ]
                let figures = ["mean:t", "sum:t", "max:t", "sum:n"].flatMap { ["--agg", $0] }
                let end = try await desk.run(words + figures)
                #expect(end.output.hasSuffix("Z,3,103.9,103.9,103.89999999999999,12345678901234\n"))
                let json = try await desk.run(words + figures + ["--json"])
                #expect(json.output.contains(#""mean_t":103.89999999999999"#))
            }
        }
    }

    @Test(arguments: [true, false])
    func `a field that nothing was reported of is a warning, if anything was reported`(hasGroups: Bool)
        async throws
    {
        try await withVerbDesk { desk in
            let row: JSONValue = ["from": 0, "to": 900_000, "count": 3, "values": [.null, .null, 0, 0]]
            try await desk.withDaemon([
                "GET bindings/v-1": .init(200, ["vendor": "v-1", "interval": "15_MINUTES"]),
                Self.line: .init(200, ["rows": hasGroups ? [row] : []]),
            ]) {
                let figures = ["mean:nosuch", "max:nosuch", "count:none", "min:zero"].flatMap {
                    ["--agg", $0]
                }
                let end = try await desk.run(
                    ["history", "v-1", "--group", "--to", "1970-01-01T00:10:00Z", "--from", "1970-01-01"]
                        + figures
                )
                let warnings = end.output.split(separator: "\n").filter { $0.contains("warning: ") }
                #expect(
                    warnings.map { $0.split(separator: "warning: ").last }
                        == (hasGroups
                            ? [
                                "the field \"none\" had no value in that time",
                                "the field \"nosuch\" had no number in that time",
                            ]
                            : [])
                )
                #expect(end.status == 0)
            }
        }
    }

    @Test(arguments: [[], ["--group"]])
    func `an error comes without a header`(others: [String]) async throws {
        try await withVerbDesk { desk in
            let refused = VerbDesk.Answer.refused(404, "unknown_thing", "there is no thing")
            try await desk.withDaemon(["GET bindings/v-9": refused, "POST bindings/v-9/history": refused]) {
                let end = try await desk.run(["history", "v-9"] + others)
                #expect(end.status == 66 && end.output.hasPrefix("trilateral history: "), "\(end.output)")
            }
        }
    }

    @Test func `states are lines with their times, and as JSON`() async throws {
        try await withVerbDesk { desk in
            let sample: JSONValue = ["on": true, "t": 21.5, "_created": 1000]
            let answers = [Self.line: VerbDesk.Answer(200, ["results": [sample]])]
            try await desk.withDaemon(answers) {
                let end = try await desk.run(["history", "v-1", "--to", "1970-01-02"])
                #expect(end.status == 0)
                #expect(
                    end.output == "ts,state\n1970-01-01T00:00:01.000Z,\"{\"\"on\"\":true,\"\"t\"\":21.5}\"\n"
                )
                #expect(desk.sent == [.init(Self.line, ["from": "0", "to": "86400000"])])
                let json = try await desk.run(["history", "v-1", "--to", "1970-01-02", "--json"])
                #expect(json.output == "{\"_created\":1000,\"on\":true,\"t\":21.5}\n")
            }
        }
    }

    @Test func `older states that are gone are a warning`() async throws {
        try await withVerbDesk { desk in
            let answer: JSONValue = ["results": [], "truncated_before": 3_600_000]
            try await desk.withDaemon([Self.line: .init(200, answer)]) {
                let words = ["history", "v-1", "--to", "1970-01-02", "--from"]
                let end = try await desk.run(words + ["1970-01-01"])
                #expect(end.status == 0)
                #expect(end.output.contains("warning: what was reported before 1970-01-01T01:00:00Z"))
                let later = try await desk.run(words + ["1970-01-01T02:00:00Z"])
                #expect(later.output == "ts,state\n")
            }
        }
    }

    @Test
    func `a thing without a history is refused, and what is wrong by itself before the daemon is asked`()
        async throws
    {
        try await withVerbDesk { desk in
            let refused = VerbDesk.Answer.refused(409, "history_not_available", "thing v-1 has no history")
            try await desk.withDaemon([
                "GET bindings/v-1": .init(200, ["vendor": "v-1"]), Self.line: refused,
            ]) {
                let end = try await desk.run(["history", "v-1", "--group"])
                #expect(end.status == 1 && end.output.contains("thing v-1 has no history"))
            }
            let sent = desk.sent.count
            for (words, status) in [
                (["--agg", "mean:t"], 64), (["--group", "--agg", "middle:t"], 65),
                (["--from", "yesterday"], 65),
                (["--from", "1970-01-03", "--to", "1970-01-02"], 65),
            ] as [([String], Int32)] {
                #expect(try await desk.run(["history", "v-1"] + words).status == status, "\(words)")
            }
            #expect(desk.sent.count == sent)
        }
    }
}
