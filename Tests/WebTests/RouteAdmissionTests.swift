import HTTPTypes
import TestSupport
import Testing
import Threading

@testable import Web

/// Who may ask for what: every route of the listener, with every method.
@Suite(.timeLimit(.minutes(4)))
struct RouteAdmissionTests {
    private static let routes = WebRoute.table(.tested) + .tested

    /// What everybody is answered, by method and path.
    ///
    /// Everything else is 401 until somebody is identified.
    private static let open: [String: Int] = [
        "GET /kiosk/": 303, "GET /sign-in/": 303, "GET /sign-up/": 303, "GET /forgot/": 303,
        "GET /verify/": 303, "GET /me/": 303, "GET /admin/": 303,
        "GET /sign-in": 200, "GET /sign-up": 200, "GET /forgot": 200, "GET /verify": 200,
        "GET /healthz": 200,
        "GET /api/session": 200, "POST /api/session": 200, "DELETE /api/session": 204,
        "POST /api/sign-in": 200, "POST /api/sign-out": 200, "POST /api/sign-up": 200,
        "POST /api/forgot": 200, "POST /api/verify": 200,
    ]

    /// What leads browsers to the sign-in page.
    private static let leading: Set<String> = ["GET /", "GET /kiosk", "GET /me", "GET /admin"]

    /// What is not for whoever is on this machine.
    private static let signedIn: Set<String> = [
        "/me", "/admin", "/api/me", "/api/me/password", "/api/users", "/api/users/{user}",
        "/api/users/{user}/password", "/api/groups", "/api/groups/{group}", "/api/groups/{group}/members",
        "/api/groups/{group}/leave", "/api/grants/check", "/api/grants", "/api/grants/{grant}", "/api/shares",
        "/api/shares/{share}", "/api/shares/{share}/accept", "/api/contacts", "/api/contacts/{contact}",
        "/api/tokens", "/api/tokens/{token}", "/api/sessions", "/api/sessions/{session}", "/api/log",
        "/api/bindings", "/api/bindings/onboard", "/api/bindings/expect", "/api/bindings/{binding}",
        "/api/bindings/{binding}/token", "/api/bindings/{binding}/owners",
        "/api/bindings/{binding}/owners/{owner}",
        "/api/rules", "/api/rules/{rule}", "/api/rules/{rule}/on", "/api/rules/{rule}/off",
        "/api/rules/{rule}/run", "/api/rules/{rule}/test", "/api/rules/{rule}/explain",
        "/api/survey", "/api/survey/points", "/api/survey/points/{point}", "/api/survey/measurement",
        "/api/survey/export", "/api/survey/import",
        "/api/device-settings", "/api/device-settings/{node}", "/api/heard",
    ]

    /// The files of the page that it needs before anybody is identified.
    private static let openFiles: Set<String> = [
        "dom.js", "experience.css", "forgot.js", "icon-120.png", "icon.svg", "manifest.webmanifest",
        "oldest.js", "people-forms.js", "people-german.js", "people.css", "people.js", "rules.css",
        "sign-in.js",
        "sign-up.js", "style.css", "verify.js", "views.css",
    ]

    private static let browser = ["User-Agent: Mozilla/5.0", "Accept: text/html"]

    /// Asks a route, with something for the parts that vary.
    private static func ask(
        _ template: String,
        _ method: HTTPRequest.Method,
        port: Int,
        headers: [String] = []
    ) async throws -> WireClient.Reply {
        let parts = template.split(separator: "/", omittingEmptySubsequences: false)
        let path = parts.map { $0.hasPrefix("{") ? "x" : String($0) }.joined(separator: "/")
        let hasBody = method == .post
        return try await request(
            method.rawValue,
            path,
            port: port,
            headers: headers + (hasBody ? ["Content-Type: application/json"] : []),
            body: hasBody ? "{}" : ""
        )
    }

    /// A listener that nobody is known to.
    private static func serveNobody(_ body: @escaping @Sendable (Int) async throws -> Void) async throws {
        let known = Users.Known()
        known.claims.withLock { $0 = [:] }
        try await Users.serve([], known) { (port: Int, _: FakeNode) async throws in try await body(port) }
    }

