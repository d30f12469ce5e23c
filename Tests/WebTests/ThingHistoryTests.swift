import Bindings
import Flare
import JSON
import TestSupport
import Testing
import Threading

@testable import Web

/// `/api/things/<t>/history`.
@Suite(.timeLimit(.minutes(1)))
struct ThingHistoryTests {
    private func serve(
        _ answer: Result<JSONObject, BindingsError>,
        _ body: @escaping @Sendable (_ port: Int, _ asked: Locked<[HistoryRequest]>) async throws -> Void
    ) async throws {
        let asked = Locked<[HistoryRequest]>([])
        let node = try FakeNode()
        node.routes.withLock {
            $0 = [
                WebRoute.thingHistory { request, thing, _ in
                    guard thing == FakeNode.lamp else { return .success([:]) }
                    asked.withLock { $0.append(request) }
                    return answer
                }
            ]
        }
        try await withWeb(node) { port in try await body(port, asked) }
    }

    @Test func `it is asked for by short name or identifier, with the parameters of the query`()
        async throws
    {
        try await serve(.success(["groupedResults": []])) { port, asked in
            let query = "?from=1&to=2&group=1&agg=mean:temperature&agg=max%3Ahumidity"
            for name in ["red-lamp", "\(FakeNode.lamp)"] {
                let reply = try await request("GET", "/api/things/\(name)/history\(query)", port: port)
                #expect(reply.status == 200 && reply.body == #"{"groupedResults":[]}"#, "\(reply)")
            }
            let requests = asked.withLock { $0 }
            #expect(requests.count == 2)
            for request in requests {
                #expect(request.from == 1 && request.to == 2 && request.isGrouped)
                #expect(request.aggregations.map(\.name) == ["mean_temperature", "max_humidity"])
            }
        }
    }

    @Test func `a thing that is not there, and a parameter that is not legal, are refused`() async throws {
        try await serve(.success([:])) { port, asked in
            let cases = [
                ("nothing", 404, "unknown_thing"), ("red-lamp", 400, "invalid_value"),
            ]
            for (name, status, code) in cases {
                let reply = try await request("GET", "/api/things/\(name)/history?from=x", port: port)
                #expect(reply.status == status, "\(reply)")
                #expect(try JSONValue(parsing: reply.body)["error"]?["code"] == .string(code))
            }
            #expect(asked.withLock { $0 }.isEmpty)
        }
    }

    @Test func `a thing without a history is a conflict`() async throws {
        try await serve(.failure(.historyNotAvailable("it has no owner"))) { port, _ in
            let reply = try await request("GET", "/api/things/red-lamp/history", port: port)
            #expect(reply.status == 409, "\(reply)")
            let error = try JSONValue(parsing: reply.body)["error"]
            #expect(error?["code"] == "history_not_available" && error?["message"] == "it has no owner")
        }
    }
}
