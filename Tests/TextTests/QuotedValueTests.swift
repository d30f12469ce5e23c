import JSON
import Testing
import Text

struct QuotedValueTests {
    @Test func `a long text is shortened to 60 characters and stays on one line`() {
        let quoted = QuotedValue.of("a\nb" + String(repeating: "x", count: 10_000))
        #expect(quoted == "\"a\\nb" + String(repeating: "x", count: 57) + "…\"")
    }

    @Test func `other values are quoted as they were sent`() {
        #expect(QuotedValue.of([1, true, .null]) == "[1,true,null]")
    }

    @Test(arguments: ["\u{202E}", "\u{1B}", "\n", "\u{9B}", "\u{7F}", "\u{200E}", "\u{61C}", "\u{2028}"])
    func `no name reaches a message with a character that harms a terminal`(scalar: Unicode.Scalar) {
        let name = "a\(scalar)b"
        for text in [QuotedValue.list([name]), QuotedValue.of(name), QuotedValue.of([.string(name)])] {
            #expect(text.unicodeScalars.allSatisfy { (0x20..<0x7F).contains($0.value) })
        }
        #expect(QuotedValue.list(["é", "a\u{202E}"]) == "é, a\\u202e")
    }

    @Test func `a list names at most forty`() {
        #expect(QuotedValue.list(["red", "green"]) == "red, green")
        #expect(QuotedValue.list((0..<50).map { "\($0)" }).hasSuffix("39, …"))
    }
}
