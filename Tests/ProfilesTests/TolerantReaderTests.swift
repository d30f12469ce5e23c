import Flare
import JSON
import Profiles
import Testing

struct TolerantReaderTests {
    private static func tree(_ text: String) -> PlacedValue? {
        ProfileSource(file: "f.json", json: Array(text.utf8)).tree
    }

    private static func problems(_ text: String) -> [String] {
        ProfileSource(file: "f.json", json: Array(text.utf8)).problems.map {
            "\($0.position.line):\($0.position.column) \($0.code.rawValue): \($0.message)"
        }
    }

    // MARK: What is tolerated

    @Test(arguments: [
        "[1, 2,]", "[1, 2],", "// a\n[1, // b\n2]// c", "\u{FEFF}[1,2]", "[1,\r\n2\r\n]\r\n",
        "[1,\r2]\r// x\r",
    ])
    func `comments, a last comma and a byte order mark are silent`(text: String) {
        #expect(Self.tree(text)?.json == [1, 2])
        #expect(Self.problems(text).isEmpty)
    }

    @Test func `slashes in a text are no comment`() {
        #expect(Self.tree(#"{"a":"http://b"}"#)?.json == ["a": "http://b"])
    }

    @Test func `a missing comma is read as if it were there`() {
        let text = "{\"a\": 1 // x\n \"b\": {\"c\": \"ä\" \"d\": 2}}"
        #expect(Self.tree(text)?.json == ["a": 1, "b": ["c": "ä", "d": 2]])
        #expect(
            Self.problems(text) == [
                "1:8 missing_comma: a comma is missing before \"b\"; read as if it were there",
                "2:16 missing_comma: a comma is missing before \"d\"; read as if it were there",
            ]
        )
    }

    @Test func `an object that closes too early goes on, at the top and in a list`() {
        let top = "{\"a\": 1},\n\"b\": 2}\n\"c\": 3\n}"
        #expect(Self.tree(top)?.json == ["a": 1, "b": 2, "c": 3])
        #expect(
            Self.problems(top) == [
                "1:8 closed_early: this } closes its object too early: \"b\" follows; read as if it went on",
                "2:7 closed_early: this } closes its object too early: \"c\" follows; read as if it went on",
            ]
        )
        #expect(Self.tree(#"[{"a":1},"b":2},"c"]"#)?.json == [["a": 1, "b": 2], "c"])
    }

    @Test func `in an object another one ends with its bracket`() {
        #expect(Self.tree(#"{"x":{"a":1},"b":2}"#)?.json == ["x": ["a": 1], "b": 2])
        #expect(Self.problems(#"{"x":{"a":1},"b":2}"#).isEmpty)
    }

    // MARK: What is not

    @Test(arguments: [
        ("", "1:1 bad_json: the file has no value"),
        ("{\n \"a\": [1\n]]", "3:2 bad_json: unexpected ]; the object that begins in line 1 is still open"),
        ("{\"a\": [1", "1:9 bad_json: the file ends; the list that begins in line 1 is still open"),
        ("[1 2]", "1:4 bad_json: unexpected 2; the list that begins in line 1 is still open"),
        (
            "[{} {}]",
            "1:5 bad_json: unexpected {; a comma is missing in the list that begins in line 1"
        ),
        ("{\"a\" 1}", "1:6 bad_json: unexpected 1; a colon must stand behind a key"),
        ("{\"a\": 1 \"b\"}", "1:9 bad_json: unexpected \"; the object that begins in line 1 is still open"),
        ("/* x */ 1", "1:1 bad_json: unexpected /; a comment begins with // and ends with its line"),
        (
            "{'a': 1}",
            "1:2 bad_json: unexpected ' (texts stand in \"); the object that begins in line 1 is still open"
        ),
        ("[,]", "1:2 bad_json: unexpected ,; a value must stand here"),
        ("[1,,]", "1:4 bad_json: unexpected ,; a value must stand here"),
        ("[1],,", "1:5 bad_json: unexpected ,; the file must end here"),
        ("[tru]", "1:2 bad_json: unexpected t; a value must stand here"),
        ("[01]", "1:2 bad_json: a number cannot begin with 0 and another digit"),
        ("[1.]", "1:4 bad_json: unexpected ]; a digit must stand here"),
        ("[1e999]", "1:2 bad_json: the number is too large"),
        ("[NaN]", "1:2 bad_json: unexpected N; a value must stand here"),
        ("[\"a\nb\"]", "1:2 bad_json: the text that begins here has no closing \" in its line"),
        ("[\"a\tb\"]", "1:4 bad_json: a tab must be written as \\t in a text"),
        ("[\"\\q\"]", "1:3 bad_json: behind \\ in a text must stand one of \" \\ / b f n r t u"),
        ("[\"\\u12\"]", "1:3 bad_json: behind \\u must stand four hexadecimal digits"),
        ("\u{1F600}", "1:1 bad_json: unexpected \u{1F600}; a value must stand here"),
        ("\u{202E}", "1:1 bad_json: unexpected U+202E; a value must stand here"),
    ])
    func `all else is refused with its place`(text: String, problem: String) {
        #expect(Self.problems(text) == [problem])
        #expect(Self.tree(text) == nil)
    }

    @Test func `columns count Unicode scalars, whatever ends the lines`() {
        #expect(Self.problems("[\"äöü\u{1F600}\", // ß\r\n\"é\" x]").first?.hasPrefix("2:5 ") == true)
        #expect(Self.problems("[1,\r\"é\" x]").first?.hasPrefix("2:5 ") == true)
        #expect(Self.problems("\u{FEFF}x").first?.hasPrefix("1:1 ") == true)
    }

    @Test func `what is no UTF-8 has its place`() {
        let source = ProfileSource(file: "f", json: Array("{\"ä\": \"a".utf8) + [0xFF] + Array("\"}".utf8))
        #expect(
            source.problems.map(\.description) == [
                "f:1:9: error: bad_json: the byte 0xFF is not UTF-8, in which a file must be"
            ]
        )
    }

    // MARK: Values

    @Test func `numbers keep how they are written`() {
        let tree = Self.tree("[1.0, -0, 12345678901234567890, 1E2]")
        let texts = tree?.list?.map { value in
            if case .number(let number) = value.content { number.text } else { "" }
        }
        #expect(texts == ["1.0", "-0", "12345678901234567890", "1E2"])
        #expect(tree?.json == [1, 0, .numeral("12345678901234567890"), 100])
    }

    @Test func `escapes are resolved`() {
        let text = #"["\u00e4\ud83d\ude00\n\/\"", "\ud83dx", "\ud83d\u0041"]"#
        #expect(Self.tree(text)?.json == ["ä\u{1F600}\n/\"", "\u{FFFD}x", "\u{FFFD}A"])
    }

    @Test func `64 levels are read, 65 are not`() {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(Self.problems(nested(64)).isEmpty)
        #expect(
            Self.problems(nested(65)) == [
                "1:65 bad_json: lists and objects are nested deeper than 64, which is the limit"
            ]
        )
    }

    @Test func `a file over 1 MiB is not read`() {
        let space = [UInt8](repeating: 0x20, count: 1 << 20)
        #expect(ProfileSource(file: "f", json: Array("{}".utf8) + space.dropLast(2)).problems.isEmpty)
        let source = ProfileSource(file: "f", json: Array("{}".utf8) + space)
        #expect(source.problems.map(\.code) == [.tooLarge])
        #expect(source.tree == nil)
    }
}
