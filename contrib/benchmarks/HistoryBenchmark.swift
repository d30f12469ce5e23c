import Bindings
import Foundation
import History
import JSON
import People
import Positioning
import Threading

/// What a history costs, beside tables of SQLite that do the least possible.
///
/// A thousand things report three fields once a second. Both stores get the same states, 250 in a transaction, which are
/// those of a quarter of a second, and take turns.
struct HistoryBenchmark {
    let folder: String
    /// So much of a day.
    let seconds: Int

    private static let things = 1_000
    private static let statesOfTransaction = 250
    /// A multiple of every interval.
    private static let start: Int64 = 1_760_011_200_000
    private static let leastRate = 10_000.0

    func run() async throws {
        try await measureStoring()
        try await measureFilter()
        try await measureGroups()
    }

    private static func id(of thing: Int) -> BindingID { BindingID(high: 0x4265_6E63, low: UInt64(thing)) }

    private static func open(_ file: String, _ limits: HistoryLimits, _ now: Locked<Int64>) throws
        -> HistoryStore
    {
        try HistoryStore(
            file,
            limits,
            clock: { now.withLock { $0 } },
            report: { fatalError("the history reports \($0)") }
        )
    }

    // MARK: Storing

    /// What one of both has spent.
    private struct Account {
        var time = Duration.zero
        /// Bytes.
        var written = 0

        /// Adds what some work costs.
        mutating func add(_ work: () async throws -> Void) async rethrows {
            let (bytes, begun) = (DiskUse.written, ContinuousClock.now)
            try await work()
            time += ContinuousClock.now - begun
            written += DiskUse.written - bytes
        }
    }

    private var history: String { "\(folder)/history.db" }
    private var table: String { "\(folder)/bare.db" }

    private func measureStoring() async throws {
        let now = Locked(Self.start)
        let store = try Self.open(history, HistoryLimits(), now)
        var bare: BareHistory? = try BareHistory(file: table)
        var (ours, floor) = (Account(), Account())
        var reports = Reports(things: Self.things)
        for second in 0..<seconds {
            for first in stride(from: 0, to: Self.things, by: Self.statesOfTransaction) {
                let at = Self.start + Int64(second * 1000 + first)
                let states = (first..<first + Self.statesOfTransaction).map { thing in
                    (thing: thing, state: reports.next(of: thing))
                }
                let entries = states.map {
                    BareHistory.Entry(thing: $0.thing, at: at, state: JSONValue.object($0.state).bytes)
                }
                now.withLock { $0 = at }
                await ours.add {
                    for (thing, state) in states {
                        store.record([Sample(state, at: at)], of: Self.id(of: thing), .minute)
                    }
                    await store.flush()
                }
                try await floor.add { try bare?.append(entries) }
            }
        }
        precondition(store.droppedSamples == 0, "states were dropped")
        // What the end of each writes belongs to it.
        await ours.add { await store.close() }
        await floor.add { bare = nil }

        let states = Double(seconds * Self.things)
        let what = "of 1,000 things with three fields, \(seconds) s of a day"
        Row.print(
            "states stored, \(what)",
            unit: "/s",
            floor: states / (floor.time / .seconds(1)),
            ours: states / (ours.time / .seconds(1)),
            atLeast: Self.leastRate
        )
        for (verb, floor, ours, aim) in [
            ("written", floor.written, ours.written, 1.5),
            ("kept", DiskUse.kept(of: table), DiskUse.kept(of: history), 0.5),
        ] {
            Row.print(
                "bytes \(verb) for a state, \(what)",
                unit: "B",
                floor: Double(floor) / states,
                ours: Double(ours) / states,
                atMost: aim
            )
        }
    }

    // MARK: Filtered

    private static let temperature = 21.0

    /// What a clause costs that sums cannot answer, over the last 59 minutes at most.
    private func measureFilter() async throws {
        let end = Self.start + Int64(seconds) * 1000 - 1
        let times = max(Self.start, end - 59 * GroupInterval.minute.milliseconds)...end
        let query = try HistoryQuery(
            .and([.time(times), .range("temperature", StateClause.NumberRange(from: Self.temperature))]),
            isGrouped: true,
            aggregations: [try Aggregation(argument: "count:temperature")]
        )
        let store = try Self.open(history, HistoryLimits(), Locked(end))
        let bare = try BareHistory(file: table)
        var (ours, floor) = ([Double](), [Double]())
        // A scan of the whole day takes a minute.
        let scans = seconds > 3600 ? 2 : 8
        // The first turn warms up and is not counted.
        for turn in 0...scans {
            for step in 0..<10 {
                let begun = ContinuousClock.now
                let answer = try await Self.answer(of: store, to: query, turn * 10 + step, .minute)
                let took = ContinuousClock.now - begun
                precondition(!answer.isEmpty, "the history has no answer")
                if turn > 0 { ours.append(took.nanoseconds) }
            }
            let begun = ContinuousClock.now
            let found = try bare.count(of: turn, times, from: Self.temperature)
            let took = ContinuousClock.now - begun
            if turn > 0 { floor.append(took.nanoseconds) }
            let rows = try await store.filled(HistoryAnswer(to: query, of: .minute), of: Self.id(of: turn))
                .rows
            let counted = rows.reduce(0) { $0 + $1.count }
            precondition(counted == found, "of thing \(turn) \(counted) states are found, not \(found)")
        }
        await store.close()
        Row(
            "a thing's states filtered by a field, against a scan of the table",
            floor: floor.median,
            ours: ours.median,
            aim: 1.5
        ).print()
    }

