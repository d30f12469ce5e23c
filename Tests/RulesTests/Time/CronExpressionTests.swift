import Rules
import SeededRandom
import Testing
import Text
import Things

struct CronExpressionTests {
    private static func refusal(_ text: String) -> Refusal? {
        do throws(Refusal) {
            _ = try CronExpression(text, at: "when[0].cron")
            return nil
        } catch {
            return error
        }
    }

    /// The next times after an instant, as local times.
    private static func times(_ text: String, after start: String, in zone: ZoneTable, count: Int) throws
        -> [String]
    {
        let cron = try CronExpression(text, at: "")
        var instant = TestZones.at(start)
        return (0..<count).compactMap { _ in
            guard let next = cron.next(after: instant, in: zone) else { return nil }
            instant = next
            return zone.local(at: next).description
        }
    }

    @Test(arguments: [
        ("30 8 * * *", ["2026-01-01T08:30", "2026-01-02T08:30"]),
        ("*/20 8-9 * * *", ["2026-01-01T08:00", "2026-01-01T08:20", "2026-01-01T08:40", "2026-01-01T09:00"]),
        ("0 0 1,15 * *", ["2026-01-15T00:00", "2026-02-01T00:00"]),
        ("0 12 * * MON-fri", ["2026-01-01T12:00", "2026-01-02T12:00", "2026-01-05T12:00"]),
        ("0 12 * * 0", ["2026-01-04T12:00", "2026-01-11T12:00"]),
        ("0 12 * * 7", ["2026-01-04T12:00", "2026-01-11T12:00"]),
        ("0 12 * * sat-sun", ["2026-01-03T12:00", "2026-01-04T12:00", "2026-01-10T12:00"]),
        ("0 12 * * 5-7", ["2026-01-02T12:00", "2026-01-03T12:00", "2026-01-04T12:00", "2026-01-09T12:00"]),
        ("5-10/5 1 * feb,DEC *", ["2026-02-01T01:05", "2026-02-01T01:10", "2026-02-02T01:05"]),
        ("0 0 13 * 5", ["2026-01-02T00:00", "2026-01-09T00:00", "2026-01-13T00:00", "2026-01-16T00:00"]),
        ("0 0 */2 * 5", ["2026-01-09T00:00", "2026-01-23T00:00"]),
        ("0 0 29 2 *", ["2028-02-29T00:00", "2032-02-29T00:00"]),
        ("  0\t0   31  *  * ", ["2026-01-31T00:00", "2026-03-31T00:00"]),
    ])
    func `an expression gives its times`(_ text: String, _ expected: [String]) throws {
        let times = try Self.times(text, after: "2026-01-01T00:00:00Z", in: .utc, count: expected.count)
        #expect(times.map { String($0.prefix(16)) } == expected)
    }

    @Test(arguments: [
        // Fixed times in the gap come once at its end.
        ("30 2 * * *", "2026-03-28T12:00:00Z", ["2026-03-29T03:00:00+02:00", "2026-03-30T02:30:00+02:00"]),
        ("*/10 2 * * *", "2026-03-29T00:00:00Z", ["2026-03-29T03:00:00+02:00", "2026-03-30T02:00:00+02:00"]),
        (
            "0,30 2,3 * * *", "2026-03-29T00:00:00Z",
            ["2026-03-29T03:00:00+02:00", "2026-03-29T03:30:00+02:00"]
        ),
        // Of two the first comes.
        ("30 2 * * *", "2026-10-24T12:00:00Z", ["2026-10-25T02:30:00+02:00", "2026-10-26T02:30:00+01:00"]),
        (
            "0,30 2-3 * * *", "2026-10-25T00:10:00Z",
            ["2026-10-25T02:30:00+02:00", "2026-10-25T03:00:00+01:00"]
        ),
        // With a star in the hours they follow real time.
        ("30 * * * *", "2026-03-29T00:00:00Z", ["2026-03-29T01:30:00+01:00", "2026-03-29T03:30:00+02:00"]),
        ("30 */2 * * *", "2026-03-29T00:00:00Z", ["2026-03-29T04:30:00+02:00", "2026-03-29T06:30:00+02:00"]),
        ("30 * * * *", "2026-10-25T00:00:00Z", ["2026-10-25T02:30:00+02:00", "2026-10-25T02:30:00+01:00"]),
        ("30 */2 * * *", "2026-10-25T00:00:00Z", ["2026-10-25T02:30:00+02:00", "2026-10-25T02:30:00+01:00"]),
    ])
    func `changes of clocks are as in cron`(_ text: String, _ start: String, _ expected: [String]) throws {
        #expect(try Self.times(text, after: start, in: TestZones.berlin, count: 2) == expected)
    }

