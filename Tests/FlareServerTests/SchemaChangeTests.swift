import Flare
import FlareServer
import JSON
import SeededRandom
import TestSupport
import Testing

struct SchemaChangeTests {
    private static let before: JSONObject = [
        "_id": "aaaaaaaaaaaaaaaaaaaaaaaa", "__v": 0, "name": "Lamp", "actions": ["on"],
        "position": ["x": 1, "y": 2],
        "data": ["color": "red", "on": true, "list": [1, ["a": 2]], "text": "t"],
    ]

    /// The body of a PUT, and the changed members.
    static let changes: [(JSONValue, JSONObject)] = [
        ([:], [:]),
        (["name": "B", "unknown": 1, "__v": 7], ["name": "B"]),
        (["name": .null], ["name": .null]),
        (["data": ["z": 9]], ["data": ["z": 9]]),
        (["data": [:]], ["data": [:]]),
        (["position": ["x": "9"]], ["position": ["x": 9]]),
        (["position": "text"], [:]),
        (["actions": "off"], ["actions": ["off"]]),
        (["_id": "AAAAAAAAAAAAAAAAAAAAAAAA"], [:]),
        (["zone": "bbbbbbbbbbbbbbbbbbbbbbbb"], ["zone": "bbbbbbbbbbbbbbbbbbbbbbbb"]),
        (["position.z": "3"], ["position": ["x": 1, "y": 2, "z": 3]]),
        (["position.w": 3, "position.x.y": 1, "name.first": "x"], [:]),
        (
            ["data.color": "blue"],
            ["data": ["color": "blue", "on": true, "list": [1, ["a": 2]], "text": "t"]]
        ),
        (
            ["data.new.deep": 5],
            ["data": ["color": "red", "on": true, "list": [1, ["a": 2]], "text": "t", "new": ["deep": 5]]]
        ),
        (
            ["data.list.1.a": 3, "data.list.2": "end"],
            ["data": ["color": "red", "on": true, "list": [1, ["a": 3], "end"], "text": "t"]]
        ),
        (["data": ["a": 1], "data.b": 2], ["data": ["a": 1, "b": 2]]),
        (["$set": ["name": "B", "data": ["z": 9]]], ["name": "B", "data": ["z": 9]]),
        (
            ["$unset": ["data.color": 1, "data.list.1.a": 1, "data.none.at": 1, "_id": 1, "data.text.x": 1]],
            ["data": ["on": true, "list": [1, [:]], "text": "t"]]
        ),
    ]

    @Test(arguments: changes)
    func `a change sets the given members and keeps the others`(
        body: JSONValue,
        different: JSONObject
    )
        throws
    {
        var members = Self.before
        try FlareSchema(.thing).apply(body, to: &members)
        #expect(JSONValue.object(members) == .object(Self.before.merging(different) { $1 }))
    }

    @Test func `an empty group and unset members are removed`() throws {
        var members = Self.before
        try FlareSchema(.thing).apply(["position": [:], "$unset": ["name": 1]], to: &members)
        #expect(members["position"] == nil)
        #expect(members.keys.contains("name") == false)
        #expect(members["data"] == Self.before["data"])
    }

    @Test(
        arguments: [
            (["angle": "abc"], "CastError"), (["_id": "bbbbbbbbbbbbbbbbbbbbbbbb"], "CastError"),
            (["_id": .null], "CastError"),
            (["perimeter.size.width": "w"], "CastError"),
            (["name": "B", "$inc": ["angle": 1]], "MongoError"),
            (["$set": 5], "MongoError"), (["data.color.deep": 1], "MongoError"),
            (["data.list.9": 1], "MongoError"),
            (["data.list.x": 1], "MongoError"), (["data..x": 1], "MongoError"), (["data.": 1], "MongoError"),
            (["data.$x": 1], "MongoError"), ([1], "ObjectExpectedError"),
        ] as [(JSONValue, String)]
    )
    func `an invalid change has no effect`(body: JSONValue, name: String) throws {
        var members = Self.before
        members["perimeter"] = ["size": ["width": 1]]
        let before = members
        let error = #expect(throws: FlareSchemaError.self) {
            try FlareSchema(.environment).apply(body, to: &members)
        }
        #expect(error?.json["name"] == .string(name))
        #expect(members == before)
    }

    @Test func `a path of thousands of parts is refused`() throws {
        var members = Self.before
        let path = "data" + String(repeating: ".a", count: 40_000)
        #expect(throws: FlareSchemaError.self) { try FlareSchema(.thing).apply([path: 1], to: &members) }
        try FlareSchema(.thing).apply(["$unset": [path: 1]], to: &members)
        #expect(members == Self.before)
    }

    @Test func `random bodies never trap, and applying a change twice is idempotent`() throws {
        var random = SplitMix64(seed: 42)
        for _ in 0..<15_000 {
            let body = random.body()
            for kind in FlareClass.allCases {
                let schema = FlareSchema(kind)
                let made = try? schema.record(from: body, makeID: { FlareID(high: 1, low: 1) })
                if let made {
                    let again = try schema.record(from: made.json, makeID: { FlareID(high: 2, low: 2) })
                    #expect(again == made)
                }
                var members = made?.members ?? Self.before
                try? schema.apply(random.body(), to: &members)
                #expect(members["_id"] == (made?.members ?? Self.before)["_id"])
            }
        }
    }
}

extension SplitMix64 {
    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int(next() % UInt64(elements.count))]
    }

    mutating func body() -> JSONValue {
        let names = [
            "_id", "name", "data", "actions", "created", "modified", "environment", "zone", "nearest",
            "position",
            "perimeter", "geofence", "angle", "__v", "data.a.b", "position.z", "perimeter.size", "$set",
            "$unset",
            "data.list.0", ".", "",
        ]
        var members: JSONObject = [:]
        for _ in 0..<(next() % 5) { members[pick(names)] = value(depth: 3) }
        return .object(members)
    }

    mutating func value(depth: Int) -> JSONValue {
        switch next() % (depth > 0 ? 11 : 8) {
        case 0: return .null
        case 1: return .bool(next() % 2 == 0)
        case 2: return .number(Double(Int64(bitPattern: next()) % 1000) / 8)
        case 3: return .number(Double(bitPattern: next()).isFinite ? 1e300 : 0)
        case 4:
            return .string(
                pick(["", " ", "5", "-1e3", "1e999", "2020-02-30T", "2020-01-01T00:00Z", "\u{0}é"])
            )
        case 5: return .string("abcdef0123456789abcdef01")
        case 6: return .numeral("123456789012345678901234567890")
        case 7: return .string(String(next(), radix: 36))
        case 8: return .array((0..<(next() % 3)).map { _ in value(depth: depth - 1) })
        default:
            let names = [
                "x", "y", "z", "origin", "size", "width", "latitude", "radius", "a", "list", "$x", "a.b",
                "_id",
            ]
            var members: JSONObject = [:]
            for _ in 0..<(next() % 4) { members[pick(names)] = value(depth: depth - 1) }
            return .object(members)
        }
    }
}
