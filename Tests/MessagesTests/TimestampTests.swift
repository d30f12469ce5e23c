import Controller
import Messages
import Testing
import Text

struct TimestampTests {
    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (1_795_256_333_456, "2026-11-21T10:18:53.456Z"), (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (4_107_542_399_999, "2100-02-28T23:59:59.999Z"), (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (-2_208_988_800_000, "1900-01-01T00:00:00.000Z"),
            (-62_135_596_800_000, "0001-01-01T00:00:00.000Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
        ] as [(Int64, String)]
    )
    func `a moment is written as RFC 3339 with milliseconds`(milliseconds: Int64, text: String) {
        #expect(Instant(wallMilliseconds: milliseconds, steadyMilliseconds: 0).timestamp == text)
    }

    @Test(arguments: [(Int64.min, "0001-01-01T00:00:00.000Z"), (Int64.max, "9999-12-31T23:59:59.999Z")])
    func `a moment outside the years of four digits is moved to the border`(milliseconds: Int64, text: String)
    {
        #expect(CivilTime(milliseconds: milliseconds).description == text)
    }

    @Test func `days follow each other through four centuries`() {
        var previous = CivilTime(milliseconds: -1).description
        for day in 0..<146_097 {
            let text = CivilTime(milliseconds: Int64(day) * 86_400_000).description
            #expect(text > previous && text.hasSuffix("T00:00:00.000Z"))
            previous = text
        }
        #expect(previous == "2369-12-31T00:00:00.000Z")
    }
}
