import FlareServer
import JSON
import TestSupport
import Testing

/// Cases that the recordings do not cover.
@Suite(.timeLimit(.minutes(1)))
struct RESTObjectTests {
    private static let unknown = "000000000000000000000001"

    @Test func `an identifier in use is a duplicate, and nothing is created`() async throws {
        try await withREST { client in
            let id = try await client.make("/environments", ["name": "A"])
            let one = try await client.json("POST", "/environments", json: ["_id": .string(id), "name": "B"])
            #expect(one?["code"] == 11000)
            #expect(one?["op"]?["name"] == "B")
            #expect(one?["errmsg"]?.string?.contains(id) == true)
            let list = try await client.json(
                "POST",
                "/environments",
                json: [["name": "C"], ["_id": .string(id)]]
            )
            #expect(list?["code"] == 11000)
            #expect(try await client.json("GET", "/environments")?.array?.map { $0["name"] } == ["A"])
        }
    }

    @Test func `a list creates its objects in order, in the parent of the path`() async throws {
        try await withREST { client in
            let id = try await client.make("/environments", [:])
            let made = try await client.json(
                "POST",
                "/environments/\(id)/zones",
                json: [["name": "A"], ["name": "B"]]
            )
            #expect(made?.array?.map { $0["name"] } == ["A", "B"])
            #expect(try await client.json("GET", "/environments/\(id)/zones") == made)
            #expect(try await client.json("POST", "/environments", json: []) == nil)
            let error = try await client.json("POST", "/environments/\(id)/zones", json: [["name": "C"], 5])
            #expect(error?["name"] == "ObjectExpectedError")
            #expect(try await client.json("GET", "/environments/\(id)/zones")?.array?.count == 2)
        }
    }

    @Test func `a cached list follows each change of its objects`() async throws {
        try await withREST { client in
            let house = "/environments/\(try await client.make("/environments", ["name": "House"]))"
            let (west, east) = (
                try await client.make("\(house)/zones", ["name": "West"]),
                try await client.make("\(house)/zones", ["name": "East"])
            )
            func lists() async throws -> [[JSONValue]] {
                try await [
                    client.list("\(house)/zones/\(west)/things"),
                    client.list("\(house)/zones/\(east)/things"),
                    client.list("\(house)/things"),
                ].map { $0.map { $0["name"] ?? .null } }
            }
            #expect(try await lists() == [[], [], []])
            let lamp = try await client.make("\(house)/zones/\(west)/things", ["name": "Lamp"])
            #expect(try await lists() == [["Lamp"], [], ["Lamp"]])
            _ = try await client.json("PUT", "\(house)/zones/\(west)/things/\(lamp)", json: ["name": "Light"])
            #expect(try await lists() == [["Light"], [], ["Light"]])
            _ = try await client.json(
                "PUT",
                "\(house)/zones/\(west)/things/\(lamp)",
                json: ["zone": .string(east)]
            )
            #expect(try await lists() == [[], ["Light"], ["Light"]])
            _ = try await client.json("DELETE", "\(house)/zones/\(east)/things/\(lamp)")
            #expect(try await lists() == [[], [], []])
        }
    }

    @Test func `the entity tag of a list changes with its objects only`() async throws {
        try await withREST { client in
            let house = try await client.make("/environments", ["name": "House"])
            let first = try await client.send("GET", "/environments").headers["etag"]
            #expect(first != nil)
            #expect(try await client.send("GET", "/environments").headers["etag"] == first)
            let known = "If-None-Match: \(first ?? "")"
            #expect(try await client.send("GET", "/environments", headers: [known]).status == 304)
            _ = try await client.json("PUT", "/environments/\(house)", json: ["name": "Home"])
            let second = try await client.send("GET", "/environments", headers: [known])
            #expect(second.status == 200)
            #expect(second.headers["etag"] != first)
        }
    }

    @Test(arguments: ["data", "data/key", "position"])
    func `data of a missing object is null`(part: String) async throws {
        try await withREST { client in
            let value = try await client.json("GET", "/environments/-/devices/\(Self.unknown)/\(part)")
            #expect(value == .null)
        }
    }

    @Test func `a key in the path is decoded and case-sensitive`() async throws {
        try await withREST { client in
            let id = try await client.make("/environments", ["data": ["key": .null, "Key": 1, "é/": 2]])
            let path = "/Environments/\(id.uppercased())/DATA"
            #expect(try await client.json("GET", "\(path)/key") == .null)
            #expect(try await client.json("GET", "\(path)/Key") == 1)
            #expect(try await client.json("GET", "\(path)/%C3%A9%2F/") == 2)
            #expect(try await client.json("GET", "\(path)/KEY") == nil)
        }
    }

