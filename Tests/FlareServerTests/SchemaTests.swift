import Flare
import FlareServer
import JSON
import Testing

struct SchemaTests {
    private static let id = FlareID(high: 1, low: 2)

    private static func make(_ kind: FlareClass, _ body: JSONValue) throws -> JSONObject {
        var members = try FlareSchema(kind).record(from: body, makeID: { id }).members
        if members["actions"] == [] { members.removeValue(forKey: "actions") }
        members.removeValue(forKey: "_id")
        members.removeValue(forKey: "__v")
        return members
    }

    /// The body, the class, and the resulting object.
    static let casts: [(FlareClass, JSONValue, JSONValue)] = [
        (.environment, ["name": 5, "description": true], ["name": "5", "description": "true"]),
        (.environment, ["name": ["a", 1]], ["name": "a,1"]),
        (.environment, ["angle": "30"], ["angle": 30]),
        (.environment, ["angle": " -1.5e1 "], ["angle": -15]),
        (.environment, ["angle": true], ["angle": 1]),
        (.environment, ["angle": ""], ["angle": .null]),
        (.environment, ["angle": [7]], ["angle": 7]),
        (
            .environment, ["name": .null, "data": .null, "perimeter": .null],
            ["name": .null, "data": .null, "perimeter": .null]
        ),
        (.environment, ["actions": "on"], ["actions": ["on"]]),
        (.environment, ["actions": ["on", 5, .null]], ["actions": ["on", "5"]]),
        (.environment, ["actions": .null], [:]),
        (.environment, ["type": "beacon", "position": ["x": 1], "zone": "bad", "__v": 9], [:]),
        (.environment, ["created": "2020-01-01"], [:]),
        (.environment, ["modified": "2020-01-01"], ["modified": "2020-01-01T00:00:00.000Z"]),
        (.environment, ["modified": 86_400_000], ["modified": "1970-01-02T00:00:00.000Z"]),
        (
            .environment, ["modified": "2020-02-29T12:30:15.25+01:30"],
            ["modified": "2020-02-29T11:00:15.250Z"]
        ),
        (
            .environment, ["geofence": ["latitude": "1.5", "radius": 2, "more": 1]],
            ["geofence": ["latitude": 1.5, "radius": 2]]
        ),
        (.zone, ["perimeter": ["origin": ["x": 1], "size": [:]]], ["perimeter": ["origin": ["x": 1]]]),
        (.zone, ["perimeter": [:], "angle": 5, "geofence": ["radius": 1]], [:]),
        (.device, ["position": "PointF(-1.0, -1.0)"], [:]),
        (.device, ["position": 5], [:]),
        (.device, ["position": ["x": .null, "y": 2]], ["position": ["x": .null, "y": 2]]),
        (.device, ["nearest": "ABCDEF0123456789ABCDEF01"], ["nearest": "abcdef0123456789abcdef01"]),
        (.device, ["nearest": "123456789012"], ["nearest": "313233343536373839303132"]),
        (.device, ["nearest": ["_id": "ABCDEF0123456789ABCDEF01"]], ["nearest": "abcdef0123456789abcdef01"]),
        (.thing, ["nearest": "bad"], [:]),
        (.thing, ["data": [:]], [:]),
        (.thing, ["data": ["a": [:]]], ["data": ["a": [:]]]),
        (.thing, ["data": "text"], ["data": "text"]),
        (
            .thing, ["data": ["n": .numeral("12345678901234567890")]],
            ["data": ["n": .numeral("12345678901234567890")]]
        ),
    ]

    @Test(arguments: casts)
    func `a body becomes an object`(kind: FlareClass, body: JSONValue, members: JSONValue) throws {
        #expect(JSONValue.object(try Self.make(kind, body)) == members)
    }