    /// The JSON of an answer, as bytes.
    private static func answer(
        of store: HistoryStore,
        to query: HistoryQuery,
        _ thing: Int,
        _ interval: GroupInterval
    ) async throws -> [UInt8] {
        let empty = try HistoryAnswer(to: query, of: interval)
        return JSONValue.object(try await store.json(empty, of: id(of: thing))).bytes
    }

    // MARK: Groups

    private static let groups = 60
    private static let groupsAsked = 59
    private static let rounds = 40

    /// Every fifth thing has the same interval, and its states are so far apart that each group has two.
    private static func interval(of thing: Int) -> GroupInterval {
        GroupInterval.allCases[thing % GroupInterval.allCases.count]
    }

    private func measureGroups() async throws {
        var limits = HistoryLimits()
        limits.rawDays = limits.groupDays
        let now = Locked(Self.start + Int64(Self.groups) * GroupInterval.halfDay.milliseconds)
        let file = "\(folder)/groups.db"
        var store = try Self.open(file, limits, now)
        let bare = try BareHistory(file: "\(folder)/sums.db")
        try await fill(store, bare)
        // All sums are stored then.
        await store.close()
        store = try Self.open(file, limits, now)
        // What is due is packed first, step by step.
        try await Task.sleep(for: .seconds(3))
        var (ours, floor) = ([GroupInterval: [Double]](), [Double]())
        for round in 0...Self.rounds {
            // Other things each time.
            for thing in (0..<GroupInterval.allCases.count).map({ (round * 35 + $0) % Self.things }) {
                let interval = Self.interval(of: thing)
                let times = Self.start...(Self.start + Int64(Self.groupsAsked) * interval.milliseconds - 1)
                let query = try HistoryQuery(
                    .time(times),
                    isGrouped: true,
                    aggregations: [try Aggregation(argument: "mean:temperature")]
                )
                var begun = ContinuousClock.now
                let answer = try await Self.answer(of: store, to: query, thing, interval)
                let took = ContinuousClock.now - begun
                begun = ContinuousClock.now
                let found = try bare.groups(of: thing, times)
                let bareTook = ContinuousClock.now - begun
                let groups = try JSONValue(parsing: answer)["groupedResults"]?.array?.count
                precondition(groups == Self.groupsAsked && found == Self.groupsAsked, "groups are missing")
                guard round > 0 else { continue }
                ours[interval, default: []].append(took.nanoseconds)
                floor.append(bareTook.nanoseconds)
            }
        }
        await store.close()
        for interval in GroupInterval.allCases {
            Row(
                "59 groups of \(interval.rawValue) with a mean, 95 %",
                floor: floor.share(0.95),
                ours: (ours[interval] ?? []).share(0.95),
                limit: Duration.milliseconds(50).nanoseconds
            ).print()
        }
        Row(
            "59 groups with a mean, median, against a query of a table of sums",
            floor: floor.median,
            ours: ours.values.flatMap(\.self).median,
            aim: 2
        ).print()
    }

    private func fill(_ store: HistoryStore, _ bare: BareHistory) async throws {
        var reports = Reports(things: Self.things)
        for group in 0..<Self.groups {
            var sums = (0..<Self.things).map { thing in
                let start = Self.start + Int64(group) * Self.interval(of: thing).milliseconds
                return BareHistory.Sums(thing: thing, start: start, count: 0, total: 0)
            }
            for half in 0..<2 {
                for thing in 0..<Self.things {
                    let interval = Self.interval(of: thing)
                    let at = sums[thing].start + Int64(half) * interval.milliseconds / 2
                    let state = reports.next(of: thing)
                    sums[thing].count += 1
                    sums[thing].total += state["temperature"]?.number ?? 0
                    store.record([Sample(state, at: at)], of: Self.id(of: thing), interval)
                }
                await store.flush()
            }
            try bare.add(sums)
        }
    }
}

/// What things report: a temperature and a humidity that drift by tenths, and a flag.
private struct Reports {
    private var values: [(temperature: Int, humidity: Int)]
    private var generator = SeededGenerator(seed: 30)

    init(things: Int) {
        values = (0..<things).map { (temperature: 180 + $0 % 60, humidity: 400 + $0 % 200) }
    }

    mutating func next(of thing: Int) -> JSONObject {
        values[thing].temperature += Int.random(in: -1...1, using: &generator)
        values[thing].humidity += Int.random(in: -2...2, using: &generator)
        let (temperature, humidity) = values[thing]
        return [
            "temperature": .number(Double(temperature) / 10), "humidity": .number(Double(humidity) / 10),
            "on": .bool(temperature % 2 == 0),
        ]
    }
}

/// What this process writes, and what is kept of it.
private enum DiskUse {
    /// Bytes that were written so far, whether they have reached the disk or not.
    static var written: Int {
        let lines =
            (try? String(contentsOfFile: "/proc/self/io", encoding: .utf8))?.split(separator: "\n") ?? []
        let line = lines.first { $0.hasPrefix("wchar: ") }
        guard let bytes = line.flatMap({ Int($0.dropFirst("wchar: ".count)) }) else {
            fatalError("/proc/self/io does not say what was written")
        }
        return bytes
    }

    /// Bytes of a database with its log.
    static func kept(of file: String) -> Int {
        ["", "-wal"].reduce(0) { sum, suffix in
            let attributes = try? FileManager.default.attributesOfItem(atPath: file + suffix)
            return sum + ((attributes?[.size] as? NSNumber)?.intValue ?? 0)
        }
    }
}
