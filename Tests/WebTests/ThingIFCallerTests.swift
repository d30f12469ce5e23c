import Bindings
import HTTPTypes
import JSON
import Logging
import People
import Things
import TestSupport
import Testing
import Threading

@testable import Web

/// Who may ask for what programs for Thing-IF know.
@Suite(.timeLimit(.minutes(1)))
struct ThingIFCallerTests {
    private static let body = #"{"vendorThingID":"v-1","thingPassword":"p"}"#

    private static func onboard(_ headers: [String], port: Int) async throws -> WireClient.Reply {
        let headers = headers + [ThingIF.form(.vendorByThing)]
        return try await request(
            "POST",
            "/thing-if/apps/A/onboardings",
            port: port,
            headers: headers,
            body: body
        )
    }

    private static let keys = ["X-Kii-AppID: A", "X-Kii-AppKey: K"]

    @Test(
        arguments: [
            ([ThingIF.bob], RecordingThingIF.bob), ([ThingIF.thing], .thing(RecordingThingIF.thing)),
            (["Authorization: Bearer tla_nobody"], .anonymous), ([ThingIF.basic("A", "K")], .app),
            (keys, .app), (["x-kii-appid: A", "X-KII-APPKEY: K"], .app),
            // Programs send the app's key beside each token.
            ([ThingIF.bob] + keys, RecordingThingIF.bob),
            ([ThingIF.bob, "X-Kii-AppKey: other"], RecordingThingIF.bob),
            ([ThingIF.basic("A", "K")] + keys, .app), ([ThingIF.basic("A", "K"), "X-Kii-AppID: A"], .app),
        ] as [([String], BindingCaller)]
    )
    func `a caller is known by a token, or by the app's identifier and key`(
        headers: [String],
        caller: BindingCaller
    ) async throws {
        try await ThingIF.serve { port, service in
            let reply = try await Self.onboard(headers, port: port)
            #expect(reply.status == 200, "\(reply)")
            #expect(service.asked.onboardings.map(\.caller) == [caller])
        }
    }

    @Test(
        arguments: [
            ([], 401), (["Authorization: Bearer tlu_wrong"], 401), (["Authorization: Digest x"], 401),
            (["Authorization: Basic !"], 401), (["Authorization: Digest x"] + keys, 401),
            (["X-Kii-AppID: A"], 401), (["X-Kii-AppKey: K"], 401),
            ([ThingIF.basic("A", "other")] + keys, 401), ([ThingIF.basic("B", "K")] + keys, 401),
            ([ThingIF.bob, "X-Kii-AppID: B"], 401), ([ThingIF.bob, ThingIF.basic("A", "K")], 401),
            ([ThingIF.basic("A", "wrong")], 403), ([ThingIF.basic("B", "K")], 403),
            (["X-Kii-AppID: A", "X-Kii-AppKey: wrong"], 403), (keys + ["X-Kii-AppKey: K"], 403),
            // What counts at the page does not count here.
            (["Cookie: trilateral_session=s1"], 401), ([Users.basic("open sesame")], 403),
            (["Authorization: Bearer open sesame"], 401), (["Remote-User: bob"], 401),
            (["Cookie: trilateral_session=s1", "X-Kii-AppID: A"], 401),
        ] as [([String], Int)]
    )
    func `no, wrong and contradictory credentials are refused`(headers: [String], status: Int) async throws {
        let proxy = WebPeople.Proxy(header: HTTPField.Name("Remote-User") ?? .from, isTrusted: { _ in true })
        try await ThingIF.serve(hasPassword: true, proxy: proxy) { port, service in
            let reply = try await Self.onboard(headers, port: port)
            #expect(reply.status == status, "\(reply)")
            #expect(reply.errorCode == (status == 401 ? "UNAUTHORIZED" : "FORBIDDEN"))
            #expect((reply.headers["www-authenticate"] != nil) == (status == 401))
            #expect(reply.headers["set-cookie"] == nil)
            #expect(service.asked.count == 0)
        }
    }

    @Test func `a caller on this machine is nobody without credentials, at every route`() async throws {
        try await ThingIF.serve { port, service in
            // The usual routes know whoever is here.
            #expect(try await request("GET", "/api/state", port: port).status == 200)
            // A token is asked for with credentials in the body.
            for (method, path) in ThingIF.calls where !path.hasSuffix("/token") {
                let reply = try await request(method, path, port: port)
                #expect(reply.status == 401, "\(method) \(path)")
                #expect(reply.errorCode == "UNAUTHORIZED")
            }
            #expect(service.asked.count == 0)
        }
    }

