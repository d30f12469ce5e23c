import CommandFixture
import Controller
import Flare
import HTTPTypes
import JSON
import People
import TestSupport
import Testing
import Things

import Threading
@testable import Web

/// Users at the web listener: who the caller is, and what they see.
@Suite(.timeLimit(.minutes(1)))
struct CallerGateTests {
    // MARK: Callers

    @Test(
        arguments: [
            ([], Users.unnamed), (Users.session, .user(Users.bob)), (Users.token, .user(Users.bob)),
            (Users.token + ["Cookie: trilateral_session=gone"], .user(Users.bob)),
            (["Cookie: trilateral_session=gone; trilateral_session=s1"], .user(Users.bob)),
            ([Users.basic("tlu_bob")], .user(Users.bob)),
        ] as [([String], Caller)]
    ) func `a command is the caller's`(headers: [String], caller: Caller)
        async throws
    {
        try await Users.serve { (port: Int, node: FakeNode) async throws in
            let reply = try await post(
                "/api/things/red-lamp/set",
                #"{"state":"ON"}"#,
                port: port,
                headers: headers
            )
            #expect(reply.status == 200)
            #expect(node.commands.map(\.caller) == [caller])
            #expect(node.commands.first?.source == "127.0.0.1")
        }
    }

    @Test(arguments: [
        ["Authorization: Bearer tlu_other"], ["Authorization: Bearer other"],
        ["Authorization: Token tlu_bob"], [Users.basic("tlu_bo")], [Users.basic("")],
        ["Cookie: trilateral_session=gone"],
        ["X-Forwarded-For: 127.0.0.1"], ["Forwarded: for=127.0.0.1"], ["X-Forwarded-For: "],
    ]) func `who is wrong, or came through a proxy, is nobody`(headers: [String]) async throws {
        try await Users.serve { (port: Int, _: FakeNode) async throws in
            let reply = try await request("GET", "/api/state", port: port, headers: headers)
            #expect(reply.status == 401)
            #expect(reply.body.contains(#""code":"unauthenticated""#))
            let isStale = headers.first?.hasPrefix("Cookie") == true
            #expect(
                (reply.headers["set-cookie"]?.hasPrefix("trilateral_session=; Max-Age=0") == true) == isStale
            )
        }
    }

    @Test func `without a user for the unsigned page, browsers are led to the sign-in page`() async throws {
        let known = Users.Known()
        known.claims.withLock { $0[.unnamed(.kiosk)] = nil }
        try await Users.serve([], known) { (port: Int, _: FakeNode) async throws in
            let browser = ["User-Agent: Mozilla/5.0", "Accept: text/html"]
            for (path, place) in [("/kiosk?view=map", "sign-in?view=map"), ("/me", "sign-in?next=me")] {
                let reply = try await request("GET", path, port: port, headers: browser)
                #expect(reply.status == 303 && reply.headers["location"] == place)
            }
            #expect(try await request("GET", "/api/things", port: port).status == 401)
            for path in ["/sign-in", "/sign-up", "/forgot", "/verify", "/kiosk/verify.js", "/healthz"] {
                #expect(try await request("GET", path, port: port).status == 200, "\(path)")
            }
            #expect(try await request("GET", "/admin", port: port, headers: Users.session).status == 200)
        }
    }

    @Test func `the listener's password makes the unsigned user, a session needs none`() async throws {
        try await Users.serve(hasPassword: true) { (port: Int, node: FakeNode) async throws in
            #expect(try await request("GET", "/api/state", port: port).status == 401)
            #expect(try await request("GET", "/api/state", port: port, headers: Users.session).status == 200)
            let password = ["Authorization: Bearer open sesame"]
            _ = try await post("/api/request/ping", "{}", port: port, headers: password)
            #expect(node.commands.map(\.caller) == [.user(Users.owner)])
        }
    }

    @Test func `an open listener lets in who came through a proxy`() async throws {
        try await Users.serve(isOpen: true) { (port: Int, _: FakeNode) async throws in
            let headers = ["X-Forwarded-For: 192.0.2.1"]
            #expect(try await request("GET", "/api/state", port: port, headers: headers).status == 200)
        }
    }

    @Test func `a token in a command counts more than the request`() async throws {
        try await Users.serve { (port: Int, node: FakeNode) async throws in
            for body in [#"{"token":"tlu_bob"}"#, #"{"as":"bob"}"#, #"{"token":"tlu_x"}"#] {
                _ = try await post("/api/request/ping", body, port: port)
            }
            // The fake knows this claim without a name only.
            #expect(node.commands.map(\.caller) == [.user(Users.bob), nil, nil])
        }
    }

    // MARK: Everybody on this machine

    @Test func `nobody administers without signing in, and the answer says how to`() async throws {
        try await Users.serve { (port: Int, node: FakeNode) async throws in
            for path in [
                "users", "groups", "grants", "shares", "tokens", "sessions", "log", "me", "contacts",
            ] {
                let reply = try await request("GET", "/api/\(path)", port: port)
                #expect(
                    reply.status == 401 && reply.body.contains("`trilateral sign-in`"),
                    "\(path): \(reply)"
                )
                let known = try await request("GET", "/api/\(path)", port: port, headers: Users.token)
                #expect(known.status != 401, "\(path)")
            }
            let changed = try await post("/api/tokens", #"{"name":"x"}"#, port: port)
            #expect(changed.status == 401)
            #expect(try await request("GET", "/api/session", port: port).status == 200)
            let browser = ["User-Agent: Mozilla/5.0", "Accept: text/html"]
            for page in ["me", "admin"] {
                let reply = try await request("GET", "/\(page)", port: port, headers: browser)
                #expect(reply.status == 303 && reply.headers["location"] == "sign-in?next=\(page)")
                #expect(try await request("GET", "/\(page)", port: port).status == 401)
                let signedIn = try await request("GET", "/\(page)", port: port, headers: Users.session)
                #expect(signedIn.status == 200)
            }
            #expect(try await request("GET", "/kiosk", port: port, headers: browser).status == 200)
        }
    }

    @Test func `an open listener lets nobody administer either, the listener's password does`() async throws {
        try await Users.serve(isOpen: true) { (port: Int, _: FakeNode) async throws in
            #expect(try await request("GET", "/api/users", port: port).status == 401)
        }
        try await Users.serve(hasPassword: true) { (port: Int, _: FakeNode) async throws in
            let password = ["Authorization: Bearer open sesame"]
            #expect(try await request("GET", "/api/users", port: port, headers: password).status == 200)
        }
    }

    @Test func `a refusal is told as it was made, to whoever asked`() async throws {
        let refuse: @Sendable (Command) -> Answer? = {
            var answer = Answer(ticket: $0.ticket, tx: $0.tx, subject: .set)
            (answer.actor, answer.refusal) = ($0.actor, Refusal(.notAllowed, "you may not"))
            return answer
        }
        let node = try FakeNode(respond: refuse)
        try await withWeb(node, people: Users.people(Users.Known())) { port in
            for headers in [[], Users.token] {
                let answer = try await post("/api/request/restart", "{}", port: port, headers: headers)
                #expect(answer.status == 403 && answer.body.contains(#""you may not""#))
            }
        }
    }

    // MARK: A proxy that signs in

    private static func proxy(trusts: Bool, makes known: Users.Known? = nil) throws -> WebPeople.Proxy {
        let name = try #require(HTTPField.Name("Remote-User"))
        let make: (@Sendable (String) async -> Void)? = known.map { known in
            { @Sendable name in known.claims.withLock { $0[.vouched(name)] = .user(Users.bob) } }
        }
        return WebPeople.Proxy(header: name, isTrusted: { trusts && $0.hasPrefix("127.") }, make: make)
    }

    @Test func `the proxy names the user, and tells the address`() async throws {
        try await Users.serve(proxy: Self.proxy(trusts: true)) { (port: Int, node: FakeNode) async throws in
            let headers = ["Remote-User: bob", "X-Forwarded-For: 9.9.9.9, 192.0.2.7, 127.0.0.2"]
            _ = try await post("/api/request/ping", "{}", port: port, headers: headers)
            #expect(node.commands.map(\.caller) == [.user(Users.bob)])
            #expect(node.commands.first?.source == "192.0.2.7")
            let unknown = try await request("GET", "/api/state", port: port, headers: ["Remote-User: eve"])
            #expect(unknown.status == 403)
        }
    }

    @Test func `the header of somebody else is ignored and counted`() async throws {
        try await Users.serve(proxy: Self.proxy(trusts: false)) { (port: Int, node: FakeNode) async throws in
            _ = try await post("/api/request/ping", "{}", port: port, headers: ["Remote-User: bob"])
            #expect(node.commands.map(\.caller) == [Users.unnamed])
            #expect(node.counters.ignoredProxyHeaders == 1)
        }
    }

    @Test func `an unknown user is made if that is wanted, and only by a legal name`() async throws {
        let known = Users.Known()
        try await Users.serve([], known, proxy: Self.proxy(trusts: true, makes: known)) {
            (port: Int, _: FakeNode) async throws in
            let made = try await request("GET", "/api/state", port: port, headers: ["Remote-User: eve"])
            #expect(made.status == 200)
            let illegal = try await request("GET", "/api/state", port: port, headers: ["Remote-User: E/+"])
            #expect(illegal.status == 403)
        }
    }

    @Test(
        arguments: [
            (true, "192.0.2.7", "192.0.2.7"), (true, "9.9.9.9, 192.0.2.7", "192.0.2.7"),
            (true, "192.0.2.7, 127.0.0.2", "192.0.2.7"), (true, "127.0.0.2", "127.0.0.1"),
            (true, "", "127.0.0.1"), (false, "192.0.2.7", "127.0.0.1"),
            (true, "192.0.2.7:51234", "192.0.2.7"), (true, "[2001:db8::1]:443, 127.0.0.2:9", "2001:db8::1"),
            (true, "9.9.9.9, someone", "127.0.0.1"),
            (true, "9.9.9.9, \(String(repeating: "1", count: 65))", "127.0.0.1"),
        ]
    )
    func `a proxy that is believed tells the client's address, and names nobody`(
        isBelieved: Bool,
        header: String,
        source: String
    ) async throws {
        try await Users.serve(isForwarder: { isBelieved && $0.hasPrefix("127.") }) {
            (port: Int, node: FakeNode) async throws in
            let headers = ["X-Forwarded-For: \(header)", "Remote-User: eve"]
            _ = try await post("/api/request/ping", "{}", port: port, headers: headers + Users.token)
            #expect(node.commands.map(\.caller) == [.user(Users.bob)])
            #expect(node.commands.first?.source == source)
            let nobody = try await request("GET", "/api/state", port: port, headers: headers)
            #expect(nobody.status == 401)
        }
    }

    // MARK: Accounts

    @Test func `signing in sets a cookie, signing out clears it`() async throws {
        let known = Users.Known()
        try await Users.serve([], known) { (port: Int, _: FakeNode) async throws in
            let reply = try await post("/api/session", #"{"user":"bob","password":"x"}"#, port: port)
            let cookie = reply.headers["set-cookie"] ?? ""
            #expect(
                cookie.hasPrefix("trilateral_session=s1; ")
                    && cookie.hasSuffix("; Path=/; HttpOnly; SameSite=Strict")
            )
            let out = try await request("DELETE", "/api/session", port: port, headers: Users.session)
            #expect(out.status == 204)
            #expect(out.headers["set-cookie"]?.hasPrefix("trilateral_session=; Max-Age=0") == true)
            let (first, last) = known.asked.withLock { ($0.first, $0.last) }
            #expect(first?.caller == nil && first?.source == "127.0.0.1" && first?.interface == "kiosk")
            #expect(last?.caller == .user(Users.bob) && last?.session == "s1")
        }
    }

    @Test func `signing in at another daemon of the host ends no session here`() async throws {
        let known = Users.Known()
        let people = Users.people(known, key: [7])
        let own = try #require(people.cookies.first).setting("s1").prefix { $0 != ";" }
        try await withWeb(try Users.node([(.read, .all)]), people: people) { port in
            // The other daemon has replaced the shared cookie; or is of the same age, and has one of its own.
            for others in ["trilateral_session=theirs", "trilateral_session_01234567=theirs"] {
                for cookie in ["\(own); \(others)", "\(others); \(own)"] {
                    let reply = try await request(
                        "GET",
                        "/api/session",
                        port: port,
                        headers: ["Cookie: \(cookie)"]
                    )
                    #expect(reply.headers["set-cookie"] == nil)
                    #expect(known.identified.withLock { $0.last } == .session("s1"), "\(cookie)")
                    let list = try await request(
                        "GET",
                        "/api/things",
                        port: port,
                        headers: ["Cookie: \(cookie)"]
                    )
                    #expect(list.status == 200 && list.headers["set-cookie"] == nil, "\(cookie)")
                }
            }
            let shared = ["Cookie: trilateral_session=s1"]
            #expect(try await request("GET", "/api/things", port: port, headers: shared).status == 200)
        }
    }

    @Test func `a session is set by the shared name and by the installation's own`() async throws {
        let people = Users.people(Users.Known(), key: [7])
        let expected = people.cookies.setting("s1")
        #expect(expected.count == 2 && expected.last?.hasPrefix("trilateral_session=s1; ") == true)
        #expect(expected.first?.hasPrefix("trilateral_session_") == true)
        let other = Users.people(Users.Known(), key: [8]).cookies
        #expect(other.sessions(in: [.cookie: expected.first ?? ""]) == [])
        try await withWeb(try Users.node([]), people: people) { port in
            let body = #"{"user":"bob","password":"x"}"#
            let lines = [
                "POST /api/session HTTP/1.1", "Host: localhost", "Connection: close", ThingIF.json,
                "Content-Length: \(body.utf8.count)",
            ]
            let answer = try await onThread {
                let client = try WireClient(port: port)
                client.send(lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
                return String(decoding: try client.rest(), as: UTF8.self)
            }
            for cookie in expected { #expect(answer.contains(": \(cookie)\r\n"), "\(answer)") }
        }
    }

    @Test func `accounts are asked with path, query, body and caller`() async throws {
        let known = Users.Known()
        try await Users.serve([], known) { (port: Int, _: FakeNode) async throws in
            let path = "/api/users/b%C3%A4r?a=1&b=%20x"
            let reply = try await request(
                "PATCH",
                path,
                port: port,
                headers: Users.token + ["Content-Type: application/json"],
                body: #"{"x":1}"#
            )
            #expect(reply.status == 200 && reply.headers["retry-after"] == "7")
            let asked = known.asked.withLock { $0.last }
            #expect(asked?.path == ["users", "bär"] && asked?.query == ["a": "1", "b": " x"])
            #expect(asked?.body == ["x": 1] && asked?.caller == .user(Users.bob) && asked?.method == .patch)
            #expect(try await request("GET", "/api/log", port: port, headers: Users.token).status == 403)
            let plain = try await request(
                "POST",
                "/api/users",
                port: port,
                headers: Users.token,
                body: "x=1"
            )
            #expect(plain.status == 415)
            let options = try await request("OPTIONS", "/api/users", port: port, headers: Users.token)
            #expect(options.status == 405 && options.headers["allow"] == "GET, HEAD, POST")
            let bad = try await post("/api/users", "{", port: port, headers: Users.token)
            #expect(bad.status == 400)
        }
    }

    @Test func `a thing is made, changed and removed by commands`() async throws {
        try await Users.serve { (port: Int, node: FakeNode) async throws in
            let made = try await post("/api/things", #"{"name":"Lamp","zone":"kitchen"}"#, port: port)
            let type = ["Content-Type: application/json"]
            let changed = try await request(
                "PATCH",
                "/api/things/red-lamp",
                port: port,
                headers: type,
                body: #"{"name":"New"}"#
            )
            let removed = try await request("DELETE", "/api/things/red-lamp", port: port)
            #expect([made.status, changed.status, removed.status] == [200, 200, 200])
            var edit = ObjectEdit()
            edit.name = "Lamp"
            #expect(node.commands.map(\.operation).first == .add(.thing, edit, to: "kitchen"))
            edit.name = "New"
            #expect(
                node.commands.map(\.operation).dropFirst() == [
                    .edit(.thing, "red-lamp", edit, zone: nil),
                    .remove(.thing, "red-lamp", withContents: false),
                ]
            )
            #expect(try await post("/api/things", "{}", port: port).status == 400)
            #expect(try await request("POST", "/api/things", port: port, body: "{}").status == 415)
        }
    }
}
