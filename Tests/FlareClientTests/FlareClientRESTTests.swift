import Flare
import FlareClient
import JSON
import NIOConcurrencyHelpers
import NIOHTTP1
import TestSupport
import Testing

/// Invalid REST responses; the session continues.
@Suite(.timeLimit(.minutes(2))) struct FlareClientRESTTests {
    private func ask(
        _ request: FlareRequest,
        _ change: (inout FlareClientConfiguration) -> Void = { _ in },
        http: @escaping @Sendable (FakeServer.Request) -> FakeServer.Move
    ) async throws -> Result<FlareReply, FlareLinkError>? {
        try await withFakeServer(.original(http: http)) { server in
            var configuration = FlareClientConfiguration.local(server.port)
            change(&configuration)
            return try await withLink(FlareClient(configuration, logger: .silent)) { link in
                _ = await link.linkUp()
                return await link.ask(request)
            }
        }
    }

    struct InvalidResponse: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let move: FakeServer.Move
        let words: String

        init(_ name: String, _ move: FakeServer.Move, _ words: String) {
            testDescription = name
            self.move = move
            self.words = words
        }
    }

    static let invalidResponses: [InvalidResponse] = [
        InvalidResponse("lacks the route", .answer(404, body: "<html>"), "status 404"),
        InvalidResponse("fails", .answer(500), "status 500"),
        InvalidResponse(
            "sends elsewhere",
            .answer(301, headers: ["Location": "https://elsewhere.example/"]),
            "redirects to https://elsewhere.example/"
        ),
        InvalidResponse("no JSON", .answer(200, body: "<html>"), "not JSON"),
        InvalidResponse("cut off", .json(#"[{"_id":"#), "not JSON"),
        InvalidResponse("too deep", .json(String(repeating: "[", count: 100_000)), "not JSON"),
        InvalidResponse("null", .json("null"), "null"),
        InvalidResponse("nothing", .answer(200), "null"),
        InvalidResponse("an error", .json(#"{"name":"CastError","message":"Cast failed"}"#), "Cast failed"),
        InvalidResponse("an error without words", .json("{}"), "{}"),
        InvalidResponse("a number", .json("7"), "7"),
        InvalidResponse(
            "announces too much",
            .answer(200, headers: ["Content-Length": "99999999999"]),
            "more than"
        ),
        InvalidResponse(
            "is too much",
            .answer(200, body: String(repeating: " ", count: 200_000)),
            "more than"
        ),
        InvalidResponse(
            "says too little",
            .bytes("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n[", closes: true),
            "during its response"
        ),
        InvalidResponse("says nothing", .close, "without a response"),
        InvalidResponse("no HTTP", .bytes("what?\r\n\r\n", closes: false), "does not speak HTTP"),
        InvalidResponse("hangs", .nothing, "0.3 s"),
        InvalidResponse(
            "hangs in the midst",
            .bytes("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n[", closes: false),
            "0.3 s"
        ),
        InvalidResponse(
            "endless head",
            .bytes("HTTP/1.1 200 OK\r\nA: " + String(repeating: "a", count: 200_000), closes: false),
            "HTTP"
        ),
    ]

    @Test(arguments: invalidResponses)
    func `an invalid response fails its request only, with the reason`(response: InvalidResponse) async throws
    {
        try await withFakeServer(
            .original(http: { $0.target.contains("latitude") ? response.move : .json("[]") })
        ) { server in
            var configuration = FlareClientConfiguration.local(server.port)
            if response.words == "0.3 s" { configuration.answerSeconds = 0.3 }
            configuration.maximumAnswerBytes = 100_000
            try await withLink(FlareClient(configuration, logger: .silent)) { link in
                #expect(await link.linkUp())
                let place = GeoPoint(latitude: 1, longitude: 2)
                let result = await link.ask(.loadEnvironments(near: place))
                guard case .failure(let error)? = result else {
                    Issue.record("\(String(describing: result))")
                    return
                }
                #expect(error.description.contains(response.words), "\(error)")
                // The session is unchanged.
                #expect(await link.ask(.subscribe(environment: Home.house)) == .success(.done))
            }
        }
    }

    @Test func `objects with invalid members are read leniently`() async throws {
        let device = """
            {"_id":"\(Home.phone)","name":null,"description":7,"data":null,"position":{"x":1,"y":"2"},
            "environment":"\(Home.house)","zone":null,"nearest":"bad","more":{"a":[]}}
            """
        let reply = try await ask(.loadDevice(Home.phone, environment: Home.house)) { _ in .json(device) }
        var expected = FlareDevice(id: Home.phone)
        expected.environment = Home.house
        expected.position = Point3D(x: 1, y: 2)
        #expect(reply == .success(.device(expected)))

        let list = #"[null,7,{},{"_id":"short"},{"_id":"\#(Home.house)","geofence":{"latitude":1}}]"#
        let environments = try await ask(.loadEnvironments(near: nil)) { _ in .json(list) }
        #expect(environments == .success(.environments([FlareEnvironment(id: Home.house)])))
    }

    @Test func `an error response is not an object`() async throws {
        let error = #"{"message":"Cast to ObjectId failed","name":"CastError"}"#
        for request in [
            FlareRequest.loadDevice(Home.phone, environment: Home.house),
            .renameDevice(Home.phone, environment: Home.house, name: "x"),
            .createDevice(DeviceDraft(name: "", description: "", data: [:]), environment: Home.house),
            .loadPresence(device: Home.phone, environment: Home.house, position: .zero),
        ] {
            let reply = try await ask(request) { $0.target.contains("zones") ? .json("[]") : .json(error) }
            #expect(reply == .failure(.rejected("Cast to ObjectId failed")))
        }
    }

    @Test func `configured headers are sent with every request, and connections are reused`() async throws {
        let seen = NIOLockedValueBox<[String: Int]>([:])
        let script = FakeServer.original(http: { request in
            seen.withLockedValue {
                $0["\(request.headers["authorization"]) \(request.headers["host"])", default: 0] += 1
            }
            return .json("[]")
        })
        try await withFakeServer(script) { server in
            var configuration = FlareClientConfiguration.local(server.port)
            configuration.headers = [.init("Authorization", "Bearer secret")]
            let log = LogRecorder()
            try await withLink(FlareClient(configuration, logger: log.logger)) { link in
                #expect(await link.linkUp())
                for _ in 0..<10 {
                    #expect(await link.ask(.loadEnvironments(near: nil)) == .success(.environments([])))
                }
            }
            #expect(seen.withLockedValue { $0 } == [#"["Bearer secret"] ["127.0.0.1:\#(server.port)"]"#: 10])
            // The WebSocket, and hardly more than one for all requests.
            #expect(try await server.connections() < 8)
            #expect(!log.recorded.contains { $0.contains("secret") })
        }
    }

    @Test func `a request is repeated if the server closed the idle connection`() async throws {
        let count = NIOLockedValueBox(0)
        let script = FakeServer.original(http: { _ in
            let number = count.withLockedValue { value in
                value += 1
                return value
            }
            return switch number % 3 {
            case 1: .json("[]")
            case 2: .close
            default: .bytes("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]", closes: true)
            }
        })
        try await withFakeServer(script) { server in
            try await withLink(FlareClient(.local(server.port), logger: .silent)) { link in
                #expect(await link.linkUp())
                for _ in 0..<10 {
                    #expect(await link.ask(.loadEnvironments(near: nil)) == .success(.environments([])))
                }
            }
            #expect(count.withLockedValue { $0 } == 15)
        }
    }
}
