import Testing

@testable import JSON

/// RFC 8259, by section.
struct JSONParserTests {
    private func problem(_ bytes: [UInt8], maximumDepth: Int = 64) -> JSONError? {
        do throws(JSONError) {
            _ = try JSONValue(parsing: bytes, maximumDepth: maximumDepth)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        arguments: [
            ("null", .null), ("true", true), ("false", false), ("0", 0), ("\"\"", ""), ("[]", []),
            ("{}", [:]),
            (" \t\r\n[ \t\r\n1 \t\r\n, \t\r\n2 \t\r\n] \t\r\n", [1, 2]),
            (" { \"a\" : { \"b\" : [ null , { } ] } } ", ["a": ["b": [.null, [:]]]]),
            ("[[],[[]]]", [[], [[]]]), ("[true,false,null,\"x\",-1.5]", [true, false, .null, "x", -1.5]),
        ] as [(String, JSONValue)]
    )
    func `values of every kind are read, with white space between all their parts`(
        text: String,
        value: JSONValue
    ) throws {
        #expect(try JSONValue(parsing: text) == value)
    }

    @Test(
        arguments: [
            ("0", 0), ("-0", 0), ("-0.0", 0), ("0.5", 0.5), ("10", 10), ("-17", -17), ("1e2", 100),
            ("1E2", 100),
            ("1e+2", 100), ("25e-2", 0.25), ("1.5E-0", 1.5), ("0e99", 0), ("1e-400", 0), ("1e308", 1e308),
            ("123456789012345e-15", 0.123456789012345), ("0.1e1", 1), ("4.9e-324", .leastNonzeroMagnitude),
            ("9007199254740992", 9_007_199_254_740_992), ("-9007199254740992", -9_007_199_254_740_992),
            ("1e0000000000000000001", 10),
        ] as [(String, Double)]
    )
    func `numbers are doubles`(text: String, number: Double) throws {
        #expect(try JSONValue(parsing: text) == .number(number))
    }

    @Test(arguments: [
        "9007199254740993", "-9007199254740993", "9007199254740994", "18446744073709551615",
        "123456789012345678901234567890", "-123456789012345678901234567890",
        String(repeating: "9", count: 300),
    ])
    func `a whole number beyond 2 to the 53rd keeps every digit`(digits: String) throws {
        let value = try JSONValue(parsing: digits)
        #expect(value == .numeral(digits))
        #expect(value.text == digits)
    }

    @Test(arguments: [
        "01", "-01", "00", "-", "+1", ".5", "1.", "-.5", "1.e1", "1e", "1e+", "1E-", "0x10", "1_000", "1,0",
        "NaN", "Infinity", "-Infinity", "- 1", "1 2", "١", "1.5.5", "1e5e5", "--1",
    ])
    func `an invalid JSON number is refused`(text: String) {
        #expect(problem(Array(text.utf8)) != nil)
    }

    @Test(arguments: [
        "1e309", "-1e309", "1e99999999999999999999", String(repeating: "9", count: 400), "0.1e400",
    ])
    func `a number beyond the range of doubles is refused`(text: String) {
        #expect(problem(Array(text.utf8))?.problem == "the number is too large")
    }

    @Test(arguments: [
        (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u0041\u00e4\u00E4""#, "Aää"),
        (#""\u0000""#, "\0"), (#""\u20aC""#, "€"), (#""\ud83d\ude00""#, "😀"), (#""\uD83D\uDE00x""#, "😀x"),
        (#""a\u005cb""#, "a\\b"), (#""\u0022""#, "\""), (#""😀ä/""#, "😀ä/"),
        ("\"\u{7F}\u{2028}\"", "\u{7F}\u{2028}"),
        (#""\udbff\udfff""#, "\u{10FFFF}"), (#""\ufeff""#, "\u{FEFF}"),
    ])
    func `escapes stand for their characters`(text: String, string: String) throws {
        let read = try #require(try JSONValue(parsing: text).string)
        #expect(Array(read.unicodeScalars) == Array(string.unicodeScalars))
    }

    @Test(arguments: [
        (#""\ud83d""#, "\u{FFFD}"), (#""\ude00""#, "\u{FFFD}"), (#""\ud83dx""#, "\u{FFFD}x"),
        (#""\ud83d\n""#, "\u{FFFD}\n"), (#""\ud83d\u0041""#, "\u{FFFD}A"),
        (#""\ude00\ud83d""#, "\u{FFFD}\u{FFFD}"),
        (#""\ud83d\ud83d\ude00""#, "\u{FFFD}😀"),
    ])
    func `a lone surrogate becomes the replacement character`(text: String, string: String) throws {
        #expect(try JSONValue(parsing: text) == .string(string))
    }

    @Test(arguments: [
        #""\x41""#, #""\u""#, #""\u12""#, #""\u123""#, #""\u123g""#, #""\u+123""#, #""\u 123""#, #""\u００４１""#,
        #""\a""#, #""\'""#, #""\""#, #""\ud83d\u""#, #""\ud83d\u12""#, "\"\\\n\"", "\"", "\"a", "\"a\\",
        "'a'",
    ])
    func `other escapes and open quotes are refused`(text: String) {
        #expect(problem(Array(text.utf8)) != nil)
    }

    @Test(arguments: UInt8(0)..<0x20)
    func `a control character in a text must be escaped`(byte: UInt8) {
        let quote = UInt8(ascii: "\"")
        let error = problem([quote, 0x61, byte, quote])
        #expect(error?.description == "a control character must be escaped at byte 2")
        // The same behind an escape, where the text is read another way.
        #expect(problem([quote, 0x5C, 0x6E, byte, quote])?.offset == 3)
    }

    @Test(arguments: ["\u{FEFF}{\"a\":1}", "\u{FEFF} {\"a\":1}\n"])
    func `a byte order mark at the beginning is skipped`(text: String) throws {
        #expect(try JSONValue(parsing: text) == ["a": 1])
    }

    @Test(arguments: [
        [0x80], [0xC3], [0xC3, 0x28], [0xC0, 0x80], [0xE2, 0x82], [0xED, 0xA0, 0x80],
        [0xF0, 0x82, 0x82, 0xAC],
        [0xF4, 0x90, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFF], [0xFE, 0xFF],
    ])
    func `a text that is not UTF-8 is refused, as value and as name`(invalid: [Int]) {
        let invalid = invalid.map { UInt8($0) }
        let quote: [UInt8] = [UInt8(ascii: "\"")]
        #expect(problem(quote + invalid + quote)?.problem == "a text that is not UTF-8")
        #expect(problem(quote + Array("\\n".utf8) + invalid + quote)?.problem == "a text that is not UTF-8")
        #expect(problem(Array("{\"".utf8) + invalid + Array("\":1}".utf8)) != nil)
        #expect(problem(invalid)?.description == "expected a value at byte 0")
    }

    @Test(
        arguments: [
            ("", 0, "the text ends before a value"),
            ("  ", 2, "the text ends before a value"),
            ("1 x", 2, "unexpected text after the value"), ("{} {}", 3, "unexpected text after the value"),
            ("null,", 4, "unexpected text after the value"), ("tru", 0, "expected a value"),
            ("True", 0, "expected a value"), ("nul1", 0, "expected a value"),
            ("\u{FEFF}\u{FEFF}1", 3, "expected a value"), (" \u{FEFF}1", 1, "expected a value"),
            ("\u{A0}1", 0, "expected a value"),
            ("[1,]", 3, "expected a value"), ("[,1]", 1, "expected a value"),
            ("[1 2]", 3, "expected a comma or ]"), ("[1", 2, "expected a comma or ]"),
            ("[1}", 2, "expected a comma or ]"), ("[", 1, "the text ends before a value"),
            ("{a:1}", 1, "expected a member name in quotes"),
            ("{1:1}", 1, "expected a member name in quotes"),
            ("{\"a\":1,}", 7, "expected a member name in quotes"),
            ("{", 1, "expected a member name in quotes"), ("{\"a\"}", 4, "expected a colon"),
            ("{\"a\" 1}", 5, "expected a colon"), ("{\"a\":}", 5, "expected a value"),
            ("{\"a\":1 \"b\":2}", 7, "expected a comma or }"),
            ("{\"a\":1]", 6, "expected a comma or }"),
            ("[\"ä\",?]", 6, "expected a value"), ("\"abc", 4, "a text without a closing quote"),
            ("[1.x]", 3, "expected a digit"), ("[-x]", 2, "expected a digit"),
            ("\"\\q\"", 2, "an unknown escape"), ("// a\n1", 0, "expected a value"),
        ] as [(String, Int, String)]
    )
    func `an error names its byte and what should be there`(text: String, offset: Int, what: String) {
        let error = problem(Array(text.utf8))
        #expect(error?.offset == offset)
        #expect(error?.description == "\(what) at byte \(offset)")
    }

    @Test func `of repeated members the last is used`() throws {
        #expect(try JSONValue(parsing: #"{"a":1,"b":2,"a":[3],"\u0061":4}"#) == ["a": 4, "b": 2])
    }

    @Test(arguments: [("[", "]"), ("{\"a\":", "}")])
    func `nesting ends at the limit`(open: String, close: String) {
        func nested(_ depth: Int) -> [UInt8] {
            Array((String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)).utf8)
        }
        #expect(problem(nested(64)) == nil)
        #expect(
            problem(nested(65))?.description == "nested deeper than 64 at byte \(64 * open.utf8.count)"
        )
        #expect(problem(nested(3), maximumDepth: 3) == nil)
        #expect(problem(nested(4), maximumDepth: 3)?.problem == "nested deeper than 3")
        #expect(problem(Array("1".utf8), maximumDepth: 0) == nil)
        #expect(problem(nested(100_000))?.problem == "nested deeper than 64")
    }

    @Test func `siblings do not count as nesting`() throws {
        let text = "[" + Array(repeating: "[[]]", count: 1000).joined(separator: ",") + "]"
        #expect(try JSONValue(parsing: Array(text.utf8), maximumDepth: 3).array?.count == 1000)
    }

    @Test func `non-contiguous bytes are parsed`() throws {
        let text = #"  {"a":[1,"ä"]}"#
        #expect(try JSONValue(parsing: Array(text.utf8).dropFirst(2)) == ["a": [1, "ä"]])
        #expect(try JSONValue(parsing: text.utf8.lazy.map { $0 }) == ["a": [1, "ä"]])
    }

    @Test(arguments: [
        #"{"a":1,"a":1}"#, #"{"a":1,"b":2,"a":3}"#, #"{"b":1,"a":2,"b":3}"#, #"[{"x":{"\u0061":1,"a":2}}]"#,
    ])
    func `an object with two members of one name is refused where that is asked for`(text: String) {
        let error = #expect(throws: JSONError.self) {
            try JSONValue(parsing: Array(text.utf8), refusesRepeats: true)
        }
        #expect(error?.problem == "an object with two members of one name")
        #expect(throws: Never.self) { try JSONValue(parsing: Array(text.utf8)) }
    }

    @Test(arguments: [
        #"{"b":1,"a":2}"#, #"[{"a":1},{"a":2}]"#, #"{"a":{"a":1}}"#, #"{"\u00e9":1,"e\u0301":2}"#, "{}",
    ])
    func `members of one name in different objects are no repeats`(text: String) {
        #expect(throws: Never.self) { try JSONValue(parsing: Array(text.utf8), refusesRepeats: true) }
    }

    @Test func `a value that is kept is the same, and has no room for more`() throws {
        let members = (1...5).map {
            "\"member \($0)\": [\((1...$0 + 8).map(String.init).joined(separator: ", "))]"
        }
        let text = "[{\(members.joined(separator: ", "))}]"
        func room(isKept: Bool) throws -> [Int] {
            let value = try JSONValue(parsing: text.utf8, isKept: isKept)
            #expect(try value == JSONValue(parsing: text))
            guard case .array(let elements) = value, case .object(let object)? = elements.first else {
                return []
            }
            let inside = object.values.map {
                if case .array(let numbers) = $0 { numbers.capacity - numbers.count } else { -1 }
            }
            return [elements.capacity - elements.count, object.capacity - object.count] + inside
        }
        #expect(try room(isKept: true) == [0, 0, 0, 0, 0, 0, 0])
        #expect(try room(isKept: false).reduce(0, +) > 0)
    }
}
