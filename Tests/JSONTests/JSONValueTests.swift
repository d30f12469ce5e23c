import JSON
import Testing

struct JSONValueTests {
    @Test func `each accessor answers for its own kind only`() {
        let values: [JSONValue] = [.null, true, 1.5, .numeral("9007199254740993"), "a", [1], ["a": 1]]
        #expect(values.map(\.isNull) == [true, false, false, false, false, false, false])
        #expect(values.map(\.bool) == [nil, true, nil, nil, nil, nil, nil])
        #expect(values.map(\.number) == [nil, nil, 1.5, 9_007_199_254_740_992, nil, nil, nil])
        #expect(values.map(\.string) == [nil, nil, nil, nil, "a", nil, nil])
        #expect(values.map(\.array) == [nil, nil, nil, nil, nil, [1], nil])
        #expect(values.map(\.object) == [nil, nil, nil, nil, nil, nil, ["a": 1]])
        #expect(values.map { $0["a"] } == [nil, nil, nil, nil, nil, nil, 1])
    }

    @Test(
        arguments: [
            ("3", 3), ("-3", -3), ("3.0", 3), ("3.5", nil), ("\"3\"", nil), ("true", nil), ("1e3", 1000),
            ("9007199254740993", 9_007_199_254_740_993), ("9223372036854775807", Int.max),
            ("-9223372036854775808", Int.min), ("9223372036854775808", nil), ("1e300", nil),
            ("123456789012345678901234567890", nil),
        ] as [(String, Int?)]
    )
    func `an integer is exact or none`(text: String, integer: Int?) throws {
        #expect(try JSONValue(parsing: text).integer == integer)
    }

    @Test(arguments: [
        0, -1, 1 << 53, -(1 << 53), 1 << 53 + 1, -(1 << 53) - 1, 1 << 53 - 1, Int.max, Int.min,
    ])
    func `every Int survives a round trip`(integer: Int) throws {
        let value = JSONValue(integer)
        #expect(value.text == String(integer))
        #expect(try JSONValue(parsing: value.text) == value)
        #expect(value.integer == integer)
    }

    @Test func `literals are values, and of repeated names the last counts`() {
        let value: JSONValue = ["a": 1, "b": [true, 0.5, "x"], "a": 2]
        #expect(value == .object(["a": .number(2), "b": .array([.bool(true), .number(0.5), .string("x")])]))
    }
}
