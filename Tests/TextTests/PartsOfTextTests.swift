import Testing
import Text

struct PartsOfTextTests {
    @Test func `a text without the separator is its only part`() {
        #expect("lamp"[...].parts(between: "/") == ["lamp"])
        #expect(""[...].parts(between: "/") == [""])
    }

    @Test func `empty parts count, and the last part keeps what is beyond the limit`() {
        #expect("/a//b/"[...].parts(between: "/") == ["", "a", "", "b", ""])
        #expect("a=b=c"[...].parts(between: "=", maxSplits: 1) == ["a", "b=c"])
    }

    @Test func `a separator with an accent behind it separates too`() {
        #expect("a/\u{301}b"[...].parts(between: "/") == ["a", "\u{301}b"])
    }
}
