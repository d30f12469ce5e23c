import Foundation
import JSON
import TestSupport
import Testing

/// Users at the page, the API and the Flare server of a real daemon.
@Suite(.enabled(if: Mosquitto.isExpected), .mosquitto, .timeLimit(.minutes(2)))
struct PeopleInterfaceTests {
    private static let lamp = Place.path(ofThing: Place.tableLamp, in: Place.living)

    /// What a verb prints.
    private func run(_ home: Home, _ words: [String]) async throws -> String {
        let end = try await Program.run(words + ["--state", home.state], in: home.folder)
        #expect(end.status == 0, "\(words): \(end.output)")
        return end.output.trimmingCharacters(in: .newlines)
    }

    private func password(_ text: String, _ home: Home) throws -> String {
        try home.folder.write(text + "\n", to: "password")
        #expect(chmod(home.folder.path("password"), 0o600) == 0)
        return home.folder.path("password")
    }

    private func webPort(_ home: Home) async throws -> Int {
        try #require(await home.logs("web: http://127.0.0.1:"))
        let rest = await home.log.components(separatedBy: "web: http://127.0.0.1:").last
        return try #require(rest.flatMap { Int($0.prefix { $0.isNumber }) })
    }

    private func json(_ path: String, _ port: Int, _ headers: [String] = []) async throws -> JSONValue {
        try JSONValue(parsing: try await request("GET", path, port: port, headers: headers).body)
    }

    private static let type = ["Content-Type: application/json"]

    /// A home with bob, who may see the table lamp, and his token.
    private func withBob(
        _ keys: [String: String] = [:],
        _ body: (Home, Visitor, [String]) async throws -> Void
    )
        async throws
    {
        try await withHome(["web.listen": "127.0.0.1:0"].merging(keys) { $1 }) { home, visitor in
            _ = try await run(
                home,
                ["user", "add", "bob", "--password-file", try password("correct horse", home)]
            )
            _ = try await run(home, ["grant", "add", "bob", "thing:table-lamp", "read"])
            let token = try await run(home, ["token", "add", "bob", "panel"])
            try await body(home, visitor, ["Authorization: Bearer \(token)"])
        }
    }

