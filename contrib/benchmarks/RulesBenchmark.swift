import Flare
import JSON
import Positioning
import Rules

/// What the engine of rules costs, without a daemon.
struct RulesBenchmark {
    private let zone: ZoneTable
    private let calendar: RuleCalendar

    /// 1 June 2026, and a year of 365 days.
    private static let start: Int64 = 1_780_272_000_000
    private static let day: Int64 = 86_400_000
    private static let days: Int64 = 365
    private static let place = GeoPoint(latitude: 52.5, longitude: 13.4)

    init() {
        guard let zone = ZoneTable(rule: "CET-1CEST,M3.5.0,M10.5.0/3", in: 2020...2100) else {
            fatalError("the time zone is not legal")
        }
        self.zone = zone
        calendar = RuleCalendar(zone, place: Self.place)
    }

    func run() throws {
        try measureYears()
        try measureNext()
        try measureWrites()
    }

    // MARK: A year

    private static let years = 3
    private static let longestYear = Duration.seconds(3).nanoseconds

    private func measureYears() throws {
        let daily = try year(of: "daily schedules") { number in
            ["on": "schedule", "startTimeEachDay": .string(Self.clock(number))]
        }
        Row.print(daily.what, daily.nanoseconds, aim: Self.longestYear)
        let sun = try year(of: "daily schedules that follow the sun") { number in
            let minutes = number % 60
            return [
                "on": "schedule",
                "startTimeEachDay": .string("sunset-00:\(minutes < 10 ? "0" : "")\(minutes):00"),
            ]
        }
        Row(sun.what, floor: daily.nanoseconds, ours: sun.nanoseconds).print()
    }

    /// A time of day for each rule.
    private static func clock(_ number: Int) -> String { BenchmarkRules.clock(number * 7919 % 86_400) }

    /// The median of some runs.
    private func year(
        of name: String,
        _ trigger: (Int) -> JSONValue
    ) throws -> (what: String, nanoseconds: Double) {
        var rules: [(slug: String, rule: Rule)] = []
        for number in 0..<BenchmarkRules.most {
            let json: JSONValue = [
                "title": "Benchmark", "when": .array([trigger(number)]), "then": [["publish": 1]],
            ]
            rules.append((slug: "rule-\(number)", rule: try RuleReader().read(json, as: .rule).rule))
        }
        let simulation = try RuleSimulation(rules, in: calendar)
        var (times, rows) = ([Double](), 0)
        for _ in 0..<Self.years {
            let begun = ContinuousClock.now
            rows = try simulation.rows(from: Self.start, until: Self.start + Self.days * Self.day).count
            times.append((ContinuousClock.now - begun).nanoseconds)
        }
        let expected = BenchmarkRules.most * Int(Self.days)
        precondition(abs(rows - expected) <= expected / 100, "\(rows) firings in place of \(expected)")
        return ("a simulated year of \(rules.count) \(name), \(rows) firings", times.median)
    }

    // MARK: The next time

    private static let schedules = 4_000
    private static let repeats = 5

    private func measureNext() throws {
        var generator = SeededGenerator(seed: 31)
        var (clocks, suns, crons) = ([Double](), [Double](), [Double]())
        for _ in 0..<Self.schedules {
            let isSun = Int.random(in: 0..<2, using: &generator) == 0
            let members = Self.schedule(isSun: isSun, &generator)
            // Some have no occurrence at all.
            guard let schedule = try? Schedule(members, at: "") else { continue }
            let after = Self.instant(&generator)
            let took = Self.time { schedule.next(after: after, in: zone, at: Self.place) != nil }
            if isSun { suns.append(took) } else { clocks.append(took) }
        }
        let texts = [
            "* * * * *", "*/5 * * * *", "0 8 * * 1-5", "0 0 29 2 1", "0 0 13 * 5", "59 23 31 * *",
            "0 0 29 2 *",
        ]
        for text in texts {
            let cron = try CronExpression(text, at: "")
            for _ in 0..<100 {
                let after = Self.instant(&generator)
                crons.append(Self.time { cron.next(after: after, in: zone) != nil })
            }
        }
        for (name, times) in [
            ("schedule", clocks), ("schedule that follows the sun", suns), ("cron expression", crons),
        ] {
            Row.print("the next time of a \(name), median", times.median)
            Row.print("the same, 99 %", times.share(0.99))
        }
    }

