import JSON
import Rules
import SeededRandom
import Testing
import Text

/// Schedules against a calculation date by date and minute by minute, around changes of clocks.
struct ScheduleReferenceTests {
    /// Members of a random schedule; those that no schedule may have together are not filtered.
    private static func members(_ random: inout SplitMix64) -> JSONObject {
        var members = JSONObject()
        func time(_ random: inout SplitMix64) -> JSONValue {
            // Often near the hours at which clocks change.
            let hour =
                random.chance(2) ? [23, 0, 1, 2, 3][random.number(below: 5)] : random.number(below: 24)
            let seconds = hour * 3600 + random.number(below: 12) * 300 + (random.chance(4) ? 17 : 0)
            return .string(TimeOfDay(seconds: seconds)?.description ?? "")
        }
        func list(_ range: ClosedRange<Int>, _ random: inout SplitMix64) -> JSONValue {
            .array(
                (0...random.number(below: range.count)).map { _ in
                    JSONValue(range.lowerBound + random.number(below: range.count))
                }
            )
        }
        if !random.chance(6) { members["startTimeEachDay"] = time(&random) }
        if !random.chance(3) { members["endTimeEachDay"] = time(&random) }
        if random.chance(3) { members["timeBeforeEnd"] = time(&random) }
        if random.chance(3) { members["duration"] = JSONValue(1 + random.number(below: 20_000)) }
        if random.chance(3) { members["interval"] = JSONValue(600 + random.number(below: 20_000)) }
        if random.chance(3) { members["daysOfWeek"] = list(1...7, &random) }
        if random.chance(6) { members["daysOfMonth"] = list(1...32, &random) }
        if random.chance(8) { members["dayOccurOfMonth"] = list(1...6, &random) }
        if random.chance(8) { members["monthsOfYear"] = list(1...12, &random) }
        return members
    }

    @Test(arguments: TestZones.all.indices)
    func `runs around changes of clocks equal a naive calculation`(_ index: Int) throws {
        let (name, zone, changes) = TestZones.all[index]
        var random = SplitMix64(seed: UInt64(index))
        for change in changes {
            let clock = NaiveClock(zone, around: change, days: 16)
            let today = Int(change / 86_400_000)
            var count = 0
            while count < 40 {
                let members = Self.members(&random)
                guard let schedule = try? Schedule(members, at: "") else { continue }
                count += 1
                let runs = NaiveSchedule(members).runs(on: today - 13...today + 12, clock)
                for _ in 0..<12 {
                    let distance = random.number(below: 8 * 86_400) - 4 * 86_400
                    let instant =
                        random.chance(4)
                        ? runs.randomElement(using: &random)?.start ?? change
                        : change + Int64(distance) * 1000 + Int64(random.number(below: 3))
                    let comment = "\(name) \(JSONValue.object(members)) \(CivilTime(milliseconds: instant))"
                    guard abs(instant - change) < 9 * 86_400_000 else { continue }
                    if let next = runs.first(where: { $0.start > instant }) {
                        try #require(schedule.next(after: instant, in: zone) == next, "\(comment)")
                    }
                    let latest = runs.last { $0.start <= instant }
                    if let latest {
                        try #require(schedule.latest(through: instant, in: zone) == latest, "\(comment)")
                    }
                    let isWithin = latest?.end.map { instant < $0 } ?? false
                    try #require(
                        schedule.occurrence(containing: instant, in: zone) == (isWithin ? latest : nil),
                        "\(comment)"
                    )
                }
            }
        }
    }

    @Test func `days of any schedule equal a naive calculation over years`() throws {
        var random = SplitMix64(seed: 7)
        var count = 0
        while count < 30 {
            var members = Self.members(&random)
            for name in ["timeBeforeEnd", "duration", "interval", "endTimeEachDay"] { members[name] = nil }
            members["startTimeEachDay"] = "12:00:00"
            if random.chance(2) { members["daysOfMonth"] = [29, 32] }
            if random.chance(3) { members["monthsOfYear"] = [2, 6] }
            if random.chance(4) { members["startDate"] = "2026-01-15" }
            if random.chance(4) { members["endDate"] = "2027-02-28" }
            guard let schedule = try? Schedule(members, at: "") else { continue }
            count += 1
            let first = CivilDate("2025-06-01")?.dayNumber ?? 0
            let naive = NaiveSchedule(members)
            let days = (first..<first + 1200).filter { naive.fits(CivilDate(dayNumber: $0)) }
            let noons = days.map { Int64($0) * 86_400_000 + 43_200_000 }
            for _ in 0..<10 {
                let instant = Int64(first + random.number(below: 1200)) * 86_400_000 + 43_200_000
                if let next = noons.first(where: { $0 > instant }) {
                    #expect(schedule.next(after: instant, in: .utc)?.start == next, "\(members)")
                } else if let found = schedule.next(after: instant, in: .utc) {
                    #expect(found.start > Int64(first + 1199) * 86_400_000, "\(members)")
                }
                if let latest = noons.last(where: { $0 <= instant }) {
                    #expect(schedule.latest(through: instant, in: .utc)?.start == latest, "\(members)")
                } else if let found = schedule.latest(through: instant, in: .utc) {
                    #expect(found.start < Int64(first) * 86_400_000, "\(members)")
                }
            }
        }
    }
}
