import Foundation
import JSON
import OperatingSystem
import TestSupport
import Testing

/// What a user may change at the Flare server of a real daemon.
@Suite(.enabled(if: Mosquitto.isExpected), .mosquitto, .timeLimit(.minutes(2)))
struct FlareRightsTests {
    private static let lamp = Place.path(ofThing: Place.tableLamp, in: Place.living)

    private func run(_ home: Home, _ words: [String]) async throws -> String {
        let end = try await Program.run(words + ["--state", home.state], in: home.folder)
        #expect(end.status == 0, "\(words): \(end.output)")
        return end.output.trimmingCharacters(in: .newlines)
    }

    /// A home with bob, who has some rights, and his token.
    private func withBob(
        _ rights: [(scope: String, access: String)],
        _ keys: [String: String] = [:],
        _ body: (Home, _ token: String) async throws -> Void
    ) async throws {
        try await withHome(keys) { home, _ in
            _ = try await run(home, ["user", "add", "bob"])
            for right in rights {
                _ = try await run(home, ["grant", "add", "bob", right.scope, right.access])
            }
            try await body(home, try await run(home, ["token", "add", "bob", "panel"]))
        }
    }

    /// Sends messages of Socket.IO in order, with a token.
    private func emit(_ messages: [JSONValue], _ home: Home, _ token: String? = nil) async throws {
        let path = "/socket.io/?EIO=4&transport=polling" + (token.map { "&access_token=\($0)" } ?? "")
        let opened = try await home.rest("GET", path).body
        let id = try #require(try JSONValue(parsing: String(opened.dropFirst()))["sid"]?.string)
        let session = path + "&sid=\(id)"
        try await home.rest("POST", session, "40")
        for message in messages { try await home.rest("POST", session, "42" + message.text) }
    }

    private func setData(_ kind: String, _ id: String, _ key: String, _ value: JSONValue) -> JSONValue {
        ["setData", [kind: .string(id), "key": .string(key), "value": value]]
    }

    private func stored(_ home: Home, _ path: String = lamp) async throws -> JSONValue {
        try JSONValue(parsing: try await home.rest("GET", path).body)
    }

    @Test func `write drives a thing over Socket.IO, and does not change what it is or where`() async throws {
        try await withBob([("environment:flat", "write"), ("all", "read")]) { home, token in
            let before = try await stored(home)
            let zone = "/environments/\(Place.flat)/zones/\(Place.living)"
            let values: [(String, JSONValue)] = [
                ("profile", "lock"), ("kind", "switch"), ("readonly", ["on", "brightness", "color"]),
                ("actions", []), ("options", ["red"]), ("options.0", "pink"), ("minor", 7), ("receiver", "x"),
                ("power", -99), ("mac", "02:00:00:00:00:01"), ("fresh", 1), ("on", "locked"),
                ("brightness", 50), ("brightness", 42.5), ("brightness", 1e300), ("color", "not-a-colour"),
                ("color", "<script>\n\u{1b}[31m"),
            ]
            let fixed = values.map { setData("thing", Place.tableLamp, $0.0, $0.1) }
            let others: [JSONValue] = [
                setData("zone", Place.living, "major", 9), setData("environment", Place.flat, "distance", 99),
                ["setPosition", ["thing": .string(Place.tableLamp), "position": ["x": 9, "y": 9]]],
                ["performAction", ["thing": .string(Place.tableLamp), "action": "north"]],
                ["performAction", ["thing": .string(Place.fridge), "action": "on"]],
            ]
            let last = setData("thing", Place.tableLamp, "brightness", 0.25)
            try await emit(fixed + others + [last], home, token)
            let isDriven = try await eventually { try await stored(home)["data"]?["brightness"] == 0.25 }
            #expect(isDriven)
            let after = try await stored(home)
            var expected = try #require(before["data"]?.object)
            expected["brightness"] = 0.25
            #expect(after["data"] == .object(expected))
            #expect(after["position"] == before["position"])
            #expect(try await stored(home, zone)["data"] == ["major": 1])
            #expect(try await stored(home, "/environments/\(Place.flat)")["data"]?["distance"] == 2)
            let fridge = Place.path(ofThing: Place.fridge, in: Place.kitchen)
            #expect(try await stored(home, fridge)["data"]?["on"] == nil)
            let isLogged = try await eventually {
                try await run(home, ["log", "--user", "bob", "--json"]).contains("profile")
            }
            #expect(isLogged)

            _ = try await run(home, ["grant", "add", "bob", "thing:table-lamp", "own"])
            try await emit([setData("thing", Place.tableLamp, "fresh", 1)], home, token)
            let isOwned = try await eventually { try await stored(home)["data"]?["fresh"] == 1 }
            #expect(isOwned)
        }
    }

    @Test func `who may not see the zone of a thing does not read it in the answer to a change`() async throws
    {
        try await withBob([("thing:table-lamp", "own")]) { home, token in
            let changed = try await home.rest(
                "PUT",
                Self.lamp + "?access_token=\(token)",
                #"{"name":"Lamp"}"#
            )
            let thing = try JSONValue(parsing: changed.body)
            #expect(changed.status == 200 && thing["name"] == "Lamp", "\(changed)")
            #expect(thing["zone"] == nil && thing["environment"] == nil, "\(changed)")
            #expect(try await stored(home)["zone"]?.string == Place.living)
        }
    }

