import Rules
import SeededRandom
import Testing

struct CivilDateTests {
    @Test(arguments: ["2026-03-29", "2024-02-29", "2000-02-29", "0001-01-01", "9999-12-31", "1969-12-31"])
    func `a date is written as it was read`(_ text: String) {
        #expect(CivilDate(text)?.description == text)
    }

    @Test(arguments: [
        "2026-02-29", "1900-02-29", "2026-04-31", "2026-13-01", "2026-00-01", "2026-01-00", "0000-01-01",
        "26-01-01",
        "2026-1-01", "2026-01-01T00:00:00Z", " 2026-01-01", "2026/01/01", "", "10000-01-01", "2026-01-0１",
    ])
    func `a date that does not exist or is written otherwise is no date`(_ text: String) {
        #expect(CivilDate(text) == nil)
    }

    @Test func `1970 began on a Thursday and 2000 on a Saturday`() {
        #expect(CivilDate("1970-01-01")?.weekday == 5)
        #expect(CivilDate("2000-01-01")?.weekday == 7)
        #expect(CivilDate("2026-11-27")?.weekday == 6)
        #expect(CivilDate("0001-01-01")?.weekday == 2)
    }

    @Test func `each day number is the day after the one before`() {
        var before = CivilDate(dayNumber: -720_000)
        #expect(before == CivilDate("0001-01-01"))
        for number in Array(stride(from: -719_161, to: -900, by: 97)) + Array(-900...900)
            + Array(stride(from: 901, through: 2_932_896, by: 97))
        {
            let date = CivilDate(dayNumber: number)
            #expect(date.dayNumber == number)
            #expect(before < date)
            before = date
        }
        #expect(CivilDate(dayNumber: .max) == CivilDate("9999-12-31"))
    }

    @Test func `a day follows the last day of its month`() {
        var date = CivilDate(dayNumber: 10_000)
        for number in 10_001..<12_000 {
            let next = CivilDate(dayNumber: number)
            if date.day < date.daysOfMonth {
                #expect(next == CivilDate(year: date.year, month: date.month, day: date.day + 1))
            } else {
                #expect(next.day == 1)
                #expect(next.month == date.month % 12 + 1)
            }
            #expect(next.weekday == date.weekday % 7 + 1)
            date = next
        }
    }

    @Test(arguments: ["00:00:00", "08:30:00", "23:59:59"])
    func `a time of day is written as it was read`(_ text: String) {
        #expect(TimeOfDay(text)?.description == text)
    }

    @Test(arguments: [
        "24:00:00", "08:60:00", "08:00:60", "8:00:00", "08:00", "", "08:00:00 ", "-8:00:00", "08.00.00",
    ])
    func `another text is no time of day`(_ text: String) {
        #expect(TimeOfDay(text) == nil)
        #expect(DayTime(text) == nil)
    }

    @Test(arguments: [
        ("08:00:00", "08:00:00"), ("sunrise", "sunrise"), ("sunset-00:30:00", "sunset-00:30:00"),
        ("sunrise+23:59:59", "sunrise+23:59:59"), ("sunset+00:00:00", "sunset"),
    ])
    func `a time may be that of the sun`(_ text: String, _ written: String) {
        #expect(DayTime(text)?.description == written)
    }

    @Test(arguments: [
        "sunrise+", "sunrise00:30:00", "sunset+24:00:00", "sunset +00:30:00", "Sunrise", "noon", "sun",
    ])
    func `other words are no time of the sun`(_ text: String) {
        #expect(DayTime(text) == nil)
    }
}
