import Bindings
import JSON
import People
import TestSupport
import Testing
import Threading

@testable import Web

@Suite(.timeLimit(.minutes(1)))
struct ThingIFOnboardingTests {
    private static let path = "/thing-if/apps/A/onboardings"
    private static let id = "\(RecordingThingIF.thing)"
    private static let vendor = #"{"vendorThingID":"v-1","thingPassword":"s3cret"}"#

    private static func onboard(
        _ body: String,
        as form: OnboardingForm = .vendorByThing,
        _ headers: [String] = [ThingIF.basic("A", "K")],
        port: Int
    ) async throws -> WireClient.Reply {
        try await request("POST", path, port: port, headers: [ThingIF.form(form)] + headers, body: body)
    }

    @Test(
        arguments: [
            (
                .vendorByOwner, #"{"vendorThingID":"v-1","thingPassword":"p","owner":"user:bob"}"#,
                [ThingIF.bob], RecordingThingIF.bob, "thingID"
            ),
            (
                .thingByOwner, #"{"thingID":"\#(id)","thingPassword":"p","owner":"user:bob"}"#, [ThingIF.bob],
                RecordingThingIF.bob, "thingID"
            ),
            (.vendorByThing, vendor, [ThingIF.basic("A", "K")], .app, "thingID"),
            (.vendorByThing, vendor, ["X-Kii-AppID: A", "X-Kii-AppKey: K"], .app, "thingID"),
            (
                .thingByThing, #"{"thingID":"\#(id)","thingPassword":"p"}"#,
                ["Authorization: Bearer tla_nobody"],
                .anonymous, "thingID"
            ),
            (
                .endNode,
                #"{"gatewayThingID":"\#(id)","endNodeVendorThingID":"w","endNodePassword":"p","owner":"user:bob"}"#,
                [ThingIF.bob], RecordingThingIF.bob, "endNodeThingID"
            ),
        ] as [(OnboardingForm, String, [String], BindingCaller, String)]
    )
    func `each form is taken with its callers, and answered with the thing and its token`(
        form: OnboardingForm,
        body: String,
        headers: [String],
        caller: BindingCaller,
        name: String
    ) async throws {
        try await ThingIF.serve { port, service in
            let reply = try await Self.onboard(body, as: form, headers, port: port)
            #expect(reply.status == 200, "\(reply)")
            let json = try JSONValue(parsing: reply.body)
            #expect(
                json == ["accessToken": "tlt_new", name: .string(Self.id)]
            )
            #expect(reply.headers["cache-control"] == "no-store")
            #expect(reply.headers["content-type"] == "application/json; charset=utf-8")
            let asked = service.asked.onboardings
            #expect(asked.map(\.caller) == [caller])
            let request = try OnboardingRequest(form, JSONValue(parsing: body))
            #expect(asked.map(\.request) == [request])
            #expect(asked.map(\.address) == ["127.0.0.1"])
        }
    }

    @Test func `the answer says where the broker is and what was ignored`() async throws {
        try await ThingIF.serve { port, service in
            let endpoint = OnboardingAnswer.Endpoint(
                host: "broker",
                port: 8883,
                isSecure: true,
                topic: "b/edge/v-1",
                user: "v-1"
            )
            service.answer.withLock {
                $0 = OnboardingAnswer(
                    RecordingThingIF.thing,
                    isOwned: true,
                    token: nil,
                    endpoint: endpoint,
                    ignored: ["interval"]
                )
            }
            let reply = try await Self.onboard(Self.vendor, port: port)
            let json = try JSONValue(parsing: reply.body)
            #expect(
                json == [
                    "thingID": .string(Self.id), "ignored": ["interval"],
                    "mqttEndpoint": [
                        "host": "broker", "portSSL": 8883, "mqttTopic": "b/edge/v-1", "userName": "v-1",
                    ],
                ]
            )
        }
    }

    @Test(
        arguments: [
            ("application/vnd.kii.OnboardingWithVendorThingIDByThing+json", 200),
            ("application/vnd.kii.onboardingwithvendorthingidbything+JSON", 200),
            ("application/vnd.kii.OnboardingWithVendorThingIDByThing+json; charset=latin1", 200),
            // The form decides what the body must have.
            ("application/vnd.kii.OnboardingWithThingIDByThing+json", 400),
            ("application/vnd.kii.Onboarding+json", 400), ("application/json", 400), ("", 400), (nil, 400),
        ] as [(String?, Int)]
    )
    func `the content type says the form, whatever its case and parameters`(
        type: String?,
        status: Int
    ) async throws {
        try await ThingIF.serve { port, service in
            let headers = [ThingIF.basic("A", "K")] + (type.map { ["Content-Type: \($0)"] } ?? [])
            let reply = try await request("POST", Self.path, port: port, headers: headers, body: Self.vendor)
            #expect(reply.status == status, "\(reply)")
            #expect(service.asked.count == (status == 200 ? 1 : 0))
            guard status == 400 else { return }
            #expect(reply.errorCode == "INVALID_INPUT_DATA")
            guard type?.contains("IDByThing") != true else {
                #expect(reply.invalidFields == ["vendorThingID"])
                return
            }
            #expect(reply.invalidFields == ["Content-Type"])
            #expect(OnboardingForm.allCases.allSatisfy { reply.body.contains($0.contentType) })
        }
    }

    private static func body(vendor: Int = 1, password: Int = 1, properties: Int? = nil) -> String {
        var members: JSONObject = [
            "vendorThingID": .string(String(repeating: "v", count: vendor)),
            "thingPassword": .string(String(repeating: "p", count: password)),
        ]
        // {"a":"…"}
        members["thingProperties"] = properties.map { ["a": .string(String(repeating: "x", count: $0 - 8))] }
        return JSONValue.object(members).text
    }

    @Test(
        arguments: [
            (body(vendor: 200, password: 200), nil), (body(vendor: 201), "vendorThingID"),
            (body(password: 201), "thingPassword"), (body(vendor: 0), "vendorThingID"),
            (body(password: 0), "thingPassword"), (body(properties: 64_512), nil),
            (body(properties: 64_513), "thingProperties"),
            // White space is sent, and does not count.
            (body(properties: 64_512).replacing(":", with: String(repeating: " ", count: 10_000) + ":"), nil),
            (#"{"vendorThingID":"v","thingPassword":"p","x":1}"#, "x"),
            (
                #"{"vendorThingID":"v","thingPassword":"p","dataGroupingInterval":"1_DAY"}"#,
                "dataGroupingInterval"
            ),
            (#"{"vendorThingID":"v","thingPassword":"p","layoutPosition":"TOP"}"#, "layoutPosition"),
            (#"{"vendorThingID":"v","thingPassword":1}"#, "thingPassword"),
            (#"{"thingPassword":"p"}"#, "vendorThingID"),
        ] as [(String, String?)]
    )
    func `a member is taken up to its limit, and named when it is refused`(
        body: String,
        field: String?
    ) async throws {
        try await ThingIF.serve { port, service in
            let reply = try await Self.onboard(body, port: port)
            #expect(reply.status == (field == nil ? 200 : 400), "\(reply)")
            #expect(service.asked.count == (field == nil ? 1 : 0))
            guard let field else { return }
            #expect(reply.errorCode == "INVALID_INPUT_DATA")
            #expect(reply.invalidFields == [field])
        }
    }

    @Test(arguments: [
        "", "{", "[]", "nothing", #"{"vendorThingID":"v","vendorThingID":"w","thingPassword":"p"}"#,
        String(repeating: "[", count: 65) + String(repeating: "]", count: 65),
        #"{"vendorThingID":"v","thingPassword":"p","thingProperties":{"a":1,"a":2}}"#,
    ])
    func `a body that is broken, too deep or ambiguous is refused`(body: String) async throws {
        try await ThingIF.serve { port, service in
            let reply = try await Self.onboard(body, port: port)
            #expect(reply.status == 400, "\(reply)")
            #expect(reply.errorCode == "INVALID_INPUT_DATA")
            #expect(service.asked.count == 0)
        }
    }

    @Test func `a compressed body is refused`() async throws {
        try await ThingIF.serve { port, _ in
            let headers = [ThingIF.basic("A", "K"), "Content-Encoding: gzip"]
            let reply = try await Self.onboard(Self.vendor, as: .vendorByThing, headers, port: port)
            #expect(reply.status == 400)
            #expect(reply.invalidFields == ["Content-Encoding"])
        }
    }

    @Test func `a token that ends while the body arrives does not count`() async throws {
        try await ThingIF.serve { port, service in
            service.patience.withLock { $0 = 1 }
            let body = #"{"vendorThingID":"v-1","thingPassword":"p","owner":"user:bob"}"#
            let reply = try await Self.onboard(body, as: .vendorByOwner, [ThingIF.bob], port: port)
            #expect(reply.status == 401)
            #expect(reply.errorCode == "UNAUTHORIZED")
            #expect(service.asked.count == 0)
            #expect(service.asked.callers.count == 2)
        }
    }
}
