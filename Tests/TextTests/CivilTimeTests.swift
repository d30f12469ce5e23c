import SeededRandom
import Testing
import Text

struct CivilTimeTests {
    @Test(
        arguments: [
            ("1970-01-01", 0), ("2030-01-01", 1_893_456_000_000), ("2030-01-01T00:00:00Z", 1_893_456_000_000),
            ("2030-01-01T01:00:00+01:00", 1_893_456_000_000),
            ("2029-12-31T18:30:00-05:30", 1_893_456_000_000),
            ("2030-01-01T00:00:00.25Z", 1_893_456_000_250),
            ("2030-01-01T00:00:00.123456789Z", 1_893_456_000_123),
            ("2030-01-01T00:00:00.123456789012Z", 1_893_456_000_123),
            ("2000-02-29T23:59:59.999Z", 951_868_799_999), ("0001-01-01", -62_135_596_800_000),
            ("9999-12-31T23:59:59.999Z", 253_402_300_799_999), ("1969-12-31T23:59:59.999Z", -1),
        ] as [(String, Int64)]
    )
    func `dates and RFC 3339 times are read`(text: String, milliseconds: Int64) {
        #expect(CivilTime(text)?.milliseconds == milliseconds)
    }

    @Test(
        arguments: [
            "", "2030", "2030-1-1", "2030-13-01", "2030-00-01", "2030-01-00", "2030-02-29", "1900-02-29",
            "0000-01-01",
            "2030-04-31", "2030-01-01T", "2030-01-01T00:00", "2030-01-01T00:00:00", "2030-01-01 00:00:00Z",
            "2030-01-01T24:00:00Z", "2030-01-01T00:60:00Z", "2030-01-01T00:00:60Z", "2030-01-01T00:00:00.Z",
            "2030-01-01T00:00:00+1:00", "2030-01-01T00:00:00+24:00",
            "2030-01-01T00:00:00+01:60", "2030-01-01T00:00:00ZZ", "2030-01-01Z", "0001-01-01T00:00:00+01:00",
            "9999-12-31T23:59:59-01:00", "tomorrow", "1893456000", "+2030-01-01", "２０３０-01-01",
            String(repeating: "2", count: 100_000),
        ]
    )
    func `other texts are not`(text: String) {
        #expect(CivilTime(text) == nil)
    }

    @Test func `what is written is read again`() {
        var random = SplitMix64(seed: 4)
        for _ in 0..<2000 {
            let time = CivilTime(
                milliseconds: Int64.random(in: -62_135_596_800_000...253_402_300_799_999, using: &random)
            )
            #expect(CivilTime(time.description) == time && CivilTime(time.shortText) == time)
        }
        #expect(CivilTime(milliseconds: 0).shortText == "1970-01-01T00:00:00Z")
        #expect(CivilTime(milliseconds: 0).description == "1970-01-01T00:00:00.000Z")
        #expect(CivilTime(milliseconds: .max).shortText == "9999-12-31T23:59:59.999Z")
    }
}
