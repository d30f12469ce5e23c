import Bindings
import JSON
import Rules
import Testing

/// Comparisons that no value can change.
struct FieldValuesTests {
    private static let brightness = FieldValues.number(from: 0, to: 1)
    private static let steps = FieldValues.number(from: 0, to: 10, isWhole: true)
    private static let mode = FieldValues.choice(["auto", "heat"])
    private static let level = FieldValues.choice([0, 1, 2], names: ["low", "middle", "high"])

    private static let never: [(clause: String, values: FieldValues)] = [
        (#"{"type":"range","field":"f","lowerLimit":2}"#, brightness),
        (#"{"type":"range","field":"f","lowerLimit":1,"lowerIncluded":false}"#, brightness),
        (#"{"type":"range","field":"f","upperLimit":-0.5}"#, brightness),
        (#"{"type":"range","field":"f","upperLimit":0,"upperIncluded":false}"#, brightness),
        (#"{"type":"eq","field":"f","value":1.5}"#, brightness),
        (#"{"type":"eq","field":"f","value":"bright"}"#, brightness),
        (#"{"type":"eq","field":"f","value":true}"#, brightness),
        (#"{"type":"eq","field":"f","value":0.5}"#, steps),
        (#"{"type":"eq","field":"f","value":"cool"}"#, mode),
        (#"{"type":"range","field":"f","lowerLimit":2}"#, mode),
        (#"{"type":"range","field":"f","lowerLimit":3}"#, level),
        (#"{"type":"eq","field":"f","value":"on"}"#, .flag),
        (#"{"type":"eq","field":"f","value":1}"#, .flag),
        (#"{"type":"range","field":"f","lowerLimit":0}"#, .flag),
        (#"{"type":"eq","field":"f","value":20}"#, .text),
        (#"{"type":"range","field":"f","lowerLimit":0}"#, .text),
        (#"{"type":"eq","field":"f","value":"20"}"#, .number()),
    ]

    private static let always: [(clause: String, values: FieldValues)] = [
        (#"{"type":"range","field":"f","lowerLimit":0}"#, brightness),
        (#"{"type":"range","field":"f","upperLimit":1}"#, brightness),
        (#"{"type":"range","field":"f","lowerLimit":-1,"lowerIncluded":false,"upperLimit":3}"#, brightness),
        (#"{"type":"range","field":"f","lowerLimit":0,"upperLimit":2}"#, level),
        (#"{"type":"not","clause":{"type":"eq","field":"f","value":"cool"}}"#, mode),
        (#"{"type":"not","clause":{"type":"eq","field":"f","value":7}}"#, brightness),
    ]

    private static let open: [(clause: String, values: FieldValues)] = [
        (#"{"type":"range","field":"f","lowerLimit":1}"#, brightness),
        (#"{"type":"range","field":"f","lowerLimit":0,"lowerIncluded":false}"#, brightness),
        (#"{"type":"range","field":"f","upperLimit":0.5}"#, brightness),
        (#"{"type":"eq","field":"f","value":0.5}"#, brightness),
        (#"{"type":"eq","field":"f","value":10}"#, steps),
        (#"{"type":"range","field":"f","lowerLimit":2}"#, .number(from: 0)),
        (#"{"type":"range","field":"f","upperLimit":2}"#, .number(from: 0)),
        (#"{"type":"range","field":"f","lowerLimit":2}"#, .number()),
        (#"{"type":"eq","field":"f","value":"heat"}"#, mode),
        (#"{"type":"not","clause":{"type":"eq","field":"f","value":"heat"}}"#, mode),
        (#"{"type":"eq","field":"f","value":1.0}"#, level),
        (#"{"type":"range","field":"f","lowerLimit":1}"#, level),
        (#"{"type":"eq","field":"f","value":false}"#, .flag),
        (#"{"type":"eq","field":"f","value":"x"}"#, .text),
    ]

    private func verdicts(_ clause: String, _ values: FieldValues?) throws -> [Bool] {
        try StateClause(JSONValue(parsing: clause)).fixedComparisons(of: "fan") { $0 == "f" ? values : nil }
            .map(\.isAlways)
    }

    @Test(arguments: never.indices) func `what no value meets is never true`(index: Int) throws {
        #expect(try verdicts(Self.never[index].clause, Self.never[index].values) == [false])
    }

    @Test(arguments: always.indices) func `what each value meets is always true`(index: Int) throws {
        #expect(try verdicts(Self.always[index].clause, Self.always[index].values) == [true])
    }

    @Test(arguments: open.indices) func `what depends on the value is neither`(index: Int) throws {
        #expect(try verdicts(Self.open[index].clause, Self.open[index].values) == [])
    }

    @Test(arguments: never.indices) func `of a field of which nothing is known nothing is said`(index: Int)
        throws
    {
        #expect(try verdicts(Self.never[index].clause, nil) == [])
    }

    @Test func `each comparison of a list is looked at`() throws {
        let clause = """
            {"type":"or","clauses":[{"type":"range","field":"f","lowerLimit":2},{"type":"and","clauses":[
            {"type":"range","field":"f","upperLimit":0.5},{"type":"range","field":"f","lowerLimit":0}]}]}
            """
        #expect(try verdicts(clause, Self.brightness) == [false, true])
    }

    @Test(arguments: [
        (
            brightness, "it is never true that fan's f is at least 20: f is a number from 0 to 1"
        ),
        (steps, "it is never true that fan's f is at least 20: f is a whole number from 0 to 10"),
        (.number(to: 5), "it is never true that fan's f is at least 20: f is a number of at most 5"),
        (mode, #"it is never true that fan's f is at least 20: f is one of "auto", "heat""#),
        (
            level,
            "it is never true that fan's f is at least 20: f is one of 0 (low), 1 (middle), 2 (high)"
        ),
        (.flag, "it is never true that fan's f is at least 20: f is true or false"),
        (.text, "it is never true that fan's f is at least 20: f is a text"),
    ])
    func `a sentence says what the field can be`(values: FieldValues, sentence: String) throws {
        let clause = try StateClause(JSONValue(parsing: #"{"type":"range","field":"f","lowerLimit":20}"#))
        #expect(clause.fixedComparisons(of: "fan") { _ in values }.map(\.sentence) == [sentence])
    }
}
