import Flare
import JSON
import Rules
import SeededRandom
import Testing
import Text

/// Schedules with times of the sun.
struct SunScheduleTests {
    private static let berlin = GeoPoint(latitude: 52.52, longitude: 13.405)
    private static let tromso = GeoPoint(latitude: 69.65, longitude: 18.96)

    private static func at(_ text: String) -> Int64 { TestZones.at(text) }

    private static func sun(_ event: SunEvent, _ date: String, _ place: GeoPoint = berlin) -> Int64? {
        CivilDate(date).flatMap { Sun.instant(of: event, on: $0, in: TestZones.berlin, at: place) }
    }

    private static func next(_ members: JSONObject, after start: String, _ place: GeoPoint? = berlin) throws
        -> Occurrence?
    {
        try Schedule(members, at: "").next(after: at(start), in: TestZones.berlin, at: place)
    }

    @Test func `a night from sunset to sunrise ends on the next day`() throws {
        let run = try Self.next(
            ["startTimeEachDay": "sunset", "endTimeEachDay": "sunrise"],
            after: "2026-06-20T12:00:00Z"
        )
        #expect(run?.start == Self.sun(.sunset, "2026-06-20"))
        #expect(run?.end == Self.sun(.sunrise, "2026-06-21"))
    }

    @Test func `an offset moves a time of the sun`() throws {
        let run = try Self.next(
            ["startTimeEachDay": "sunset-01:00:00", "endTimeEachDay": "23:30:00"],
            after: "2026-06-20T12:00:00Z"
        )
        #expect(run?.start == Self.sun(.sunset, "2026-06-20").map { $0 - 3_600_000 })
        #expect(run?.end == Self.at("2026-06-20T21:30:00Z"))
    }

    @Test func `the narrower of a clock and the sun counts`() throws {
        let run = try Self.next(
            ["startTimeEachDay": "12:00:00", "endTimeEachDay": "sunset", "timeBeforeEnd": "00:10:00"],
            after: "2026-06-20T00:00:00Z"
        )
        #expect(run?.start == Self.sun(.sunset, "2026-06-20").map { $0 - 600_000 })
        #expect(run?.end == Self.sun(.sunset, "2026-06-20"))
    }

    @Test func `a run that starts before midnight because of its end is of that day`() throws {
        // 2026-06-22 is a Monday.
        let run = try Self.next(
            ["endTimeEachDay": "sunrise", "timeBeforeEnd": "06:00:00", "daysOfWeek": [2]],
            after: "2026-06-20T00:00:00Z"
        )
        #expect(run?.end == Self.sun(.sunrise, "2026-06-23"))
        #expect(run?.start == Self.sun(.sunrise, "2026-06-23").map { $0 - 6 * 3_600_000 })
    }

