import JSON
import Testing

/// What devices report is read as far as it is JSON, and numbers as far as they are meant.
struct JSONReportTests {
    @Test(arguments: ["NaN", "nan", "-nan", "Infinity", "-inf", "+INF", "1e999", "-1e999", "null"])
    func `a number that is none is null`(_ word: String) throws {
        let value = try JSONValue(parsingReport: #"{"a":[\#(word), 1],"b":\#(word),"c":"NaN"}"#.utf8)
        #expect(value == ["a": [.null, 1], "b": .null, "c": "NaN"])
        guard word != "null" else { return }
        #expect(throws: JSONError.self) { try JSONValue(parsing: "[\(word)]") }
    }

    @Test func `bytes that are not UTF-8 are replaced`() throws {
        let bytes = Array(#"{"ssid":"caf"#.utf8) + [0xE9] + Array(#"","rssi":-60}"#.utf8)
        #expect(try JSONValue(parsingReport: bytes) == ["ssid": "caf\u{FFFD}", "rssi": -60])
        #expect(throws: JSONError.self) { try JSONValue(parsing: bytes) }
    }

    @Test(arguments: ["", "nano", "nul", "{NaN:1}", "-", "+1", "[1", "infinit", "nan(1)", "on"])
    func `everything else must be JSON`(_ text: String) {
        #expect(throws: JSONError.self) { try JSONValue(parsingReport: text.utf8) }
    }

    @Test(
        arguments: [
            (12.5, 12.5), ("12.5", 12.5), (" -3 ", -3), ("1e3", 1000), ("", nil), ("0x10", nil), ("nan", nil),
            ("1e999", nil), ("12 %", nil), (true, nil), ([1], nil), (.null, nil), ("\"1\"", nil),
        ] as [(JSONValue, Double?)]
    )
    func `a number may be a text`(_ value: JSONValue, _ number: Double?) {
        #expect(value.statedNumber == number)
    }
}
