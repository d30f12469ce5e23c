import JSON
import Rules

/// The runs of a schedule, worked out from its members date by date.
struct NaiveSchedule {
    private let members: JSONObject

    init(_ members: JSONObject) { self.members = members }

    private func list(_ name: String) -> [Int]? { members[name]?.array?.compactMap(\.integer) }

    private func seconds(_ name: String) -> Int64? {
        let parts = members[name]?.string?.split(separator: ":").compactMap { Int64($0) }
        return parts.map { $0.reduce(0) { $0 * 60 + $1 } }
    }

    func fits(_ date: CivilDate) -> Bool {
        if let first = members["startDate"]?.string, date.description < first { return false }
        if let last = members["endDate"]?.string, date.description > last { return false }
        if let months = list("monthsOfYear"), !months.contains(date.month) { return false }
        if let days = list("daysOfMonth") {
            let isLast = CivilDate(dayNumber: date.dayNumber + 1).month != date.month
            guard days.contains(date.day) || isLast && days.contains(32) else { return false }
        }
        if let weekdays = list("daysOfWeek"), !weekdays.contains(date.weekday) { return false }
        guard let occurrences = list("dayOccurOfMonth") else { return true }
        var count = 1
        while CivilDate(dayNumber: date.dayNumber - 7 * count).month == date.month { count += 1 }
        let isLast = CivilDate(dayNumber: date.dayNumber + 7).month != date.month
        return occurrences.contains(count) || isLast && occurrences.contains(6)
    }

    /// The runs of some days, by start; of those with the same start the one that lasts longest.
    func runs(on days: ClosedRange<Int>, _ clock: NaiveClock) -> [Occurrence] {
        var runs: [Int64: Occurrence] = [:]
        for day in days where fits(CivilDate(dayNumber: day)) {
            for run in self.runs(on: day, clock) {
                if let other = runs[run.start], (other.end ?? 0) > (run.end ?? 0) { continue }
                runs[run.start] = run
            }
        }
        return runs.values.sorted { $0.start < $1.start }
    }

    private func runs(on day: Int, _ clock: NaiveClock) -> [Occurrence] {
        let midnight = Int64(day) * 86_400
        let before = seconds("timeBeforeEnd")
        let endTime = seconds("endTimeEachDay")
        var startTime = seconds("startTimeEachDay")
        if startTime == nil, let endTime, let before {
            startTime = endTime >= before ? endTime - before : endTime - before + 86_400
        }
        guard var startTime else { return [] }
        var end: Int64?
        if var endTime {
            if endTime <= startTime { endTime += 86_400 }
            if let before { startTime = max(startTime, endTime - before) }
            end = clock.instant(ofLocal: midnight + endTime)
        }
        guard let first = clock.instant(ofLocal: midnight + startTime),
            let limit = end ?? clock.instant(ofLocal: midnight + 86_400)
        else { return [] }
        let duration = members["duration"]?.integer.map { Int64($0) * 1000 }
        guard let interval = members["interval"]?.integer else {
            let ends = [end, duration.map { first + $0 }].compactMap(\.self)
            return [Occurrence(start: first, end: ends.min())]
        }
        var runs: [Occurrence] = []
        var start = first
        repeat {
            let byDuration = duration.map { start + $0 }
            runs.append(Occurrence(start: start, end: byDuration.map { min($0, end ?? $0) }))
            start += Int64(interval) * 1000
        } while start < limit
        return runs
    }
}
