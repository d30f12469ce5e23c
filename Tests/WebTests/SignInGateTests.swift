import HTTPTypes
import People
import TestSupport
import Testing
import Threading

@testable import Web

/// A listener whose routes need a password.
@Suite(.timeLimit(.minutes(1)))
struct SignInGateTests {
    private static func serve(_ body: @escaping @Sendable (Int) async throws -> Void) async throws {
        try await withWeb(FakeNode(), people: Users.people(Users.Known(), hasPassword: true), body)
    }

    /// With sessions.
    private static func serveAccounts(_ body: @escaping @Sendable (Int) async throws -> Void) async throws {
        try await withWeb(FakeNode(), people: RealAccounts().people, body)
    }

    private static let json = ["Content-Type: application/json"]
    private static let browser = ["User-Agent: Mozilla/5.0 (X11; Linux)", "Accept: text/html,*/*"]

    @Test(arguments: [
        "/healthz", "/sign-in", "/kiosk/style.css", "/kiosk/sign-in.js", "/kiosk/icon.svg",
        "/kiosk/icon-192.png", "/kiosk/dom.js", "/kiosk/people.js", "/kiosk/people-forms.js",
        "/kiosk/people-german.js", "/kiosk/people.css", "/kiosk/oldest.js",
        "/kiosk/\(PageFiles.embedded.version)/sign-in.js",
    ])
    func `what the sign-in page needs is open to everybody`(path: String) async throws {
        try await Self.serve { port in
            let reply = try await request("GET", path, port: port)
            #expect(reply.status != 401 && reply.headers["location"] == nil)
        }
    }

    @Test(arguments: [
        "/api/state", "/kiosk/page.js", "/kiosk/kiosk.html", "/kiosk/..%2fapi.css", "/kiosk//x.css",
        "/kiosk/../api/state.css", "/nothing", "/api/sign-in/x", "/healthz/..", "//healthz", "/metrics",
        "/kiosk/a/b.css", "/kiosk/\(PageFiles.embedded.version)/app.js", "/api/permissions",
    ])
    func `everything else needs the password`(path: String) async throws {
        try await Self.serve { port in
            let reply = try await request("GET", path, port: port)
            #expect(reply.status == 401)
            #expect(reply.body.contains(#""code":"unauthenticated""#))
            let signed = try await request(
                "GET",
                path,
                port: port,
                headers: ["Authorization: Bearer open sesame"]
            )
            #expect(signed.status != 401)
        }
    }

    @Test(arguments: ["/", "/kiosk"])
    func `a browser is led to the sign-in page, with the query`(path: String) async throws {
        try await Self.serve { port in
            let target = path + "?view=map&display=hall"
            let reply = try await request("GET", target, port: port, headers: Self.browser)
            #expect(reply.status == 303)
            #expect(reply.headers["location"] == "sign-in?view=map&display=hall")
            let program = try await request("GET", target, port: port)
            #expect(program.status == 401)
        }
    }

    @Test func `only programs are asked for Basic`() async throws {
        try await Self.serve { port in
            let program = try await request("GET", "/api/state", port: port)
            #expect(program.headers["www-authenticate"]?.hasPrefix("Basic ") == true)
            let browser = try await request(
                "GET",
                "/api/state",
                port: port,
                headers: ["User-Agent: Mozilla/5.0", "Accept: */*"]
            )
            #expect(browser.status == 401)
            #expect(browser.headers["www-authenticate"] == #"Bearer realm="Trilateral""#)
        }
    }