    /// Nanoseconds of one call.
    private static func time(_ work: () -> Bool) -> Double {
        // The first one warms up.
        var found = work() ? 1 : 0
        let begun = ContinuousClock.now
        for _ in 0..<repeats where work() { found += 1 }
        let took = (ContinuousClock.now - begun).nanoseconds / Double(repeats)
        precondition(found == 0 || found == repeats + 1, "the next time is not the same again")
        return took
    }

    private static func instant(_ generator: inout SeededGenerator) -> Int64 {
        start + Int64.random(in: 0..<days * day / 1000, using: &generator) * 1000
    }

    /// With some of what a schedule may have.
    private static func schedule(isSun: Bool, _ generator: inout SeededGenerator) -> JSONObject {
        let suns = ["sunrise", "sunset", "sunset-00:30:00", "sunrise+01:00:00"]
        var members: JSONObject = [:]
        let beginning =
            isSun ? suns[Int.random(in: 0..<4, using: &generator)] : clock(pick(86_400, &generator))
        members["startTimeEachDay"] = .string(beginning)
        if pick(2, &generator) == 0 { members["endTimeEachDay"] = .string(clock(pick(86_400, &generator))) }
        if pick(4, &generator) == 0 { members["monthsOfYear"] = [JSONValue(1 + pick(12, &generator))] }
        if pick(4, &generator) == 0 { members["daysOfMonth"] = [JSONValue(1 + pick(32, &generator))] }
        if pick(3, &generator) == 0 { members["daysOfWeek"] = [JSONValue(1 + pick(7, &generator))] }
        if pick(6, &generator) == 0 { members["dayOccurOfMonth"] = [JSONValue(1 + pick(6, &generator))] }
        if pick(5, &generator) == 0 { members["interval"] = JSONValue(60 + pick(7200, &generator)) }
        return members
    }

    private static func pick(_ count: Int, _ generator: inout SeededGenerator) -> Int {
        Int.random(in: 0..<count, using: &generator)
    }

    // MARK: Changes of things

    private static let rounds = 100
    private static let writesOfRound = 2_000

    /// Engines with few and with many rules, by turns.
    private func measureWrites() throws {
        let now = RuleInstant(wall: Self.start, steady: 0)
        let before: JSONObject = ["brightness": 0.25, "color": "orange", "on": true]
        let after: JSONObject = ["brightness": 0.3, "color": "orange", "on": true]
        var place = SimulatedPlace()
        for lamp in 0..<BenchmarkRules.most { place.set(after, of: BenchmarkPlace.thing(lamp)) }
        var engines: [RuleEngine] = []
        for count in [10, BenchmarkRules.most] {
            var engine = RuleEngine(RuleEngine.Configuration(), calendar, at: now)
            let rules = try BenchmarkRules(count: count).read(at: Self.start)
            let entries = rules.enumerated().map { RuleEntry($0.offset + 1, $0.element.rule) }
            _ = engine.handle(.started(entries, memories: [:]), at: now, in: place)
            engines.append(engine)
        }
        // A rule looks at the second lamp of each group, none at the first.
        for (what, lamp) in [("one rule looks at", 1), ("no rule looks at", 0)] {
            let write = RuleWrite(
                BenchmarkPlace.thing(lamp),
                before: before,
                after: after,
                fields: ["brightness"]
            )
            var times: [[Double]] = [[], []]
            // The first round warms up and is not counted.
            for round in 0...Self.rounds {
                for index in engines.indices {
                    let begun = ContinuousClock.now
                    for _ in 0..<Self.writesOfRound {
                        let outputs = engines[index].handle(.written(write), at: now, in: place)
                        precondition(outputs.isEmpty, "a rule fired")
                    }
                    let took = (ContinuousClock.now - begun).nanoseconds / Double(Self.writesOfRound)
                    if round > 0 { times[index].append(took) }
                }
            }
            Row(
                "a change of a thing that \(what), in the engine, 1,000 rules against 10",
                floor: times[0].median,
                ours: times[1].median,
                aim: 1.2
            ).print()
        }
    }
}