    @Test func `a rare day is found on both sides of many changes`() throws {
        let zone = try #require(ZoneTable(rule: "CET-1CEST,M3.5.0,M10.5.0/3", in: 1980...2100))
        for text in ["0 * 29 2 *", "0 12 29 2 *"] {
            let cron = try CronExpression(text, at: "")
            let next = try #require(cron.next(after: TestZones.at("2096-03-01T00:00:00Z"), in: zone))
            #expect(zone.local(at: next).date == CivilDate("2104-02-29"))
            let latest = try #require(cron.latest(through: TestZones.at("2103-03-01T00:00:00Z"), in: zone))
            #expect(zone.local(at: latest).date == CivilDate("2096-02-29"))
        }
    }

    @Test func `instants at the ends of time find what there is`() throws {
        for text in ["0 * * * *", "0 0 * * *"] {
            let cron = try CronExpression(text, at: "")
            for zone in [ZoneTable.utc, TestZones.apia] {
                #expect(cron.next(after: .max, in: zone) == nil)
                #expect(cron.next(after: .min, in: zone) != nil)
                #expect(cron.latest(through: .max, in: zone) != nil)
            }
        }
    }

    @Test(arguments: [
        ("", "five fields"), ("* * * *", "five fields"), ("* * * * * *", "five fields"),
        ("@daily", "five fields"),
        ("60 * * * *", "minutes"), ("* 24 * * *", "hours"), ("* * 0 * *", "days of the month"),
        ("* * 32 * *", "days of the month"), ("* * * 13 *", "months"), ("* * * 0 *", "months"),
        ("* * * * 8", "days of the week"), ("* * * * mo", "days of the week"), ("* * * monday *", "months"),
        ("jan * * * *", "minutes"), ("5-1 * * * *", "minutes"), ("5/10 * * * *", "minutes"),
        ("*/0 * * * *", "minutes"),
        ("*/60 * * * *", "minutes"), ("1,,2 * * * *", "minutes"), (", * * * *", "minutes"),
        ("1- * * * *", "minutes"),
        ("-1 * * * *", "minutes"), ("+1 * * * *", "minutes"), ("** * * * *", "minutes"),
        ("*/2/2 * * * *", "minutes"),
        ("1-2-3 * * * *", "minutes"), ("001 * * * *", "minutes"), ("٣ * * * *", "minutes"),
        ("*-5 * * * *", "minutes"),
        ("0 0 30 2 *", "never comes"), ("0 0 31 2,4,6,9,11 *", "never comes"),
    ])
    func `what is not legal is refused by its field`(_ text: String, _ reason: String) {
        let refusal = Self.refusal(text)
        #expect(refusal?.code == .invalidValue)
        #expect(refusal?.field == "when[0].cron")
        #expect(refusal?.message.hasPrefix("when[0].cron ") == true)
        #expect(refusal?.message.contains(reason) == true, "\(refusal?.message ?? "")")
    }

    @Test func `ten thousand parts are refused`() {
        #expect(Self.refusal(String(repeating: "1,", count: 10_000) + "1 * * * *") != nil)
        #expect(Self.refusal(String(repeating: "1,", count: 100) + "1 * * * *") != nil)
        let minutes = (0...59).map(String.init).joined(separator: ",")
        #expect(Self.refusal("\(minutes) * * * *") == nil)
    }

    @Test func `random expressions never trap`() {
        var fuzz = Fuzz(
            seed: 6,
            corpus: [
                "*/5 1-4 1,15 jan-MAR sun", "0 0 29 2 1", "59 23 31 12 7", "0-59/7 */2 * * 5-7", "1 * * * *",
            ]
        )
        for _ in 0..<Fuzz.count / 2 {
            let text = String(decoding: fuzz.next(), as: UTF8.self)
            guard let cron = try? CronExpression(text, at: "") else { continue }
            let next = cron.next(after: 1_790_000_000_000, in: TestZones.berlin)
            #expect(next.flatMap { cron.latest(through: $0, in: TestZones.berlin) } == next)
            #expect((try? CronExpression(cron.text, at: "")) == cron)
        }
    }
}