    @Test func `a PUT of invalid values is an error and changes nothing`() async throws {
        try await withREST { client in
            let id = try await client.make("/environments", ["name": "A", "angle": 5])
            let before = try await client.json("GET", "/environments/\(id)")
            let bodies: [JSONValue] = [
                ["name": "B", "angle": "x"], ["_id": .string(Self.unknown)], ["$inc": ["angle": 1]], [5],
            ]
            for body in bodies {
                let error = try await client.json("PUT", "/environments/\(id)", json: body)
                #expect(error?["_id"] == nil)
                #expect(error?["message"] != nil)
            }
            #expect(try await client.json("GET", "/environments/\(id)") == before)
        }
    }

    @Test func `a thing is moved to another zone by PUT`() async throws {
        try await withREST { client in
            let environment = try await client.make("/environments", [:])
            let here = try await client.make("/environments/\(environment)/zones", [:])
            let there = try await client.make("/environments/\(environment)/zones", [:])
            let thing = try await client.make("/environments/\(environment)/zones/\(here)/things", [:])
            _ = try await client.json(
                "PUT",
                "/environments/-/zones/-/things/\(thing)",
                json: ["zone": .string(there)]
            )
            #expect(try await client.json("GET", "/environments/-/zones/\(here)/things") == [])
            #expect(try await client.json("GET", "/environments/-/zones/\(there)/things")?.array?.count == 1)
        }
    }

    /// The query, and the names of the matching environments.
    static let filters: [(String, [String])] = [
        ("latitude=48.5&longitude=2.25", ["Near"]), ("latitude=48.5012&longitude=2.25", ["Near"]),
        ("latitude=48.502&longitude=2.25", []), ("latitude=x&longitude=2.25", []),
        ("latitude=48.5", ["Near", "Bare"]), ("latitude=48.5&longitude=2.25&key=n&value=6", []),
        ("key=n&value=5", ["Near"]), ("key=n&value=5.0", ["Near"]), ("key=n&value=+5", ["Near"]),
        ("key=on&value=true", ["Near"]), ("key=on&value=1", ["Near"]), ("key=on&value=yes", []),
        ("key=list&value=a", ["Near"]), ("key=void&value=null", []), ("key=o.p&value=1", []),
        ("key=n", ["Near", "Bare"]), ("%", ["Near", "Bare"]), ("key=%zz&value=1", []),
    ]

    @Test(arguments: filters)
    func `a list of environments is filtered`(query: String, names: [String]) async throws {
        try await withREST { client in
            _ = try await client.make(
                "/environments",
                [
                    "name": "Near", "geofence": ["latitude": 48.5, "longitude": 2.25, "radius": 150],
                    "data": ["n": 5, "on": true, "list": ["a"], "void": .null, "o": ["p": 1]],
                ]
            )
            _ = try await client.make("/environments", ["name": "Bare"])
            let found = try await client.json("GET", "/environments?\(query)")?.array
            #expect(found?.compactMap { $0["name"]?.string } == names)
        }
    }

    @Test(arguments: [
        ("x=0&y=0&distance=5", ["Bare"]), ("x=0&y=0&distance=5.001", ["Flat", "Bare"]),
        ("x=0&y=0&distance=-1", []), ("x=3&y=4&z=2&distance=1", ["High", "Bare"]),
        ("x=a&y=0&distance=9", ["Bare"]),
        ("x=0&y=0", ["Flat", "High", "Bare"]), ("x=0&y=0&distance=a", []),
    ])
    func `a list of devices is filtered by distance`(query: String, names: [String]) async throws {
        try await withREST { client in
            let path = "/environments/\(try await client.make("/environments", [:]))/devices"
            _ = try await client.make(path, ["name": "Flat", "position": ["x": 3, "y": 4]])
            _ = try await client.make(path, ["name": "High", "position": ["x": 3, "y": 4, "z": 2.5]])
            _ = try await client.make(path, ["name": "Bare"])
            let found = try await client.json("GET", "\(path)?\(query)")?.array ?? []
            #expect(found.compactMap { $0["name"]?.string } == names)
            let flat = found.first { $0["name"] == "Flat" }
            if query.contains("distance"), let flat { #expect(flat["position"]?["z"] == 0) }
        }
    }
}
