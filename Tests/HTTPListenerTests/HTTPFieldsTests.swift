import HTTPListener
import HTTPTypes
import Testing

struct HTTPFieldsTests {
    @Test(
        arguments: [
            (nil, nil), ("", false), ("\"a\"", true), ("W/\"a\"", true), ("\"b\", \t\"a\" ", true),
            ("*", true),
            ("a", false), ("\"b\"", false), ("w/\"a\"", false),
        ] as [(String?, Bool?)]
    )
    func `a known entity tag is found in a list, strong or weak`(header: String?, isKnown: Bool?) {
        var fields: HTTPFields = [:]
        fields[.ifNoneMatch] = header
        #expect(fields.hasAnswer(tagged: "\"a\"") == isKnown)
        #expect(fields.hasAnswer(tagged: "W/\"a\"") == isKnown)
    }

    @Test func `a proxy names itself or whom it forwards`() {
        #expect(!([:] as HTTPFields).isForwarded)
        #expect(([.forwarded: "for=192.0.2.1"] as HTTPFields).isForwarded)
        #expect(([.forwardedFor: "192.0.2.1"] as HTTPFields).isForwarded)
    }
}