    @Test func `runs repeat from sunrise until sunset`() throws {
        let schedule = try Schedule(
            ["startTimeEachDay": "sunrise", "endTimeEachDay": "sunset", "interval": 3600, "duration": 60],
            at: ""
        )
        let sunrise = try #require(Self.sun(.sunrise, "2026-12-21"))
        let sunset = try #require(Self.sun(.sunset, "2026-12-21"))
        var starts: [Int64] = []
        var instant = sunrise - 1
        while let run = schedule.next(after: instant, in: TestZones.berlin, at: Self.berlin),
            run.start < sunset
        {
            starts.append(run.start)
            instant = run.start
        }
        #expect(starts == (0..<8).map { sunrise + $0 * 3_600_000 })
        #expect(
            schedule.latest(through: sunset + 3_600_000, in: TestZones.berlin, at: Self.berlin)?.start
                == starts.last
        )
    }

    @Test func `a day without sunrise has no run`() throws {
        let members: JSONObject = ["startTimeEachDay": "sunrise"]
        let run = try #require(try Self.next(members, after: "2026-12-01T00:00:00Z", Self.tromso))
        let date = TestZones.berlin.local(at: run.start).date
        #expect(date > CivilDate(dayNumber: 20_820) && date.year == 2027 && date.month == 1)
        let latest = try Schedule(members, at: "")
            .latest(through: Self.at("2026-12-20T00:00:00Z"), in: TestZones.berlin, at: Self.tromso)
        #expect(latest.map { TestZones.berlin.local(at: $0.start).date.month } == 11)
    }

    @Test func `a place where the sun never rises on the days has no run`() throws {
        let pole = GeoPoint(latitude: 90, longitude: 0)
        #expect(try Self.next(["startTimeEachDay": "sunrise"], after: "2026-01-01T00:00:00Z", pole) == nil)
        let members: JSONObject = ["startTimeEachDay": "sunrise", "monthsOfYear": [12], "daysOfMonth": [21]]
        #expect(try Self.next(members, after: "2026-01-01T00:00:00Z", Self.tromso) == nil)
        #expect(try Schedule(members, at: "").latest(through: 0, in: .utc, at: Self.tromso) == nil)
    }

    @Test func `without a place there is no run`() throws {
        let schedule = try Schedule(["startTimeEachDay": "sunrise", "endTimeEachDay": "12:00:00"], at: "")
        #expect(schedule.needsPlace)
        #expect(schedule.next(after: 0, in: .utc) == nil)
        #expect(schedule.latest(through: 0, in: .utc) == nil)
        #expect(schedule.occurrence(containing: 0, in: .utc) == nil)
    }

    /// A time of the day, and its instant on a date.
    private static func instant(_ time: DayTime, _ day: Int, _ zone: ZoneTable, _ place: GeoPoint) -> Int64? {
        let date = CivilDate(dayNumber: day)
        switch time {
        case .clock(let time): return zone.instant(of: date, time)
        case .sun(let event, let offset):
            return Sun.instant(of: event, on: date, in: zone, at: place).map { $0 + Int64(offset) * 1000 }
        }
    }

    @Test(arguments: 0..<4)
    func `runs with the sun equal a naive calculation`(_ seed: Int) throws {
        var random = SplitMix64(seed: UInt64(seed))
        let zone = TestZones.berlin
        let times = [
            "sunrise", "sunset", "sunset+03:00:00", "sunrise-05:00:00", "sunset-23:00:00", "sunrise+20:00:00",
            "21:00:00",
            "04:00:00", "00:00:00",
        ]
        for _ in 0..<40 {
            let place = GeoPoint(latitude: Double(random.number(below: 134)) - 67, longitude: 13)
            guard let start = times.randomElement(using: &random).flatMap({ DayTime($0) }),
                let end = times.randomElement(using: &random).flatMap({ DayTime($0) })
            else { continue }
            let members: JSONObject = [
                "startTimeEachDay": .string(start.description), "endTimeEachDay": .string(end.description),
            ]
            let schedule = try Schedule(members, at: "")
            let first = 20_500 + random.number(below: 365)
            var runs: [Occurrence] = []
            for day in first..<first + 24 {
                guard let begin = Self.instant(start, day, zone, place) else { continue }
                let ends = (day..<day + 5).map { Self.instant(end, $0, zone, place) }
                guard let last = ends.first(where: { ($0 ?? .max) > begin }) ?? nil else { continue }
                runs.append(Occurrence(start: begin, end: last))
            }
            runs.sort { $0.start < $1.start }
            for _ in 0..<20 {
                let instant = (Int64(first + 7) * 86_400 + Int64(random.number(below: 8 * 86_400))) * 1000
                if let next = runs.first(where: { $0.start > instant }) {
                    #expect(schedule.next(after: instant, in: zone, at: place) == next, "\(members) \(place)")
                }
                if let latest = runs.last(where: { $0.start <= instant }) {
                    #expect(
                        schedule.latest(through: instant, in: zone, at: place) == latest,
                        "\(members) \(place)"
                    )
                }
            }
        }
    }
}
