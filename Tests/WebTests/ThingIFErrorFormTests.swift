import Bindings
import HTTPTypes
import JSON
import TestSupport
import Testing
import Things
import Threading

@testable import Web

/// Programs for Thing-IF end at an error without a code.
@Suite(.timeLimit(.minutes(1)))
struct ThingIFErrorFormTests {
    private static let body = #"{"vendorThingID":"v-1","thingPassword":"p"}"#

    /// A good request to one of ``ThingIF/calls``.
    private static func good(_ method: String, _ path: String, port: Int) async throws -> WireClient.Reply {
        var (headers, body) = ([ThingIF.thing, ThingIF.json], "")
        switch (method, path.split(separator: "/").last) {
        case ("POST", "onboardings"):
            (headers, body) = ([ThingIF.basic("A", "K"), ThingIF.form(.vendorByThing)], Self.body)
        case ("POST", "token"): body = #"{"grant_type":"password","username":"bob","password":"p"}"#
        case ("POST", "installations"):
            body = #"{"installationRegistrationID":"t","deviceType":"IOS"}"#
        case ("POST", "query"): body = #"{"query":{"clause":{"type":"all"}}}"#
        case ("POST", "commands"):
            body = #"{"actions":[{"a":1}],"issuer":"user:bob","schema":"l","schemaVersion":1}"#
        case ("PATCH", _): body = #"{"title":"Night"}"#
        case ("PUT", _), ("POST", "triggers"): body = "{}"
        default: break
        }
        return try await request(method, path, port: port, headers: headers, body: body)
    }

    private static let refusals:
        [(error: BindingsError, status: Int, codes: @Sendable (_ path: String) -> String)] = [
            (.refused(Refusal(.notAllowed, "no")), 403, { _ in "FORBIDDEN" }),
            (.refused(Refusal(.unauthenticated, "who?")), 401, { _ in "UNAUTHORIZED" }),
            (.refused(Refusal(.rateLimited, "wait")), 429, { _ in "TOO_MANY_REQUESTS" }),
            (.notOnboarded("no owner"), 409, { _ in "NOT_ONBOARDED" }),
            (.historyNotAvailable("no interval"), 409, { _ in "STATE_HISTORY_NOT_AVAILABLE" }),
            (.thingOffline("offline"), 503, { _ in "THING_OFFLINE" }),
            (.refused(Refusal(.internalError, "broken")), 500, { _ in "INTERNAL_ERROR" }),
            (
                .refused(Refusal(.unknownThing, "none")), 404,
                { path in
                    if path.contains("/commands/") { return "COMMAND_NOT_FOUND" }
                    if path.contains("/targets/") { return "TARGET_NOT_FOUND" }
                    if path.contains("/installations") { return "INSTALLATION_NOT_FOUND" }
                    return path.hasSuffix("/token") ? "APP_NOT_FOUND" : "THING_NOT_FOUND"
                }
            ),
            (
                .refused(Refusal(.invalidValue, "wrong", field: "f")), 400,
                { path in path.hasSuffix("/commands") ? "WRONG_COMMAND" : "INVALID_INPUT_DATA" }
            ),
        ]

    @Test(arguments: refusals.indices)
    func `each refusal has its status and its code at every route`(index: Int) async throws {
        try await ThingIF.serve { port, service in
            let (error, status, code) = Self.refusals[index]
            for (method, path) in ThingIF.calls {
                service.failure.withLock { $0 = nil }
                let good = try await Self.good(method, path, port: port)
                #expect((200..<300).contains(good.status), "\(method) \(path): \(good)")
                #expect(good.headers["cache-control"] == "no-store", "\(method) \(path)")
                service.failure.withLock { $0 = error }
                let reply = try await Self.good(method, path, port: port)
                let isList = method == "GET" && path.hasSuffix("/commands")
                #expect(reply.status == status, "\(method) \(path): \(reply)")
                #expect(reply.errorCode == (isList && status == 400 ? "INVALID_INPUT_DATA" : code(path)))
                #expect(reply.invalidFields == (status == 400 ? ["f"] : []))
                #expect(reply.headers["retry-after"] == (status == 429 ? "5" : nil))
                #expect((reply.headers["www-authenticate"] != nil) == (status == 401))
                #expect(reply.headers["cache-control"] == "no-store")
            }
        }
    }

    @Test(
        arguments: [
            ("GET", "/thing-if", 404), ("GET", "/thing-if/", 404), ("GET", "/thing-if/apps/A", 404),
            ("POST", "/thing-if/apps/A/onboardings/", 404), ("GET", "/api/apps", 404),
            ("GET", "/api/apps/A/nothing", 404), ("GET", "/%74hing-if/apps/A", 404),
            ("GET", "/thing-if/%zz", 404),
            ("GET", "/thing-if/apps/A/targets/x/commands/c/action-results/y", 404),
            ("GET", "/thing-if/apps/A/onboardings", 405), ("GET", "/api/%61pps/A/oauth2/token", 405),
        ] as [(String, String, Int)]
    )
    func `what nothing answers is an error with a code, and needs no caller`(
        method: String,
        path: String,
        status: Int
    ) async throws {
        try await ThingIF.serve(hasPassword: true) { port, _ in
            for accept in ["*/*", "text/html"] {
                let headers = ["Accept: \(accept)", "User-Agent: Mozilla/5.0"]
                let reply = try await request(method, path, port: port, headers: headers)
                #expect(reply.status == status, "\(reply)")
                #expect(reply.errorCode == (status == 404 ? "NOT_FOUND" : "METHOD_NOT_ALLOWED"))
            }
        }
    }