    @Test func `the short name of what is made over REST tells its maker nothing of hidden objects`()
        async throws
    {
        try await withBob([("zone:living-room", "own")], ["web.listen": "127.0.0.1:0"]) { home, token in
            func make(_ zone: String, _ query: String = "") async throws -> String {
                let path = Place.things(of: zone) + query
                let made = try await home.rest("POST", path, #"{"name":"Secret safe"}"#)
                return try #require(try JSONValue(parsing: made.body)["_id"]?.string, "\(made)")
            }
            try #require(await home.logs("web: http://127.0.0.1:"))
            let rest = await home.log.components(separatedBy: "web: http://127.0.0.1:").last
            let port = try #require(rest.flatMap { Int($0.prefix { $0.isNumber }) })
            func hasName(_ id: String, _ slug: String) async throws -> Bool {
                try await eventually {
                    let things = try await request("GET", "/api/things", port: port).body
                    let thing = try JSONValue(parsing: things).array?.first { $0["id"]?.string == id }
                    return thing?["slug"]?.string == slug
                }
            }
            let first = try await make(Place.kitchen)
            #expect(try await hasName(first, "secret-safe"))
            let hidden = try await make(Place.living, "?access_token=\(token)")
            #expect(try await hasName(hidden, "secret-safe-\(hidden.suffix(6))"))
            let second = try await make(Place.kitchen)
            #expect(try await hasName(second, "secret-safe-2"))
        }
    }

    @Test func `a trusted network needs no token to change what a thing is`() async throws {
        try await withHome(["flare.server.trusted_networks": "127.0.0.0/8"]) { home, _ in
            try await emit([setData("thing", Place.tableLamp, "profile", "x")], home)
            let isStored = try await eventually { try await stored(home)["data"]?["profile"] == "x" }
            #expect(isStored)
        }
    }

    @Test func `without a token a program of this machine drives, brings its device and carries it about`()
        async throws
    {
        try await withHome(["flare.server.trusted_networks": ""]) { home, _ in
            let devices = "/environments/\(Place.flat)/devices"
            let made = try await home.rest("POST", devices, #"{"name":"Phone","data":{"mac":"x"}}"#)
            let phone = try #require(try JSONValue(parsing: made.body)["_id"]?.string, "\(made)")
            try await emit(
                [
                    setData("thing", Place.tableLamp, "profile", "lock"),
                    setData("thing", Place.tableLamp, "on", true),
                    setData("thing", Place.tableLamp, "brightness", 0.25),
                    setData("thing", Place.tableLamp, "color", "red"),
                    ["performAction", ["thing": .string(Place.tableLamp), "action": "nextColor"]],
                    setData("device", phone, "angle", 90),
                    ["setPosition", ["device": .string(phone), "position": ["x": 3, "y": 2]]],
                ],
                home
            )
            let isThere = try await eventually {
                try await stored(home, "\(devices)/\(phone)")["position"]?["x"] == 3
            }
            #expect(isThere)
            let data = try await stored(home)["data"]
            #expect(data?["profile"] == nil && data?["on"] == true && data?["brightness"] == 0.25)
            #expect(data?["color"] == "orange", "the colour after red: \(String(describing: data))")
            #expect(try await stored(home, "\(devices)/\(phone)")["data"]?["angle"] == 90)
            #expect(try await home.rest("DELETE", "\(devices)/\(phone)").status == 200)
            let refused = try await home.rest("PUT", Self.lamp, #"{"name":"Mine"}"#)
            #expect(refused.status == 403 && refused.body.contains("token"), "\(refused)")
            for _ in 0..<3 { _ = try await home.rest("DELETE", Self.lamp) }
            let isCounted = try await eventually {
                let rows = try await run(home, ["log", "--json"]).split(separator: "\n")
                    .filter { $0.contains("\"refused\"") }.compactMap { try? JSONValue(parsing: String($0)) }
                return rows.compactMap { $0["times"]?.integer }.reduce(0, +) >= 4 && rows.count < 4
            }
            #expect(isCounted, "refusals of strangers are one row a minute")
            let log = try await run(home, ["log", "--json", "--limit", "1000"])
            #expect(log.contains("\"device rm\"") && !log.contains("\"remove\""), "\(log)")
        }
    }

    @Test func `nobody imports at the Flare server, and every import on the command line is in the log`()
        async throws
    {
        try await withBob([("all", "own")]) { home, token in
            let model = #"{"environments":[{"name":"Cabin"}]}"#
            let path = "/.trilateral/model?mode=add&access_token=\(token)"
            #expect(try await home.rest("POST", path, model).status == 404)
            #expect(try await stored(home, "/environments").array?.count == 2)
            try home.folder.write(model, to: "cabin.json")
            _ = try await run(home, ["import", home.folder.path("cabin.json")])
            #expect(try await stored(home, "/environments").array?.count == 3)
            let user = SystemUser.name(of: getuid())
            let isLogged = try await eventually {
                try await run(home, ["log", "--json"]).split(separator: "\n").contains {
                    $0.contains("\"import\"") && $0.contains("\"system:\(user)\"")
                        && $0.contains("\"command line\"")
                }
            }
            #expect(isLogged)
        }
    }
}
