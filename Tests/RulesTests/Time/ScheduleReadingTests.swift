import JSON
import Rules
import SeededRandom
import Testing
import Things

struct ScheduleReadingTests {
    private static func refusal(_ members: JSONObject) -> Refusal? {
        do throws(Refusal) {
            _ = try Schedule(members, at: "when[0]")
            return nil
        } catch {
            return error
        }
    }

    @Test func `a schedule is written as it was read`() throws {
        let members: JSONObject = [
            "startDate": "2026-01-01", "endDate": "2026-12-31", "monthsOfYear": [1, 12],
            "daysOfMonth": [1, 32],
            "daysOfWeek": [1, 2, 7], "dayOccurOfMonth": [1, 6], "startTimeEachDay": "sunset-00:30:00",
            "endTimeEachDay": "23:00:00", "timeBeforeEnd": "01:00:00", "duration": 600, "interval": 600,
            "utc": true, "timeZone": "America/Argentina/Buenos_Aires",
        ]
        let schedule = try Schedule(members, at: "")
        #expect(schedule.members == members)
        #expect(members.keys.sorted() == Schedule.memberNames.sorted())
        #expect(try Schedule(schedule.members, at: "") == schedule)
    }

    @Test func `members of others are ignored, and null counts as absent`() throws {
        let schedule = try Schedule(
            [
                "startTimeEachDay": "08:00:00", "on": "schedule", "missed": "run", "endDate": .null,
                "utc": false,
            ],
            at: ""
        )
        #expect(schedule.members == ["startTimeEachDay": "08:00:00"])
    }

    @Test(
        arguments: [
            (["startDate": "2026-02-29"], "startDate", "yyyy-mm-dd"),
            (["startDate": "2026-02-02", "endDate": "2026-02-01"], "endDate", "2026-02-02"),
            (["monthsOfYear": []], "monthsOfYear", "1 to 12 numbers"),
            (["monthsOfYear": [13]], "monthsOfYear[0]", "from 1 to 12"),
            (["daysOfMonth": [1, 0]], "daysOfMonth[1]", "from 1 to 32"),
            (["daysOfMonth": [33]], "daysOfMonth[0]", "from 1 to 32"),
            (["daysOfWeek": [0]], "daysOfWeek[0]", "from 1 to 7"),
            (["daysOfWeek": [1.5]], "daysOfWeek[0]", "whole number"),
            (["dayOccurOfMonth": [7]], "dayOccurOfMonth[0]", "from 1 to 6"),
            (["startTimeEachDay": "24:00:00"], "startTimeEachDay", "sunrise"),
            (["startTimeEachDay": "dawn"], "startTimeEachDay", "HH:mm:ss"),
            (["startTimeEachDay": .null], "startTimeEachDay", "is missing"),
            (["timeBeforeEnd": "01:00:00"], "endTimeEachDay", "timeBeforeEnd needs it"),
            (["timeBeforeEnd": "00:00:00", "endTimeEachDay": "12:00:00"], "timeBeforeEnd", "00:00:01"),
            (["duration": 0], "duration", "from 1"),
            (["duration": 1e300], "duration", "from 1"),
            (["interval": 60, "duration": 61], "interval", "at least duration"),
            (["interval": -1], "interval", "from 1"),
            (["timeZone": ""], "timeZone", "Europe/Berlin"),
            (["timeZone": "../../etc/passwd"], "timeZone", "Europe/Berlin"),
            (["timeZone": "/etc/localtime"], "timeZone", "Europe/Berlin"),
            (["daysOfMonth": [30], "monthsOfYear": [2]], "daysOfMonth", "never occurs"),
            (["daysOfMonth": [8], "dayOccurOfMonth": [1]], "daysOfMonth", "never occurs"),
            (
                ["startDate": "2026-11-27", "endDate": "2026-11-27", "daysOfWeek": [1]], "daysOfWeek",
                "never occurs"
            ),
            (
                ["startDate": "2026-11-27", "endDate": "2026-12-27", "monthsOfYear": [1]], "monthsOfYear",
                "never occurs"
            ),
        ] as [(JSONObject, String, String)]
    )
    func `a member that is not legal is refused by its path`(
        _ given: JSONObject,
        _ name: String,
        _ reason: String
    ) {
        let complete: JSONObject = ["startTimeEachDay": "08:00:00"]
        let members = complete.merging(given) { _, given in given }
        let refusal = Self.refusal(members)
        #expect(refusal?.code == .invalidValue)
        #expect(refusal?.field == "when[0].\(name)")
        #expect(refusal?.message.hasPrefix("when[0].\(name) ") == true)
        #expect(refusal?.message.contains(reason) == true, "\(refusal?.message ?? "")")
    }

