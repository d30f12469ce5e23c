import HTTPListener
import Testing

struct RequestTargetTests {
    @Test(arguments: [
        ("/kiosk", "/kiosk", nil), ("/kiosk?", "/kiosk", ""), ("/kiosk?a=1?b", "/kiosk", "a=1?b"),
        ("", "", nil), ("?\u{301}a", "", "\u{301}a"),
    ])
    func `the query begins behind the first question mark`(target: String, path: String, query: String?) {
        let read = RequestTarget(target)
        #expect(read.path == path)
        #expect(read.query.map { String($0) } == query)
    }

    @Test func `parameters are not decoded, and empty ones do not count`() {
        #expect(RequestTarget("/?a=%26&&b=&").parameters == ["a=%26", "b="])
        #expect(RequestTarget("/a&b").parameters == [])
    }

    @Test(arguments: [("%41", "A"), ("a%20b", "a b"), ("plain", "plain"), ("%C3%A4", "ä")])
    func `percent encodings are decoded`(text: String, decoded: String) {
        #expect(text.percentDecoded == decoded)
        #expect(text[...].percentDecoded == decoded)
    }

    @Test(arguments: ["%", "%4", "%G1", "%C3", "%\u{FF11}1"])
    func `an invalid percent encoding, or one that is not UTF-8, gives nothing`(text: String) {
        #expect(text.percentDecoded == nil)
    }
}
