import JSON
import Testing

/// The checker of the API's description, itself.
@Suite
struct JSONSchemaTests {
    private static let document: JSONValue = [
        "defs": ["Colour": ["type": "string", "enum": ["red", "blue"]]]
    ]

    @Test(arguments: [
        ("{}", #"{"type":"object"}"#, true), ("[]", #"{"type":"object"}"#, false),
        ("null", #"{"type":["string","null"]}"#, true), ("1", #"{"type":["string","null"]}"#, false),
        ("1.5", #"{"type":"integer"}"#, false), ("7", #"{"type":"integer","minimum":8}"#, false),
        ("8", #"{"type":"integer","minimum":8,"maximum":8}"#, true), ("9", #"{"maximum":8}"#, false),
        (#"{"a":1}"#, #"{"required":["a"]}"#, true), (#"{"b":1}"#, #"{"required":["a"]}"#, false),
        (#"{"a":1}"#, #"{"properties":{"a":{"type":"string"}}}"#, false),
        (#"{"a":1}"#, #"{"properties":{"a":{}},"additionalProperties":false}"#, true),
        (#"{"b":1}"#, #"{"properties":{"a":{}},"additionalProperties":false}"#, false),
        (#"{"b":1}"#, #"{"additionalProperties":{"type":"string"}}"#, false),
        ("[1,2]", #"{"items":{"type":"number"}}"#, true),
        (#"[1,"2"]"#, #"{"items":{"type":"number"}}"#, false),
        (#""red""#, ##"{"$ref":"#/defs/Colour"}"##, true),
        (#""green""#, ##"{"$ref":"#/defs/Colour"}"##, false),
        (#""red""#, ##"{"$ref":"#/defs/Sound"}"##, false),
        ("1", #"{"oneOf":[{"type":"number"},{"type":"integer"}]}"#, false),
        ("1", #"{"anyOf":[{"type":"number"},{"type":"integer"}]}"#, true),
        (#""ab""#, #"{"pattern":"^[a-z]{2}$"}"#, true), (#""abc""#, #"{"pattern":"^[a-z]{2}$"}"#, false),
        ("{}", #"{"minProperties":1}"#, false), (#""""#, #"{"minLength":1}"#, false),
        ("1", #"{"const":1}"#, true), ("2", #"{"const":1}"#, false),
        ("1", #"{"not":{"type":"string"}}"#, true), (#""a""#, #"{"not":{"type":"string"}}"#, false),
        ("8", #"{"allOf":[{"minimum":8},{"maximum":8}]}"#, true), ("9", #"{"allOf":[{"maximum":8}]}"#, false),
        ("[1]", #"{"maxItems":1}"#, true), ("[1,2]", #"{"maxItems":1}"#, false),
        (#"{"a":1}"#, #"{"maxProperties":0}"#, false),
        (#"{"a":1}"#, #"{"propertyNames":{"pattern":"^b"}}"#, false),
        ("1", #"{"exclusiveMinimum":1}"#, false), ("2", #"{"exclusiveMinimum":1}"#, true),
        ("1", #"{"exclusiveMaximum":1}"#, false), ("0", #"{"exclusiveMaximum":1}"#, true),
        ("1", #"{"multipleOf":2}"#, false),
    ])
    func `a value is checked by each keyword, and unknown ones are reported`(
        value: String,
        schema: String,
        isValid: Bool
    ) throws {
        let problems = JSONSchema(document: Self.document)
            .problems(of: try JSONValue(parsing: value), try JSONValue(parsing: schema))
        #expect(problems.isEmpty == isValid, "\(problems)")
    }
}
