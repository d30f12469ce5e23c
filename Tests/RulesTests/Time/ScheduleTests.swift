import Flare
import JSON
import Rules
import SeededRandom
import Testing
import Text

struct ScheduleTests {
    private static func at(_ text: String) -> Int64 { TestZones.at(text) }

    /// The next runs after an instant, as local times: start, and end after a slash.
    private static func runs(
        _ members: JSONObject,
        after start: String,
        in zone: ZoneTable,
        at place: GeoPoint? = nil,
        count: Int = 1
    ) throws -> [String] {
        let schedule = try Schedule(members, at: "")
        var instant = at(start)
        var runs: [String] = []
        while runs.count < count, let run = schedule.next(after: instant, in: zone, at: place) {
            let end = run.end.map { "/\(zone.local(at: $0))" } ?? ""
            runs.append("\(zone.local(at: run.start))\(end)")
            instant = run.start
        }
        return runs
    }

    // MARK: Changes of clocks

    @Test func `a range whose start is skipped starts at the end of the gap`() throws {
        let members: JSONObject = ["startTimeEachDay": "02:30:00", "endTimeEachDay": "04:00:00"]
        #expect(
            try Self.runs(members, after: "2026-03-28T12:00:00Z", in: TestZones.berlin)
                == ["2026-03-29T03:00:00+02:00/2026-03-29T04:00:00+02:00"]
        )
    }

    @Test func `a range whose start comes twice starts the first time`() throws {
        let members: JSONObject = ["startTimeEachDay": "02:30:00", "endTimeEachDay": "04:00:00"]
        #expect(
            try Self.runs(members, after: "2026-10-24T12:00:00Z", in: TestZones.berlin, count: 2) == [
                "2026-10-25T02:30:00+02:00/2026-10-25T04:00:00+01:00",
                "2026-10-26T02:30:00+01:00/2026-10-26T04:00:00+01:00",
            ]
        )
    }

    @Test func `a range within the gap starts and ends at the end of the gap`() throws {
        let members: JSONObject = ["startTimeEachDay": "02:10:00", "endTimeEachDay": "02:50:00"]
        #expect(
            try Self.runs(members, after: "2026-03-28T12:00:00Z", in: TestZones.berlin)
                == ["2026-03-29T03:00:00+02:00/2026-03-29T03:00:00+02:00"]
        )
        let schedule = try Schedule(members, at: "")
        #expect(schedule.occurrence(containing: Self.at("2026-03-29T01:00:00Z"), in: TestZones.berlin) == nil)
    }

    @Test func `a duration follows real time`() throws {
        let members: JSONObject = ["startTimeEachDay": "01:30:00", "duration": 3600]
        #expect(
            try Self.runs(members, after: "2026-03-28T12:00:00Z", in: TestZones.berlin)
                == ["2026-03-29T01:30:00+01:00/2026-03-29T03:30:00+02:00"]
        )
    }

    @Test func `an interval follows real time`() throws {
        let members: JSONObject = [
            "startTimeEachDay": "01:00:00", "endTimeEachDay": "03:30:00", "interval": 3600, "duration": 60,
        ]
        #expect(
            try Self.runs(members, after: "2026-10-24T12:00:00Z", in: TestZones.berlin, count: 4).map {
                $0.prefix(25)
            }
                == [
                    "2026-10-25T01:00:00+02:00", "2026-10-25T02:00:00+02:00", "2026-10-25T02:00:00+01:00",
                    "2026-10-25T03:00:00+01:00",
                ]
        )
    }

    @Test func `a day that clocks skip has its runs at the next midnight`() throws {
        let members: JSONObject = ["startTimeEachDay": "08:00:00"]
        #expect(
            try Self.runs(members, after: "2011-12-29T12:00:00Z", in: TestZones.apia, count: 3) == [
                "2011-12-29T08:00:00-10:00", "2011-12-31T00:00:00+14:00", "2011-12-31T08:00:00+14:00",
            ]
        )
    }

    @Test func `of a skipped day and the next midnight the run that lasts is kept`() throws {
        let members: JSONObject = ["startTimeEachDay": "00:00:00", "endTimeEachDay": "06:00:00"]
        #expect(
            try Self.runs(members, after: "2011-12-29T12:00:00Z", in: TestZones.apia, count: 2) == [
                "2011-12-31T00:00:00+14:00/2011-12-31T06:00:00+14:00",
                "2012-01-01T00:00:00+14:00/2012-01-01T06:00:00+14:00",
            ]
        )
    }

    // MARK: Ranges

    @Test func `a night ends on the next day`() throws {
        let members: JSONObject = [
            "startTimeEachDay": "22:00:00", "endTimeEachDay": "06:00:00", "daysOfWeek": [6],
            "endDate": "2026-11-27",
        ]
        #expect(
            try Self.runs(members, after: "2026-11-21T00:00:00Z", in: .utc, count: 2)
                == ["2026-11-27T22:00:00+00:00/2026-11-28T06:00:00+00:00"]
        )
        let schedule = try Schedule(members, at: "")
        let night = Occurrence(start: Self.at("2026-11-27T22:00:00Z"), end: Self.at("2026-11-28T06:00:00Z"))
        for time in ["2026-11-27T22:00:00Z", "2026-11-28T00:00:00Z", "2026-11-28T05:59:59Z"] {
            #expect(schedule.occurrence(containing: Self.at(time), in: .utc) == night)
        }
        for time in ["2026-11-27T21:59:59Z", "2026-11-28T06:00:00Z", "2026-11-28T23:00:00Z"] {
            #expect(schedule.occurrence(containing: Self.at(time), in: .utc) == nil)
        }
    }

    @Test func `an end at the time of the start is a day later`() throws {
        let members: JSONObject = ["startTimeEachDay": "08:00:00", "endTimeEachDay": "08:00:00"]
        #expect(
            try Self.runs(members, after: "2026-01-01T00:00:00Z", in: .utc)
                == ["2026-01-01T08:00:00+00:00/2026-01-02T08:00:00+00:00"]
        )
    }

    @Test(
        arguments: [
            (["startTimeEachDay": "08:00:00", "duration": 600], "08:00/08:10"),
            (["startTimeEachDay": "08:00:00", "endTimeEachDay": "09:00:00", "duration": 600], "08:00/08:10"),
            (
                ["startTimeEachDay": "08:00:00", "endTimeEachDay": "09:00:00", "duration": 7200],
                "08:00/09:00"
            ),
            (["endTimeEachDay": "09:00:00", "timeBeforeEnd": "00:30:00"], "08:30/09:00"),
            (["endTimeEachDay": "09:00:00", "timeBeforeEnd": "00:30:00", "duration": 60], "08:30/08:31"),
            (
                ["startTimeEachDay": "08:00:00", "endTimeEachDay": "09:00:00", "timeBeforeEnd": "00:30:00"],
                "08:30/09:00"
            ),
            (
                ["startTimeEachDay": "08:00:00", "endTimeEachDay": "09:00:00", "timeBeforeEnd": "02:00:00"],
                "08:00/09:00"
            ),
        ] as [(JSONObject, String)]
    )
    func `of two ways to say the start or the end the narrower counts`(_ members: JSONObject, _ range: String)
        throws
    {
        let runs = try Self.runs(members, after: "2026-01-01T00:00:00Z", in: .utc)
        let times = runs.first?.split(separator: "/").map { $0.dropFirst(11).prefix(5) }
        #expect(times?.joined(separator: "/") == range)
    }

    @Test func `a start before midnight is of the day before the end`() throws {
        let members: JSONObject = [
            "endTimeEachDay": "00:30:00", "timeBeforeEnd": "01:00:00", "daysOfWeek": [2],
        ]
        // 2026-11-23 is a Monday.
        #expect(
            try Self.runs(members, after: "2026-11-21T00:00:00Z", in: .utc)
                == ["2026-11-23T23:30:00+00:00/2026-11-24T00:30:00+00:00"]
        )
    }

    // MARK: Repeated runs

    @Test func `repeated runs start until the end of the range`() throws {
        let members: JSONObject = [
            "startTimeEachDay": "08:00:00", "endTimeEachDay": "09:00:00", "interval": 1200, "duration": 900,
        ]
        #expect(
            try Self.runs(members, after: "2026-01-01T00:00:00Z", in: .utc, count: 4) == [
                "2026-01-01T08:00:00+00:00/2026-01-01T08:15:00+00:00",
                "2026-01-01T08:20:00+00:00/2026-01-01T08:35:00+00:00",
                "2026-01-01T08:40:00+00:00/2026-01-01T08:55:00+00:00",
                "2026-01-02T08:00:00+00:00/2026-01-02T08:15:00+00:00",
            ]
        )
    }

    @Test func `the last repeated run ends with the range`() throws {
        let members: JSONObject = [
            "startTimeEachDay": "08:00:00", "endTimeEachDay": "08:30:00", "interval": 1200, "duration": 900,
        ]
        #expect(
            try Self.runs(members, after: "2026-01-01T08:00:00Z", in: .utc)
                == ["2026-01-01T08:20:00+00:00/2026-01-01T08:30:00+00:00"]
        )
    }

    @Test func `repeated runs without an end start until midnight`() throws {
        let members: JSONObject = ["startTimeEachDay": "20:00:00", "interval": 7200]
        #expect(
            try Self.runs(members, after: "2026-01-01T00:00:00Z", in: .utc, count: 3) == [
                "2026-01-01T20:00:00+00:00", "2026-01-01T22:00:00+00:00", "2026-01-02T20:00:00+00:00",
            ]
        )
        let schedule = try Schedule(members, at: "")
        #expect(!schedule.hasEnd)
        #expect(
            schedule.latest(through: Self.at("2026-01-02T19:00:00Z"), in: .utc)?.start
                == Self.at("2026-01-01T22:00:00Z")
        )
    }

    // MARK: Days

    @Test(
        arguments: [
            (["daysOfMonth": [32]], ["2026-01-31", "2026-02-28", "2026-03-31"]),
            (["daysOfMonth": [31], "monthsOfYear": [2, 3, 4]], ["2026-03-31", "2027-03-31"]),
            (["daysOfMonth": [29], "monthsOfYear": [2]], ["2028-02-29", "2032-02-29"]),
            (["daysOfMonth": [29], "monthsOfYear": [2], "daysOfWeek": [2]], ["2044-02-29", "2072-02-29"]),
            (["daysOfWeek": [2], "dayOccurOfMonth": [1]], ["2026-01-05", "2026-02-02", "2026-03-02"]),
            (["daysOfWeek": [1], "dayOccurOfMonth": [5]], ["2026-03-29", "2026-05-31"]),
            (["daysOfWeek": [1], "dayOccurOfMonth": [6]], ["2026-01-25", "2026-02-22"]),
            (
                ["daysOfWeek": [1, 7], "dayOccurOfMonth": [1]],
                ["2026-01-03", "2026-01-04", "2026-02-01", "2026-02-07"]
            ),
            (["daysOfWeek": [6], "daysOfMonth": [13]], ["2026-02-13", "2026-03-13", "2026-11-13"]),
            (["startDate": "2026-05-01", "endDate": "2026-05-02"], ["2026-05-01", "2026-05-02"]),
            (["startDate": "2500-01-01", "daysOfMonth": [31]], ["2500-01-31"]),
        ] as [(JSONObject, [String])]
    )
    func `all lists of days must fit`(_ lists: JSONObject, _ expected: [String]) throws {
        var members = lists
        members["startTimeEachDay"] = "12:00:00"
        let runs = try Self.runs(members, after: "2026-01-01T12:00:00Z", in: .utc, count: expected.count)
        #expect(runs.map { String($0.prefix(10)) } == expected)
    }

    @Test func `a schedule that is over has no next run, and a last one`() throws {
        let schedule = try Schedule(["startTimeEachDay": "12:00:00", "endDate": "2020-02-29"], at: "")
        #expect(schedule.next(after: Self.at("2026-01-01T00:00:00Z"), in: .utc) == nil)
        let latest = schedule.latest(through: Self.at("2026-01-01T00:00:00Z"), in: .utc)
        #expect(latest?.start == Self.at("2020-02-29T12:00:00Z"))
        let since = Self.at("2025-12-31T23:00:00Z")
        #expect(schedule.latest(through: Self.at("2026-01-01T00:00:00Z"), since: since, in: .utc) == nil)
    }

    @Test func `instants at the ends of time find what there is`() throws {
        let schedule = try Schedule(["startTimeEachDay": "12:00:00"], at: "")
        for zone in [ZoneTable.utc, TestZones.apia] {
            #expect(schedule.next(after: .max, in: zone) == nil)
            #expect(schedule.next(after: .min, in: zone) != nil)
            #expect(schedule.latest(through: .max, in: zone) != nil)
            #expect(schedule.occurrence(containing: .min, in: zone) == nil)
        }
    }

    @Test func `a schedule in UTC does not follow the zone`() throws {
        let schedule = try Schedule(
            ["startTimeEachDay": "12:00:00", "utc": true, "timeZone": "Asia/Tokyo"],
            at: ""
        )
        let next = schedule.next(after: Self.at("2026-07-01T00:00:00Z"), in: TestZones.berlin)
        #expect(next?.start == Self.at("2026-07-01T12:00:00Z"))
    }
}