    @Test(arguments: [[], [ThingIF.bob], ["Authorization: Digest x"], ["X-Kii-AppID: A"]])
    func `an unknown app is reported before callers and bodies`(headers: [String]) async throws {
        try await ThingIF.serve { port, service in
            for (method, path) in ThingIF.calls {
                let other = path.replacing("/apps/A/", with: "/apps/B/")
                let hasBody = method == "POST" || method == "PUT"
                let reply = try await request(
                    method,
                    other,
                    port: port,
                    headers: headers,
                    body: hasBody ? "{" : ""
                )
                #expect(reply.status == 404, "\(method) \(other): \(reply)")
                #expect(reply.errorCode == "APP_NOT_FOUND", "\(method) \(other)")
            }
            #expect(service.asked.count == 0)
        }
    }

    @Test(
        arguments: [
            ([], "A", 401, "UNAUTHORIZED"), (["Authorization: Bearer tlu_wrong"], "A", 401, "UNAUTHORIZED"),
            ([ThingIF.bob], "B", 404, "APP_NOT_FOUND"), ([ThingIF.bob], "A", 403, "FORBIDDEN"),
            ([ThingIF.thing], "A", 403, "FORBIDDEN"), (keys, "A", 403, "FORBIDDEN"),
        ] as [([String], String, Int, String)]
    )
    func `nobody changes the name of a thing, and strangers are refused as elsewhere`(
        headers: [String],
        app: String,
        status: Int,
        code: String
    ) async throws {
        try await ThingIF.serve { port, service in
            let reply = try await request(
                "PUT",
                "/api/apps/\(app)/things/\(RecordingThingIF.thing)/vendor-thing-id",
                port: port,
                headers: headers + [ThingIF.json],
                body: #"{"_vendorThingID":"v-2","_password":"p"}"#
            )
            #expect(reply.status == status, "\(reply)")
            #expect(reply.errorCode == code && reply.invalidFields == [])
            #expect(service.asked.count == 0)
        }
    }

    @Test func `guesses are counted for whom the proxy forwards`() async throws {
        let proxy = WebPeople.Proxy(
            header: HTTPField.Name("Remote-User") ?? .from,
            isTrusted: { $0 == "127.0.0.1" }
        )
        try await ThingIF.serve(proxy: proxy) { port, service in
            let headers = ThingIFCallerTests.keys + ["X-Forwarded-For: 192.0.2.7"]
            let reply = try await Self.onboard(headers, port: port)
            #expect(reply.status == 200)
            #expect(service.asked.onboardings.map(\.address) == ["192.0.2.7"])
            #expect(service.asked.callers.allSatisfy { $0.address == "192.0.2.7" })
        }
    }

    @Test func `neither logs nor refusals have what was brought`() async throws {
        let logs = LogRecorder()
        let service = RecordingThingIF()
        let node = try FakeNode()
        node.routes.withLock { $0 += ThingIF.routes(service) }
        try await withWeb(node, logger: logs.logger) { port in
            service.failure.withLock {
                $0 = .refused(
                    .init(.invalidValue, "owner must be a user, is tlu_secretsecret", field: "owner")
                )
            }
            let reply = try await Self.onboard(["Authorization: Bearer tlt_thing"], port: port)
            #expect(reply.status == 400 && reply.body.contains("***"), "\(reply)")
            #expect(!reply.body.contains("secretsecret"))
            let wrong = try await Self.onboard(["Authorization: Bearer tlu_secretsecret"], port: port)
            #expect(wrong.status == 401 && !wrong.body.contains("secretsecret"))
            let path = "/api/apps/A/oauth2/token"
            let form = "grant_type=password&username=bob&password=secretsecret&password=x"
            let type = ["Content-Type: application/x-www-form-urlencoded"]
            let token = try await request("POST", path, port: port, headers: type, body: form)
            #expect(token.status == 400 && !token.body.contains("secretsecret"), "\(token)")
        }
        #expect(!logs.recorded.contains { $0.contains("secret") || $0.contains("tlt_") })
    }
}
