import JSON
import Testing

struct JSONWriterTests {
    @Test(
        arguments: [
            (.null, "null"), (true, "true"), (false, "false"), ("", #""""#), ([], "[]"), ([:], "{}"),
            ([1, [.null, "a"], [:]], #"[1,[null,"a"],{}]"#),
            (.numeral("18446744073709551615"), "18446744073709551615"),
        ] as [(JSONValue, String)]
    )
    func `values are written without any space`(value: JSONValue, text: String) {
        #expect(value.text == text)
        #expect(value.bytes == Array(text.utf8))
        #expect("\(value)" == text)
    }

    @Test(
        arguments: [
            (0, "0"), (-0.0, "0"), (1, "1"), (-17, "-17"), (0.5, "0.5"), (0.1, "0.1"),
            (1e15, "1000000000000000"),
            (9_007_199_254_740_992, "9007199254740992"), (1e300, "1e+300"), (-2.5e-7, "-2.5e-07"),
            (.nan, "null"), (.infinity, "null"), (-.infinity, "null"),
        ] as [(Double, String)]
    )
    func `whole numbers have no fraction and NaN is null`(number: Double, text: String) {
        #expect(JSONValue.number(number).text == text)
    }

    @Test func `equal objects are equal bytes, by sorted names`() throws {
        let one = try JSONValue(parsing: #"{"b":1,"a":{"z":1,"y":2},"ä":3,"B":4,"":5,"10":6,"9":7}"#)
        let other = try JSONValue(parsing: #"{"9":7,"10":6,"":5,"B":4,"ä":3,"a":{"y":2,"z":1},"b":1}"#)
        #expect(one.text == #"{"":5,"10":6,"9":7,"B":4,"a":{"y":2,"z":1},"b":1,"ä":3}"#)
        #expect(other.bytes == one.bytes)
    }

    @Test func `only required characters are escaped`() {
        let text = "\"\\/\n\r\t\u{0}\u{8}\u{1F}\u{7F}ä😀\u{2028}"
        #expect(
            JSONValue.string(text).text
                == "\"\\\"\\\\/\\n\\r\\t\\u0000\\u0008\\u001f\u{7F}ä😀\u{2028}\""
        )
        #expect(JSONValue.object(["a\"b\n": 1]).text == #"{"a\"b\n":1}"#)
    }
}
