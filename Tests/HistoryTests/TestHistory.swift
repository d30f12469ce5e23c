import Bindings
import Foundation
import History
import JSON
import People
import SeededRandom
import TestSupport
import Testing
import Threading

/// A store in a folder, with a clock that is moved by hand, beside a plain list of all that it got.
final class TestHistory {
    static let start: Int64 = 1_760_000_400_000
    static let things = (1...3).map { BindingID(high: 0, low: $0) }

    let path: String
    let clock = Locked(start)
    let events = Locked<[HistoryEvent]>([])
    private(set) var store: HistoryStore
    private(set) var list: [BindingID: [Sample]] = [:]
    let interval: GroupInterval

    init(
        _ path: String,
        interval: GroupInterval = .minute,
        _ limits: HistoryLimits = HistoryLimits()
    ) throws {
        (self.path, self.interval) = (path, interval)
        store = try Self.open(path, limits, clock, events)
    }

    private static func open(
        _ path: String,
        _ limits: HistoryLimits,
        _ clock: Locked<Int64>,
        _ events: Locked<[HistoryEvent]>
    ) throws -> HistoryStore {
        try HistoryStore(
            path,
            limits,
            pace: StoringPace(spacing: .zero),
            retry: .seconds(3600),
            clock: { clock.withLock { $0 } },
            report: { event in events.withLock { $0.append(event) } }
        )
    }

    func reopen(_ limits: HistoryLimits = HistoryLimits()) async throws {
        await store.close()
        store = try Self.open(path, limits, clock, events)
    }

    /// Moves the clock.
    func pass(_ milliseconds: Int64) { clock.withLock { $0 += milliseconds } }

    var reported: [HistoryEvent] { events.withLock { $0 } }

    func record(
        _ samples: [Sample],
        of thing: BindingID = things[0],
        stored: (@Sendable (Bool) -> Void)? = nil
    ) {
        list[thing, default: []] += samples
        store.record(samples, of: thing, interval, stored: stored)
    }

    func forget(_ thing: BindingID) { list[thing] = nil }

    func json(_ query: HistoryQuery, of thing: BindingID = things[0]) async throws -> JSONObject {
        try await store.json(try HistoryAnswer(to: query, of: interval), of: thing)
    }

    /// The answer as it is made from the list alone.
    func expected(_ query: HistoryQuery, of thing: BindingID = things[0]) throws -> JSONObject {
        try Self.answer(to: query, of: interval, from: list[thing] ?? [])
    }

    /// The answer as it is made from samples that are read one after the other.
    static func answer(
        to query: HistoryQuery,
        of interval: GroupInterval,
        from list: [Sample]
    ) throws -> JSONObject {
        var answer = try HistoryAnswer(to: query, of: interval)
        let samples = list.enumerated()
            .sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
            .map(\.element)
        for sample in samples { answer.add(sample.state, at: sample.at) }
        return answer.json { at, field, value in
            samples.first { $0.at == at && $0.state[field]?.isSameNumber(as: value) ?? false }?.state
        }
    }

    /// The files of the database, and those that were moved aside.
    var files: [String] {
        let folder = URL(filePath: path).deletingLastPathComponent().path
        return ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    }

    /// So many samples, a second apart.
    static func seconds(_ count: Int, from first: Int64 = start) -> [Sample] {
        (0..<count).map { number in
            let state: JSONObject = ["t": .number(Double(number % 80) / 8), "on": .bool(number % 3 == 0)]
            return Sample(state, at: first + Int64(number) * 1000)
        }
    }
}

/// Runs the body with a history in a folder of its own.
func withHistory<Result>(
    interval: GroupInterval = .minute,
    _ limits: HistoryLimits = HistoryLimits(),
    _ body: (TestHistory) async throws -> Result
) async throws -> Result {
    try await withTemporaryFolder { folder in
        let history = try TestHistory(folder.path("history.db"), interval: interval, limits)
        let result = try await body(history)
        await history.store.close()
        return result
    }
}

extension HistoryQuery {
    /// What is asked of each group.
    static func grouped(_ times: ClosedRange<Int64>, _ aggregations: [String], _ clause: StateClause = .all)
        throws -> HistoryQuery
    {
        try HistoryQuery(
            .and([.time(times), clause]),
            isGrouped: true,
            aggregations: try aggregations.map { try Aggregation(argument: $0) }
        )
    }
}

/// Random samples and queries, chosen so that they often meet.
struct RandomSamples {
    var random: SplitMix64

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    /// Within two hours; whole seconds, so that some are equal.
    mutating func time() -> Int64 { TestHistory.start + Int64(random.number(below: 7200)) * 1000 }

    mutating func times() -> ClosedRange<Int64> {
        let (one, other) = (time(), time() + Int64(random.number(below: 2)))
        return min(one, other)...max(one, other)
    }

    mutating func field() -> String {
        random.pick(["a", "b", "é", "e\u{301}", "zone", "a long name of it"], else: "a")
    }

    /// Numbers whose sums have no rounding.
    mutating func number() -> JSONValue {
        switch random.number(below: 10) {
        case 0: .numeral("9223372036854775807")
        case 1: .numeral("-12345678901234567890")
        case 2: .number(1.0 / 1024)
        default: .number(Double(random.number(below: 200) - 100) / (random.chance(2) ? 1 : 8))
        }
    }

    mutating func value() -> JSONValue {
        switch random.number(below: 12) {
        case 0: .null
        case 1: .bool(random.chance(2))
        case 2: .string("a \"text\"\n of two lines")
        case 3: [1, 2]
        case 4: ["x": 1]
        default: number()
        }
    }

    mutating func sample() -> Sample {
        var state = JSONObject()
        for _ in 0..<random.number(below: 6) { state[field()] = value() }
        return Sample(state, at: time())
    }

    mutating func samples(upTo count: Int) -> [Sample] {
        (0..<random.number(below: count + 1)).map { _ in sample() }
    }

    mutating func clause() -> StateClause {
        switch random.number(below: 5) {
        case 0: .equals(field(), number())
        case 1: .not(.equals(field(), number()))
        case 2: .range(field(), StateClause.NumberRange(from: -5, including: true))
        default: .all
        }
    }

    mutating func query() throws -> HistoryQuery {
        let times = times()
        switch random.number(below: 4) {
        case 0:
            let end = min(times.upperBound, times.lowerBound + 60 * 60_000 - 1)
            return try .grouped(
                times.lowerBound...end,
                ["mean:\(field())", "count:\(field())", "max:a", "min:b", "sum:zone"],
                random.chance(3) ? clause() : .all
            )
        case 1:
            return try HistoryQuery(.and([.time(times), clause()]), limit: 1 + random.number(below: 30))
        case 2: return try HistoryQuery(clause())
        default:
            let end = min(times.upperBound, times.lowerBound + 60 * 60_000 - 1)
            return try HistoryQuery(.and([.time(times.lowerBound...end), clause()]), isGrouped: true)
        }
    }
}
