import Flare
import Testing

struct QuotedValueTests {
    @Test func `a long text is shortened to 60 characters and stays on one line`() {
        let quoted = QuotedValue.of("a\nb" + String(repeating: "x", count: 10_000))
        #expect(quoted == "\"a\\nb" + String(repeating: "x", count: 57) + "…\"")
    }

    @Test func `other values are quoted as they were sent`() {
        #expect(QuotedValue.of([1, true, .null]) == "[1,true,null]")
    }

    @Test func `a list names at most forty`() {
        #expect(QuotedValue.list(["red", "green"]) == "red, green")
        #expect(QuotedValue.list((0..<50).map { "\($0)" }).hasSuffix("39, …"))
    }
}