    @Test(
        arguments: [
            ("startDate", 5), ("monthsOfYear", 5), ("startTimeEachDay", 8), ("timeBeforeEnd", true),
            ("duration", "60"),
            ("utc", "true"), ("timeZone", 1),
        ] as [(String, JSONValue)]
    )
    func `a member of another type is refused`(_ name: String, _ value: JSONValue) {
        var members: JSONObject = ["startTimeEachDay": "08:00:00"]
        members[name] = value
        #expect(Self.refusal(members)?.code == .wrongType)
        #expect(Self.refusal(members)?.field == "when[0].\(name)")
    }

    @Test func `a long list is refused`() {
        let list = JSONValue.array([JSONValue](repeating: 1, count: 10_000))
        #expect(Self.refusal(["startTimeEachDay": "08:00:00", "daysOfMonth": list])?.code == .invalidValue)
    }

    @Test(
        arguments: [
            (["startTimeEachDay": "08:00:00"], false),
            (["startTimeEachDay": "08:00:00", "duration": 1], true),
            (["startTimeEachDay": "08:00:00", "endTimeEachDay": "09:00:00"], true),
            (["startTimeEachDay": "08:00:00", "endTimeEachDay": "09:00:00", "interval": 60], false),
            (["startTimeEachDay": "08:00:00", "interval": 60, "duration": 60], true),
        ] as [(JSONObject, Bool)]
    )
    func `a run has an end by the range, and repeated runs by their duration`(
        _ members: JSONObject,
        _ hasEnd: Bool
    ) throws {
        let schedule = try Schedule(members, at: "")
        #expect(schedule.hasEnd == hasEnd)
        #expect((schedule.next(after: 0, in: .utc)?.end != nil) == hasEnd)
    }

    @Test func `random members never trap`() {
        var random = SplitMix64(seed: 9)
        let values: [JSONValue] = [
            .null, true, 0, 1, 32, -1, 1e300, .numeral("99999999999999999999"), "", "08:00:00",
            "sunset+23:59:59",
            "2026-02-28", "9999-12-31", "0001-01-01", [], [1], [32], [6, 7], [1e9], ["1"], [:], "UTC", 86_400,
        ]
        for _ in 0..<Fuzz.count / 20 {
            var members: JSONObject = ["startTimeEachDay": "sunrise"]
            for _ in 0..<random.number(below: 6) {
                members[random.pick(Schedule.memberNames, else: "")] = random.pick(values, else: .null)
            }
            guard let schedule = try? Schedule(members, at: "") else { continue }
            let instant = Int64(bitPattern: random.next()) >> Int64(random.number(below: 40))
            let zone = random.pick(TestZones.all.map(\.zone), else: .utc)
            let place = random.chance(2) ? GeoPlaces.random(&random) : nil
            if let next = schedule.next(after: instant, in: zone, at: place) {
                #expect(next.start > instant)
                #expect(next.end ?? next.start >= next.start)
                #expect(schedule.latest(through: next.start, in: zone, at: place)?.start == next.start)
            }
            _ = schedule.occurrence(containing: instant, in: zone, at: place)
        }
    }
}