    @Test(arguments: ["/thing-iffy/apps/A", "/thing-if%2Fapps", "/api/appsy", "//thing-if/apps"])
    func `a path that only looks like it has the usual errors`(path: String) async throws {
        try await ThingIF.serve(hasPassword: true) { port, _ in
            let reply = try await request("GET", path, port: port)
            #expect(reply.status == 401)
            #expect(reply.errorCode == nil && reply.body.contains(#""code":"unauthenticated""#))
        }
    }

    @Test func `a route takes its methods and no other`() async throws {
        try await ThingIF.serve { port, service in
            let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
            for path in Set(ThingIF.calls.map(\.path)) {
                let legal = ThingIF.calls.filter { $0.path == path }.map(\.method)
                for method in methods where !legal.contains(method) {
                    let reply = try await request(method, path, port: port, headers: [ThingIF.bob])
                    #expect(reply.status == 405, "\(method) \(path): \(reply)")
                    #expect(reply.headers["allow"] == legal.joined(separator: ", "), "\(method) \(path)")
                    if method == "HEAD" {
                        #expect(reply.body.isEmpty)
                    } else {
                        #expect(reply.errorCode == "METHOD_NOT_ALLOWED", "\(method) \(path)")
                    }
                }
            }
            #expect(service.asked.count == 0)
        }
    }

    @Test(
        arguments: [
            (["Host: evil.example"], "", 403, "FORBIDDEN"),
            (["Host: localhost", "Origin: http://evil.example"], "", 403, "FORBIDDEN"),
            (["Host: localhost", "Host: localhost"], "", 400, "INVALID_INPUT_DATA"),
            (["Host: localhost", "no header"], "", 400, "INVALID_INPUT_DATA"),
            (["Host: localhost", "Content-Length: 131073"], "", 413, "INVALID_INPUT_DATA"),
            (["Host: localhost", "Transfer-Encoding: chunked"], "zz\r\n", 400, "INVALID_INPUT_DATA"),
        ] as [([String], String, Int, String)]
    )
    func `what the listener refuses has a code, too`(
        headers: [String],
        body: String,
        status: Int,
        code: String
    ) async throws {
        try await ThingIF.serve { port, _ in
            for (method, path) in ThingIF.calls {
                let lines = ["\(method) \(path) HTTP/1.1"] + headers
                let reply = try await onThread {
                    let client = try WireClient(port: port)
                    client.send(lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
                    return try client.reply()
                }
                // A request that needs no body may be answered before its body turns out to be broken.
                let isEarly = !body.isEmpty && reply?.errorCode == "UNAUTHORIZED"
                #expect(isEarly || reply?.status == status, "\(method) \(path): \(reply as Any)")
                #expect(isEarly || reply?.errorCode == code, "\(method) \(path): \(reply as Any)")
            }
        }
    }

    @Test func `a body has 128 KiB at most here, and 64 KiB elsewhere`() async throws {
        try await ThingIF.serve { port, _ in
            let space = String(repeating: " ", count: 128 * 1024 - Self.body.utf8.count)
            let headers = [ThingIF.basic("A", "K"), ThingIF.form(.vendorByThing)]
            let path = "/thing-if/apps/A/onboardings"
            let fits = try await request("POST", path, port: port, headers: headers, body: Self.body + space)
            #expect(fits.status == 200, "\(fits)")
            let large = Self.body + space + " "
            #expect(try await request("POST", path, port: port, headers: headers, body: large).status == 413)
            let other = String(repeating: " ", count: 64 * 1024 + 1)
            #expect(try await post("/api/nearby/set", other, port: port).status == 413)
        }
    }

    @Test func `without the routes their paths have the usual errors`() async throws {
        try await ThingIF.serve(isOn: false) { port, service in
            for (method, path) in ThingIF.calls {
                let reply = try await request(method, path, port: port)
                #expect(reply.status == 404, "\(method) \(path)")
                #expect(reply.body.contains(#""code":"not_found""#), "\(reply)")
            }
            #expect(service.asked.callers.isEmpty)
        }
        try await ThingIF.serve(isOn: false, hasPassword: true) { port, _ in
            for (method, path) in ThingIF.calls {
                let reply = try await request(method, path, port: port)
                #expect(reply.status == 401, "\(method) \(path)")
            }
        }
    }

    @Test func `no path of the page and the API is taken over, nor the other way round`() {
        let usual = WebRoute.table(.tested) + .tested
        let own = ThingIF.routes(RecordingThingIF())
        for (route, others) in usual.map({ ($0, own) }) + own.map({ ($0, usual) }) {
            let path = "\(route.template)".split(separator: "/", omittingEmptySubsequences: false)
                .map { $0.hasPrefix("{") ? "apps" : String($0) }
                .joined(separator: "/")
            #expect(WebRoute.find(.get, path[...], in: [others]) == nil, "\(route.template)")
        }
    }

    @Test func `a path is found however long its template is`() {
        let own = ThingIF.routes(RecordingThingIF())
        for (method, path) in ThingIF.calls {
            let method = HTTPRequest.Method(rawValue: method) ?? .trace
            let found = WebRoute.find(method, path[...], in: [WebRoute.table(.tested), own])
            #expect(found?.path.joined(separator: "/") == path)
            #expect(found?.route.methods == [method])
            #expect(WebRoute.find(method, "\(path)/x/y"[...], in: [WebRoute.table(.tested), own]) == nil)
        }
    }
}
