import Flare
import Testing
import Things

struct QuotationTests {
    @Test func `a long text is shortened to 60 characters and stays on one line`() {
        let quoted = Quotation.of("a\nb" + String(repeating: "x", count: 10_000))
        #expect(quoted == "\"a\\nb" + String(repeating: "x", count: 57) + "…\"")
    }

    @Test func `other values are quoted as they were sent`() {
        #expect(Quotation.of([1, true, .null]) == "[1,true,null]")
    }

    @Test func `a list names at most forty`() {
        #expect(Quotation.list(["red", "green"]) == "red, green")
        #expect(Quotation.list((0..<50).map { "\($0)" }).hasSuffix("39, …"))
    }
}