    @Test(arguments: [[], Self.browser])
    func `everybody may ask for what signing in needs, and for nothing else`(headers: [String])
        async throws
    {
        try await Self.serveNobody { (port: Int) async throws in
            for route in Self.routes {
                let template = "\(route.template)"
                for method in route.methods {
                    let key = "\(method == .head ? .get : method) \(template)"
                    let isLed = !headers.isEmpty && Self.leading.contains(key)
                    let reply = try await Self.ask(template, method, port: port, headers: headers)
                    #expect(reply.status == (Self.open[key] ?? (isLed ? 303 : 401)), "\(method) \(template)")
                    if isLed { #expect(reply.headers["location"]?.hasPrefix("sign-in") == true) }
                }
                // A method that nothing takes.
                let isOpen = Self.open.keys.contains { $0.hasSuffix(" \(template)") }
                let other = try await Self.ask(template, .options, port: port, headers: headers)
                #expect(other.status == (isOpen ? 405 : 401), "OPTIONS \(template)")
            }
        }
    }

    @Test func `what everybody may ask for is there`() {
        let all = Self.routes.flatMap { route in route.methods.map { "\($0) \(route.template)" } }
        #expect(Self.open.keys.filter { !all.contains($0) } == [])
        #expect(Self.signedIn.subtracting(Self.routes.map { "\($0.template)" }) == [])
        #expect(Self.openFiles.subtracting(PageFiles.embedded.names) == [])
    }

    @Test func `whoever is on this machine may ask for all but accounts and their pages`() async throws {
        try await Users.serve([]) { (port: Int, _: FakeNode) async throws in
            for route in Self.routes {
                let template = "\(route.template)"
                // The stream of events has no end.
                for method in route.methods where method != .get || template != "/api/events" {
                    let reply = try await Self.ask(template, method, port: port)
                    let isClosed = Self.signedIn.contains(template)
                    #expect((reply.status == 401) == isClosed, "\(method) \(template): \(reply.status)")
                }
            }
        }
    }

    @Test func `of the page's files those are open that signing in needs, with its version as well`()
        async throws
    {
        try await Self.serveNobody { (port: Int) async throws in
            for name in PageFiles.embedded.names.sorted() {
                for folder in ["", "\(PageFiles.embedded.version)/"] {
                    let reply = try await request("GET", "/kiosk/\(folder)\(name)", port: port)
                    #expect(reply.status == (Self.openFiles.contains(name) ? 200 : 401), "\(folder)\(name)")
                }
                let other = try await request("GET", "/kiosk/1-2/\(name)", port: port)
                #expect(other.status == 401, "\(name)")
            }
            // What there is not, is not found where it could be.
            #expect(try await request("GET", "/kiosk/none.css", port: port).status == 404)
            for path in ["modules/x.css", "none.js", "a%2fb.css", "a/b/c.css", "%zz.css", "/style.css"] {
                #expect(try await request("GET", "/kiosk/\(path)", port: port).status == 401, "\(path)")
            }
        }
    }

    @Test(arguments: [
        ("/%73ign-in", 200), ("/%6de", 401), ("/kiosk/%73tyle.css", 200), ("/kiosk/%61pp.js", 401),
        ("/api/%73tate", 401),
    ])
    func `an encoded path is for the same callers as the path`(path: String, status: Int) async throws {
        try await Self.serveNobody { (port: Int) async throws in
            #expect(try await request("GET", path, port: port).status == status)
        }
    }

    @Test(arguments: ["/nothing", "/api/nothing", "/kiosk/a/b/c", "/api/sign-in/x", "//healthz", "/healthz/"])
    func `a path that nothing answers asks for the caller first`(path: String) async throws {
        try await Self.serveNobody { (port: Int) async throws in
            #expect(try await request("GET", path, port: port).status == 401)
        }
        try await Users.serve([]) { (port: Int, _: FakeNode) async throws in
            #expect(try await request("GET", path, port: port).status == 404)
        }
    }
}
