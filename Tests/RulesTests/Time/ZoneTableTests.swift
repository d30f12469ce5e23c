import Rules
import SeededRandom
import Testing
import Text

struct ZoneTableTests {
    private static func at(_ text: String) -> Int64 { TestZones.at(text) }

    /// The instant of a local time such as `2026-03-29T02:30:00`, and what the clock shows then.
    private static func shown(_ text: String, in zone: ZoneTable) -> String? {
        guard let date = CivilDate(String(text.prefix(10))), let time = TimeOfDay(text.suffix(8)) else {
            return nil
        }
        return zone.local(at: zone.instant(of: date, time)).description
    }

    @Test(arguments: [
        ("2026-03-29T00:59:59Z", "2026-03-29T01:59:59+01:00"),
        ("2026-03-29T01:00:00Z", "2026-03-29T03:00:00+02:00"),
        ("2026-10-25T00:59:59Z", "2026-10-25T02:59:59+02:00"),
        ("2026-10-25T01:00:00Z", "2026-10-25T02:00:00+01:00"),
        ("1970-01-01T00:00:00Z", "1970-01-01T01:00:00+01:00"),
        ("1969-12-31T12:00:00Z", "1969-12-31T13:00:00+01:00"),
        ("2099-07-01T00:00:00Z", "2099-07-01T01:00:00+01:00"),
    ])
    func `an instant has a local time and an offset`(_ instant: String, _ local: String) {
        #expect(TestZones.berlin.local(at: Self.at(instant)).description == local)
    }

    @Test(arguments: [
        ("2026-03-29T01:59:59", "2026-03-29T01:59:59+01:00"),
        ("2026-03-29T02:00:00", "2026-03-29T03:00:00+02:00"),
        ("2026-03-29T02:30:00", "2026-03-29T03:00:00+02:00"),
        ("2026-03-29T03:00:00", "2026-03-29T03:00:00+02:00"),
        ("2026-10-25T02:00:00", "2026-10-25T02:00:00+02:00"),
        ("2026-10-25T02:30:00", "2026-10-25T02:30:00+02:00"),
        ("2026-10-25T03:00:00", "2026-10-25T03:00:00+01:00"),
    ])
    func `a skipped time is the end of the gap, and of two the first is meant`(
        _ local: String,
        _ shown: String
    ) {
        #expect(Self.shown(local, in: TestZones.berlin) == shown)
    }

    @Test func `a day that does not exist is the midnight after it`() {
        #expect(Self.shown("2011-12-29T23:00:00", in: TestZones.apia) == "2011-12-29T23:00:00-10:00")
        #expect(Self.shown("2011-12-30T08:00:00", in: TestZones.apia) == "2011-12-31T00:00:00+14:00")
        #expect(Self.shown("2011-12-31T00:00:00", in: TestZones.apia) == "2011-12-31T00:00:00+14:00")
    }

    @Test func `a midnight that does not exist is one o'clock`() {
        #expect(Self.shown("2026-09-06T00:00:00", in: TestZones.santiago) == "2026-09-06T01:00:00-03:00")
        #expect(Self.shown("2026-03-08T00:30:00", in: TestZones.havana) == "2026-03-08T01:00:00-04:00")
    }

    @Test func `half an hour of daylight saving time is a gap of half an hour`() {
        #expect(Self.shown("2026-10-04T02:10:00", in: TestZones.lordHowe) == "2026-10-04T02:30:00+11:00")
        #expect(Self.shown("2026-04-05T01:45:00", in: TestZones.lordHowe) == "2026-04-05T01:45:00+11:00")
    }

    @Test func `a local time that exists is that of its instant`() {
        var random = SplitMix64(seed: 1)
        for (name, zone, changes) in TestZones.all {
            for change in changes {
                for _ in 0..<500 {
                    let instant = change + Int64(random.number(below: 400_000) - 200_000) * 1000
                    let local = zone.local(at: instant)
                    let first = zone.instant(of: local.date, local.time)
                    #expect(first <= instant, "\(name)")
                    let again = zone.local(at: first)
                    #expect(again.date == local.date && again.time == local.time, "\(name)")
                }
            }
        }
    }

    @Test func `a later local time never has an earlier instant`() {
        for (name, zone, changes) in TestZones.all {
            for change in changes {
                let start = zone.local(at: change - 3 * 86_400_000).date.dayNumber
                var before = Int64.min
                for minute in stride(from: 0, to: 7 * 1440, by: 7) {
                    let date = CivilDate(dayNumber: start + minute / 1440)
                    guard let time = TimeOfDay(seconds: minute % 1440 * 60) else { continue }
                    let instant = zone.instant(of: date, time)
                    #expect(instant >= before, "\(name)")
                    before = instant
                }
            }
        }
    }

    @Test func `a table is refused if its times do not rise or its offsets are not legal`() {
        let change = ZoneTable.Transition(instant: 1000, offset: 3600)
        #expect(ZoneTable(firstOffset: 0, transitions: [change]) != nil)
        #expect(ZoneTable(firstOffset: 0, transitions: [change, change]) == nil)
        #expect(ZoneTable(firstOffset: 0, transitions: [.init(instant: 0, offset: 93_600)]) == nil)
        #expect(ZoneTable(firstOffset: 0, transitions: [.init(instant: .max, offset: 0)]) == nil)
        #expect(ZoneTable(offset: -90_000) == nil)
        #expect(ZoneTable(offset: 19_800)?.local(at: 0).description == "1970-01-01T05:30:00+05:30")
    }

    @Test func `instants beyond the calendar are moved to its border`() {
        #expect(ZoneTable.utc.local(at: .max).description == "9999-12-31T23:59:59+00:00")
        #expect(ZoneTable.utc.local(at: .min).description == "0001-01-01T00:00:00+00:00")
        #expect(TestZones.apia.offset(at: .max) == 46_800)
        #expect(TestZones.apia.offset(at: .min) == -36_000)
    }
}