    @Test func `a browser signs in, is let in, and signs out`() async throws {
        try await Self.serveAccounts { port in
            let wrong = try await request(
                "POST",
                "/api/sign-in",
                port: port,
                headers: Self.json,
                body: #"{"password":"open"}"#
            )
            #expect(wrong.status == 403)
            #expect(
                wrong.body
                    == #"{"error":{"code":"not_allowed","message":"the password is wrong"},"status":"error"}"#
            )
            #expect(wrong.headers["set-cookie"] == nil)
            let right = try await request(
                "POST",
                "/api/sign-in",
                port: port,
                headers: Self.json,
                body: #"{"password":"open sesame"}"#
            )
            #expect(right.body == #"{"status":"ok"}"#)
            let setting = try #require(right.headers["set-cookie"])
            let cookie = "Cookie: " + setting.prefix { $0 != ";" }
            let state = try await request("GET", "/api/state", port: port, headers: [cookie])
            #expect(state.status == 200)
            let out = try await post("/api/sign-out", "{}", port: port, headers: [cookie])
            #expect(out.headers["set-cookie"]?.contains("Max-Age=0") == true)
            let after = try await request("GET", "/api/state", port: port, headers: [cookie])
            #expect(after.status == 401)
            #expect(setting.hasSuffix("; Max-Age=2592000; Path=/; HttpOnly; SameSite=Lax"))
        }
    }

    @Test(arguments: [
        ("text/plain", #"{"password":"open sesame"}"#, 415), ("", #"{"password":"open sesame"}"#, 415),
        ("application/json", "password=open", 400), ("application/json", "[]", 400),
        ("application/json", #"{"password":7}"#, 400), ("application/json", "{}", 400),
        ("application/json", #"{"password":""}"#, 403),
        ("Application/JSON; charset=utf-8", #"{"password":"open sesame"}"#, 200),
    ])
    func `a sign-in that is malformed is refused`(type: String, body: String, status: Int) async throws {
        try await Self.serveAccounts { port in
            let headers = type.isEmpty ? [] : ["Content-Type: \(type)"]
            let reply = try await request("POST", "/api/sign-in", port: port, headers: headers, body: body)
            #expect(reply.status == status, "\(reply)")
        }
    }

    @Test func `a password that is too large is refused`() async throws {
        try await Self.serveAccounts { port in
            let body = #"{"password":"\#(String(repeating: "a", count: 70_000))"}"#
            let reply = try await post("/api/sign-in", body, port: port)
            #expect(reply.status == 413)
        }
    }

    @Test func `a page of another site cannot sign in or out`() async throws {
        try await Self.serve { port in
            for path in ["/api/sign-in", "/api/sign-out"] {
                let reply = try await request(
                    "POST",
                    path,
                    port: port,
                    headers: Self.json + ["Origin: https://evil.example"],
                    body: #"{"password":"open sesame"}"#
                )
                #expect(reply.status == 403)
                #expect(reply.headers["set-cookie"] == nil)
            }
        }
    }

    @Test func `too many wrong passwords are refused with a time, and other addresses and sessions are not`()
        async throws
    {
        let accounts = try await RealAccounts()
        try await withWeb(FakeNode(), people: accounts.people) { port in
            let signedIn = try await post("/api/sign-in", #"{"password":"open sesame"}"#, port: port)
            let cookie = "Cookie: " + (signedIn.headers["set-cookie"] ?? "").prefix { $0 != ";" }
            func status(_ header: String) async throws -> WireClient.Reply {
                try await request("GET", "/api/state", port: port, headers: [header])
            }
            for number in 0..<5 { #expect(try await status("Authorization: Bearer \(number)").status == 401) }
            let reply = try await status("Authorization: Bearer open sesame")
            #expect(reply.status == 429)
            #expect(reply.headers["retry-after"] == "60")
            #expect(reply.body.contains(#""code":"rate_limited""#))
            #expect(try await status(cookie).status == 200)
            accounts.steady.withLock { $0 += 60_000 }
            #expect(try await status("Authorization: Bearer open sesame").status == 200)
        }
    }

    @Test func `the cookie of a display is set again once a day`() async throws {
        let known = Users.Known()
        known.claims.withLock { $0[.listenerSession("s9")] = .user(Users.owner) }
        let people = Users.people(known, hasPassword: true)
        let setting = try #require(people.password).cookie.setting("s9")
        let node = try FakeNode()
        try await withWeb(node, people: people) { port in
            let headers = ["Cookie: a=b; " + setting.prefix { $0 != ";" }]
            let first = try await request("GET", "/api/state", port: port, headers: headers)
            #expect(first.status == 200 && first.headers["set-cookie"] == setting)
            let second = try await request("GET", "/api/state", port: port, headers: headers)
            #expect(second.status == 200 && second.headers["set-cookie"] == nil)
        }
    }

    @Test(arguments: [
        (true, true, "SameSite=None; Secure; Partitioned"), (true, false, "SameSite=Lax; Secure"),
        (false, true, "SameSite=Lax"), (false, false, "SameSite=Lax"),
    ])
    func `the cookie is for other sites' frames only where that is wanted and safe`(
        isSecure: Bool,
        isFramed: Bool,
        rights: String
    ) {
        let cookie = SessionCookie(key: [7], isSecure: isSecure, isFramed: isFramed)
        #expect(cookie.setting("x").hasSuffix("; Path=/; HttpOnly; \(rights)"))
        #expect(cookie.clearing.hasSuffix("; Path=/; HttpOnly; \(rights)"))
    }

    @Test func `daemons on one host have cookies of different names`() {
        let cookies = [UInt8(7), 8].map { SessionCookie(key: [$0], isSecure: false, isFramed: false) }
        let header = cookies.map { $0.setting("token").prefix { $0 != ";" } }.joined(separator: "; ")
        #expect(cookies[0].sessions(in: [.cookie: header]) == ["token"])
        #expect(cookies[1].sessions(in: [.cookie: "x; =; ;;" + header + ";"]).count == 1)
    }

    @Test func `without a password nobody needs to sign in`() async throws {
        let accounts = try await RealAccounts()
        let people = accounts.people
        try await withWeb(
            FakeNode(),
            people: WebPeople(identify: people.identify, handler: people.handler)
        ) { port in
            let state = try await request("GET", "/api/state", port: port)
            #expect(state.status == 200)
            for path in ["/api/sign-in", "/api/sign-out"] {
                let reply = try await post(path, #"{"password":"x"}"#, port: port)
                #expect(reply.status == 404)
                #expect(reply.body.contains("this daemon has no password"))
            }
        }
    }

    @Test func `a command needs the password as well, and a form of another page cannot send one`()
        async throws
    {
        try await Self.serve { port in
            let anonymous = try await post("/api/nearby/set", #"{"state":"ON"}"#, port: port)
            #expect(anonymous.status == 401)
            let password = "Authorization: Bearer open sesame"
            let set = try await post("/api/nearby/set", #"{"state":"ON"}"#, port: port, headers: [password])
            #expect(set.status == 200)
        }
    }
}