    static let failures: [(FlareClass, JSONValue, [String])] = [
        (.environment, ["angle": "abc"], ["angle"]), (.environment, ["angle": "0x10"], ["angle"]),
        (.environment, ["angle": "1e999"], ["angle"]), (.environment, ["angle": "Infinity"], ["angle"]),
        (.environment, ["angle": "nan"], ["angle"]), (.environment, ["angle": [1, 2]], ["angle"]),
        (.environment, ["angle": [:]], ["angle"]),
        (.environment, ["name": ["a": 1], "angle": "x"], ["angle", "name"]),
        (.environment, ["_id": "bad"], ["_id"]), (.environment, ["_id": 5], ["_id"]),
        (.environment, ["actions": [[:]]], ["actions"]),
        (.environment, ["modified": "yesterday"], ["modified"]),
        (.environment, ["modified": true], ["modified"]),
        (.environment, ["modified": 1e300], ["modified"]),
        (.environment, ["modified": "2021-02-29"], ["modified"]),
        (.environment, ["geofence": ["radius": "wide"]], ["geofence.radius"]),
        (.zone, ["perimeter": ["size": ["depth": [:]]]], ["perimeter.size.depth"]),
        (.device, ["nearest": "bad", "zone": "", "environment": [:]], ["environment", "nearest", "zone"]),
    ]

    @Test(arguments: failures)
    func `all values that cannot be cast are reported`(kind: FlareClass, body: JSONValue, paths: [String])
        throws
    {
        let error = #expect(throws: FlareSchemaError.self) { try Self.make(kind, body) }
        let json = try #require(error?.json)
        #expect(json["name"] == "ValidationError")
        #expect(json["errors"]?.object?.keys.sorted() == paths)
        #expect(json["errors"]?[paths[0]]?["name"] == "CastError")
        #expect(json["errors"]?[paths[0]]?["path"] == .string(paths[0]))
        #expect(json["message"]?.string?.contains(paths[0]) == true)
    }

    @Test func `errors have the format of the original database layer`() throws {
        let error = #expect(throws: FlareSchemaError.self) { try Self.make(.environment, ["angle": "abc"]) }
        let recorded = """
            {"errors":{"angle":{"message":"Cast to Number failed for value \\"abc\\" at path \\"angle\\"",\
            "name":"CastError","stringValue":"\\"abc\\"","kind":"Number","value":"abc","path":"angle",\
            "reason":{"message":"Cast to number failed for value \\"abc\\" at path \\"angle\\"","name":"CastError",\
            "stringValue":"\\"abc\\"","kind":"number","value":"abc","path":"angle"}}},\
            "_message":"Environment validation failed","message":"Environment validation failed: \
            angle: Cast to Number failed for value \\"abc\\" at path \\"angle\\"","name":"ValidationError"}
            """
        #expect(error?.json == (try JSONValue(parsing: recorded)))
    }

    @Test func `a given identifier is kept in lower case, a missing one is generated`() throws {
        let schema = FlareSchema(.environment)
        let given = try schema.record(from: ["_id": "ABCDEF0123456789ABCDEF01"]) {
            Issue.record("asked for an identifier")
            return Self.id
        }
        #expect(given.members["_id"] == "abcdef0123456789abcdef01")
        #expect(try schema.record(from: [:], makeID: { Self.id }).id == Self.id)
        #expect(try schema.record(from: ["_id": .null], makeID: { Self.id }).id == Self.id)
    }

    @Test func `the parents of the path override the body's`() throws {
        let parents = ["environment": "aaaaaaaaaaaaaaaaaaaaaaaa", "zone": "bbbbbbbbbbbbbbbbbbbbbbbb"]
        let record = try FlareSchema(.thing).record(
            from: ["zone": "cccccccccccccccccccccccc"],
            parents: parents,
            makeID: { Self.id }
        )
        #expect(record.zone?.description == parents["zone"])
        #expect(record.environment?.description == parents["environment"])
    }

    @Test(
        arguments: [
            ["a.b": 1], ["$a": 1], ["x": ["a.b": 1]], ["x": [1, ["$a": 1]]],
        ] as [JSONValue]
    )
    func `a data key with a dot or a leading dollar is refused with an empty object`(data: JSONValue) {
        let error = #expect(throws: FlareSchemaError.self) { try Self.make(.thing, ["data": data]) }
        #expect(error?.json == [:])
        #expect(error?.description.contains("must not contain a dot or start with $") == true)
    }

    @Test(arguments: [5, "text", [], .null] as [JSONValue])
    func `a body that is not an object is refused`(body: JSONValue) {
        #expect(throws: FlareSchemaError.self) { try Self.make(.thing, body) }
    }
}