    @Test func `the unsigned owner sees everything, a token what it may, and what it sends is asked for`()
        async throws
    {
        try await withBob { home, _, token in
            let port = try await webPort(home)
            #expect(try await json("/api/things", port).array?.count ?? 0 > 1)
            #expect(try await json("/api/things", port, token).array?.map { $0["slug"] } == ["table-lamp"])
            #expect(try await json("/api/state", port, token)["device"] == .null)
            let set = { @Sendable (name: String) in
                try await request(
                    "POST",
                    "/api/things/\(name)/set",
                    port: port,
                    headers: token + Self.type,
                    body: #"{"state":"TOGGLE"}"#
                ).status
            }
            #expect(try await set("table-lamp") == 403)
            #expect(try await set("fridge") == 404)
            #expect(try await request("GET", "/api/log", port: port, headers: token).status == 403)
            _ = try await run(home, ["grant", "add", "bob", "thing:table-lamp", "write"])
            #expect(try await eventually { try await set("table-lamp") == 200 })
            let forged = ["X-Forwarded-For: 127.0.0.1"]
            #expect(try await request("GET", "/api/state", port: port, headers: forged).status == 401)
            let told = try await eventually {
                let rows = try await run(home, ["log", "--user", "bob", "--json"]).split(separator: "\n")
                return rows.map { $0.contains(#""state":"refused""#) }.contains(true)
                    && rows.map { $0.contains(#""state":"accepted""#) }.contains(true)
            }
            #expect(told)
            let secret = try #require(token.first?.split(separator: " ").last)
            #expect(await !home.log.contains(secret))
        }
    }

    @Test func `what strangers send over the broker is one row of the log, without what they sent`()
        async throws
    {
        try await withBob(["people.mqtt_user": "none"]) { home, visitor, _ in
            for number in 0..<4 {
                let set = #"{"state":"ON","token":"tlu_wrong\#(number)","secret-key":1}"#
                #expect(try await visitor.ask("things/table-lamp/set", set).outcome != "ok")
                #expect(try await visitor.ask("request/secret-verb\(number)").outcome != "ok")
            }
            let rows = try await run(home, ["log", "--json"]).split(separator: "\n").map {
                try JSONValue(parsing: $0.utf8)
            }
            let strangers = rows.filter { $0["face"] == "mqtt" && $0["speaker"] == "nobody" }
            #expect(strangers.compactMap { $0["times"]?.integer } == [8])
            #expect(!"\(rows)".contains("secret") && !"\(rows)".contains("tlu_"))
        }
    }

    @Test func `a session begins with the password, ends at sign-out, and with the password`() async throws {
        try await withBob { home, _, _ in
            let port = try await webPort(home)
            func signIn(_ password: String) async throws -> WireClient.Reply {
                let body = #"{"user":"bob","password":"\#(password)"}"#
                return try await request("POST", "/api/session", port: port, headers: Self.type, body: body)
            }
            #expect(try await signIn("wrong horses").status == 401)
            func session() async throws -> [String] {
                let reply = try await signIn("correct horse")
                #expect(reply.status == 200, "\(reply)")
                let cookie = try #require(reply.headers["set-cookie"])
                #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"))
                return ["Cookie: \(cookie.prefix { $0 != ";" })"]
            }
            let first = try await session()
            #expect(try await json("/api/session", port, first)["user"] == "bob")
            #expect(try await json("/api/things", port, first).array?.count == 1)
            let out = try await request("DELETE", "/api/session", port: port, headers: first)
            #expect(out.status == 204)
            #expect(try await request("GET", "/api/things", port: port, headers: first).status == 401)
            let second = try await session()
            let file = try password("another horse", home)
            _ = try await run(home, ["user", "password", "bob", "--password-file", file])
            let ended = try await eventually {
                try await request("GET", "/api/things", port: port, headers: second).status == 401
            }
            #expect(ended)
        }
    }

    @Test func `things are made, changed and removed over HTTP by who owns them`() async throws {
        try await withBob { home, visitor, token in
            let port = try await webPort(home)
            let body =
                #"{"name":"Reading lamp","zone":"living-room","data":{"on":false},"position":{"x":1,"y":1}}"#
            let refused = try await request(
                "POST",
                "/api/things",
                port: port,
                headers: token + Self.type,
                body: body
            )
            // They may not see the room either.
            #expect(refused.status == 404, "\(refused)")
            let unnamed = try await request("POST", "/api/things", port: port, headers: Self.type, body: body)
            #expect(unnamed.status == 403 && unnamed.body.contains("trilateral sign-in"), "\(unnamed)")
            let owner = [try await home.signIn(port: port)]
            let made = try await request(
                "POST",
                "/api/things",
                port: port,
                headers: owner + Self.type,
                body: body
            )
            #expect(made.status == 200, "\(made)")
            #expect(try JSONValue(parsing: made.body)["target"]?["slug"] == "reading-lamp", "\(made.body)")
            try await visitor.awaits("things/reading-lamp") { $0["name"] == "Reading lamp" }
            let changed = try await request(
                "PATCH",
                "/api/things/reading-lamp",
                port: port,
                headers: owner + Self.type,
                body: #"{"description":"by the sofa","data":{"on":null,"note":"x"}}"#
            )
            #expect(changed.status == 200)
            let thing = try await json("/api/things/reading-lamp", port)
            #expect(thing["data"] == ["note": "x"] && thing["position"]?["x"] == 1)
            let removed = try await request(
                "DELETE",
                "/api/things/reading-lamp",
                port: port,
                headers: owner
            )
            #expect(removed.status == 200)
            #expect(try await request("GET", "/api/things/reading-lamp", port: port).status == 404)
        }
    }

    @Test func `others on this machine read and drive, and administer nothing without the owner's link`()
        async throws
    {
        let keys = ["web.listen": "127.0.0.1:0", "flare.server.trusted_networks": ""]
        try await withHome(keys) { home, _ in
            let port = try await webPort(home)
            func status(_ method: String, _ path: String, _ headers: [String] = [], _ body: String = "{}")
                async throws -> Int
            {
                let body = method == "GET" ? "" : body
                return try await request(
                    method,
                    "/api/" + path,
                    port: port,
                    headers: headers + Self.type,
                    body: body
                )
                .status
            }
            let routes = ["users", "groups", "grants", "shares", "tokens", "sessions", "log"]
            #expect(try await json("/api/things", port).array?.count ?? 0 > 1)
            #expect(try await status("POST", "things/table-lamp/set", [], #"{"state":"TOGGLE"}"#) == 200)
            for route in routes { #expect(try await status("GET", route) == 401, "\(route)") }
            for (verb, body) in [("reload", "{}"), ("restart", "{}"), ("loglevel", #"{"level":"debug"}"#)] {
                #expect(
                    try await status("POST", "request/\(verb)", [], body) == 403,
                    "\(verb)"
                )
            }
            #expect(try await status("POST", "tokens", [], #"{"name":"x"}"#) == 401)
            #expect(try await status("PATCH", "things/table-lamp", [], #"{"name":"x"}"#) == 403)
            #expect(try await status("DELETE", "things/table-lamp") == 403)
            #expect(try await status("POST", "sign-in-links") == 404)
            let server = try #require(await home.serverPort())
            #expect(try await request("GET", Self.lamp, port: server).status == 200)
            for (method, path, body) in [
                ("PUT", Self.lamp, #"{"name":"x"}"#), ("DELETE", Self.lamp, ""),
                ("POST", "/environments", #"{"name":"x"}"#),
            ] {
                let reply = try await request(method, path, port: server, headers: Self.type, body: body)
                #expect(reply.status == 403, "\(method): \(reply)")
            }
            // The daemon's user still imports and exports.
            for words in [["export", "-"], ["import", home.folder.path("place.json"), "--replace"]] {
                let config = ["flare.server.listen": "127.0.0.1:\(server)"]
                let end = try await Program.run(
                    words + ["--state", home.state],
                    in: home.folder,
                    keys: config
                )
                #expect(end.status == 0, "\(words): \(end.output)")
            }
            let owner = [try await home.signIn(port: port)]
            for route in routes { #expect(try await status("GET", route, owner) == 200, "\(route)") }
            #expect(try await status("POST", "request/loglevel", owner, #"{"level":"debug"}"#) == 200)
            let rows = try await json("/api/log", port, owner).array ?? []
            #expect(rows.contains { $0["kind"] == "sign-in link add" && $0["face"] == "command line" })
        }
    }

    @Test func `the Flare server asks who comes, and the log tells who changed what`() async throws {
        try await withBob(["flare.server.access": "token"]) { home, visitor, token in
            let port = try #require(await home.serverPort())
            func status(_ method: String, _ path: String, _ headers: [String], _ body: String = "")
                async throws -> Int
            {
                try await request(method, path, port: port, headers: headers + Self.type, body: body).status
            }
            #expect(try await status("GET", "/environments", []) == 401)
            // Reading there needs read all.
            #expect(try await status("GET", "/environments", token) == 403)
            _ = try await run(home, ["grant", "add", "bob", "all", "read"])
            let reads = try await eventually { try await status("GET", "/environments", token) == 200 }
            #expect(reads)
            let name = #"{"description":"x"}"#
            #expect(try await status("PUT", Self.lamp, token, name) == 403)
            _ = try await run(home, ["grant", "add", "bob", "thing:table-lamp", "own"])
            let changes = try await eventually { try await status("PUT", Self.lamp, token, name) == 200 }
            #expect(changes)
            // The daemon's own way to its server needs no token.
            let reply = try await visitor.ask("things/table-lamp/set/color", "red")
            #expect(reply.outcome == "ok")
            let told = try await eventually {
                let log = try await run(home, ["log", "--user", "bob", "--json"])
                return log.contains("\"flare\"") && log.contains("\"accepted\"")
                    && log.contains("\"refused\"")
            }
            #expect(told)
        }
    }

    /// An unmodified Flare client, which only takes an address.
    @Test(.enabled(if: Interop.isExpected, "\(Interop.advice)"), arguments: [3, 4], InteropTests.transports)
    func `clients of others bring a token in the address`(revision: Int, transport: String) async throws {
        try await withBob(["flare.server.access": "token"]) { home, _, token in
            for words in [["all", "read"], ["thing:table-lamp", "write"]] {
                _ = try await run(home, ["grant", "add", "bob"] + words)
            }
            let secret = try #require(token.first?.split(separator: " ").last)
            try home.folder.write(String(secret), to: "token")
            let port = try #require(await home.serverPort())
            let end = try await Interop.run(
                "access",
                [
                    "127.0.0.1:\(port)", transport, home.folder.path("token"),
                    Place.things(of: Place.living), Place.tableLamp, Place.television,
                ],
                revision: revision,
                in: home.folder,
                within: .seconds(110)
            )
            #expect(end.status == 0, "\(end.output)")
            #expect(await !home.log.contains(secret))
        }
    }
}
