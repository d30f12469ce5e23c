import Bindings
import JSON
import TestSupport
import Testing

@testable import Web

/// Tokens and installations.
@Suite(.timeLimit(.minutes(1)))
struct ThingIFTokenTests {
    private static let tokens = "/api/apps/A/oauth2/token"
    private static let form = "Content-Type: application/x-www-form-urlencoded"

    private static func user(_ password: String) -> TokenRequest { .user(name: "bob", password: password) }

    @Test(
        arguments: [
            (
                [ThingIF.json, ThingIF.basic("A", "K")],
                #"{"grant_type":"password","username":"bob","password":"p w+"}"#,
                user("p w+"), .app(id: "A", key: "K")
            ),
            (
                [form, "X-Kii-AppID: A", "X-Kii-AppKey: K"],
                "grant_type=password&username=b%6fb&password=p+w%2B",
                user("p w+"), .app(id: "A", key: "K")
            ),
            (
                ["\(form); charset=UTF-8"], "grant_type=password&username=bob&password=%C3%A4&", user("ä"),
                .none
            ),
            (
                ["Content-Type: application/vnd.kii.OauthTokenRequest+json"],
                #"{"grant_type":"client_credentials","client_id":"A","client_secret":"K"}"#,
                .app(id: "A", key: "K"),
                .none
            ),
            (
                [form, ThingIF.basic("A", "K")], "grant_type=client_credentials", .app(id: "A", key: "K"),
                .app(id: "A", key: "K")
            ),
            (
                [ThingIF.json, ThingIF.bob, "X-Kii-AppID: A", "X-Kii-AppKey: K"],
                #"{"grant_type":"client_credentials"}"#, .app(id: "A", key: "K"), .app(id: "A", key: "K")
            ),
        ] as [([String], String, TokenRequest, ThingIFCredentials)]
    )
    func `a token is asked for by JSON or a form, with the app's key beside it`(
        headers: [String],
        body: String,
        request: TokenRequest,
        credentials: ThingIFCredentials
    ) async throws {
        try await ThingIF.serve { port, service in
            let reply = try await TestSupport.request(
                "POST",
                Self.tokens,
                port: port,
                headers: headers,
                body: body
            )
            #expect(reply.status == 200, "\(reply)")
            #expect(
                reply.body
                    == #"{"access_token":"tlu_new","expires_in":3600,"id":"bob-id","token_type":"bearer"}"#
            )
            #expect(reply.headers["cache-control"] == "no-store")
            #expect(service.asked.tokens.map(\.request) == [request])
            #expect(service.asked.tokens.map(\.credentials) == [credentials])
        }
    }

    @Test(
        arguments: [
            ([ThingIF.json], "{", 400, []), ([ThingIF.json], "{}", 400, ["grant_type"]),
            ([ThingIF.json], #"{"grant_type":"refresh_token"}"#, 400, ["grant_type"]),
            ([ThingIF.json], #"{"grant_type":"password","username":"bob"}"#, 400, ["password"]),
            ([ThingIF.json], #"{"grant_type":"client_credentials"}"#, 401, []),
            ([], "grant_type=password&username=bob&password=p", 400, ["Content-Type"]),
            (["Content-Type: text/plain"], "{}", 400, ["Content-Type"]),
            ([form], "grant_type=password&username=bob&username=ann&password=p", 400, ["username"]),
            ([form], "grant_type=password&username=bob&password=%ff", 400, []),
            ([form], "grant_type=password&username=bob&password=%zz", 400, []),
            ([form], String(repeating: "a=1&", count: 21), 400, []),
            ([ThingIF.json, "X-Kii-AppID: A"], "{}", 401, []),
        ] as [([String], String, Int, [String])]
    )
    func `a request for a token without its parts is refused`(
        headers: [String],
        body: String,
        status: Int,
        fields: [String]
    ) async throws {
        try await ThingIF.serve { port, service in
            let reply = try await request("POST", Self.tokens, port: port, headers: headers, body: body)
            #expect(reply.status == status, "\(reply)")
            #expect(reply.errorCode == (status == 400 ? "INVALID_INPUT_DATA" : "UNAUTHORIZED"))
            #expect(reply.invalidFields == fields)
            #expect(service.asked.count == 0)
        }
    }

    // MARK: Installations

    private static let installations = "/api/apps/A/installations"

    @Test func `an installation is registered, shown and removed`() async throws {
        try await ThingIF.serve { port, service in
            let body = #"{"installationRegistrationID":"push","deviceType":"ANDROID","development":true}"#
            let types = [ThingIF.json, "Content-Type: application/vnd.kii.InstallationCreationRequest+json"]
            for type in types {
                let reply = try await request(
                    "POST",
                    Self.installations,
                    port: port,
                    headers: [ThingIF.bob, type],
                    body: body
                )
                #expect(reply.status == 201)
                #expect(reply.body == #"{"installationID":"i-1","installationRegistrationID":"push"}"#)
                #expect(reply.headers["location"] == nil)
            }
            #expect(
                service.asked.installations.map(\.caller) == [RecordingThingIF.bob, RecordingThingIF.bob]
            )
            #expect(service.asked.installations.allSatisfy { $0.request.isDevelopment })
            let path = "\(Self.installations)/i-1"
            let shown = try await request("GET", path, port: port, headers: [ThingIF.bob])
            #expect(shown.status == 200)
            let json = try JSONValue(parsing: shown.body)
            #expect(
                json == [
                    "installationID": "i-1", "installationRegistrationID": "push", "deviceType": "ANDROID",
                    "development": true,
                ]
            )
            let removed = try await request("DELETE", path, port: port, headers: [ThingIF.bob])
            #expect(removed.status == 204 && removed.body.isEmpty)
            #expect(removed.headers["content-type"] == nil)
            let other = "\(Self.installations)/i-2"
            let missing = try await request("GET", other, port: port, headers: [ThingIF.bob])
            #expect(missing.status == 404)
            #expect(missing.errorCode == "INSTALLATION_NOT_FOUND")
        }
    }

    @Test(
        arguments: [
            ([ThingIF.json], "{}", ["installationRegistrationID"]),
            ([ThingIF.json], #"{"installationRegistrationID":"t","deviceType":"PHONE"}"#, ["deviceType"]),
            ([], #"{"installationRegistrationID":"t","deviceType":"IOS"}"#, ["Content-Type"]),
            ([form], "installationRegistrationID=t&deviceType=IOS", ["Content-Type"]),
        ] as [([String], String, [String])]
    )
    func `an installation without its parts is refused`(
        headers: [String],
        body: String,
        fields: [String]
    ) async throws {
        try await ThingIF.serve { port, service in
            let headers = headers + [ThingIF.bob]
            let reply = try await request(
                "POST",
                Self.installations,
                port: port,
                headers: headers,
                body: body
            )
            #expect(reply.status == 400, "\(reply)")
            #expect(reply.errorCode == "INVALID_INPUT_DATA")
            #expect(reply.invalidFields == fields)
            #expect(service.asked.count == 0)
        }
    }
}
