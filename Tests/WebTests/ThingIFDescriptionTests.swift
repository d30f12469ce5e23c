import Bindings
import JSON
import TestSupport
import Testing
import Things
import Threading

@testable import Web

/// What `/api/openapi.json` says to programs for Thing-IF, replayed.
@Suite(.timeLimit(.minutes(1)))
struct ThingIFDescriptionTests {
    private static func operations() throws -> [DescribedOperation] {
        try DescribedOperation.all().filter(\.isThingIF)
    }

    /// - Parameters:
    ///   - body: Its type is sent; `nil` for none.
    ///   - text: What is sent in place of the example.
    private static func send(
        _ operation: DescribedOperation,
        _ body: DescribedOperation.Body?,
        _ text: String? = nil,
        headers: [String] = [ThingIF.bob],
        app: String = "A",
        port: Int
    ) async throws -> WireClient.Reply {
        try await request(
            operation.method,
            operation.path(["app": app]),
            port: port,
            headers: headers + (body.map { ["Content-Type: \($0.type)"] } ?? []),
            body: text ?? body?.text ?? ""
        )
    }

    @Test func `each operation answers each of its bodies as described`() async throws {
        try await ThingIF.serve { port, _ in
            for operation in try Self.operations() {
                let bodies = operation.bodies.map { $0 as DescribedOperation.Body? }
                for body in bodies.isEmpty ? [nil] : bodies {
                    if let body {
                        let problems = operation.schema.problems(of: body.example, body.schema)
                        #expect(problems == [], "\(operation)")
                    }
                    let reply = try await Self.send(operation, body, port: port)
                    // What nobody may do succeeds for nobody.
                    let expected = operation.statuses.contains { $0 < 300 } ? 200..<300 : 403..<404
                    #expect(expected.contains(reply.status), "\(operation): \(reply)")
                    #expect(operation.problems(of: reply) == [], "\(operation)")
                }
            }
        }
    }

    @Test func `each operation describes callers that are not known, apps and pages of other sites`()
        async throws
    {
        try await ThingIF.serve { port, _ in
            for operation in try Self.operations() {
                let body = operation.bodies.first
                let isOpen = operation.members["security"]?.array?.contains([:]) == true
                let unknown = try await Self.send(operation, body, headers: [], port: port)
                #expect(isOpen || unknown.status == 401, "\(operation): \(unknown)")
                #expect(operation.problems(of: unknown) == [], "\(operation)")
                let other = try await Self.send(operation, body, app: "B", port: port)
                #expect(other.status == 404, "\(operation): \(other)")
                #expect(operation.problems(of: other) == [], "\(operation)")
                let site = [ThingIF.bob, "Origin: https://elsewhere.example"]
                let foreign = try await Self.send(operation, body, headers: site, port: port)
                #expect(foreign.status == 403, "\(operation): \(foreign)")
                #expect(operation.problems(of: foreign) == [], "\(operation)")
            }
        }
    }

    @Test func `each operation with a body refuses what is illegal as described`() async throws {
        try await ThingIF.serve { port, _ in
            for operation in try Self.operations() {
                for body in operation.bodies {
                    for text in ["", "{", "7", #"{"no such key":1}"#] {
                        let reply = try await Self.send(operation, body, text, port: port)
                        #expect(
                            (200..<300).contains(reply.status) || reply.status == 400,
                            "\(operation): \(reply)"
                        )
                        if text == "{" { #expect(reply.status == 400, "\(operation)") }
                        #expect(operation.problems(of: reply) == [], "\(operation) \(text)")
                    }
                    let plain = DescribedOperation.Body(
                        type: "text/plain",
                        schema: body.schema,
                        example: body.example
                    )
                    let reply = try await Self.send(operation, plain, port: port)
                    #expect(reply.status == 400 && reply.invalidFields == ["Content-Type"], "\(operation)")
                    #expect(operation.problems(of: reply) == [], "\(operation)")
                }
            }
        }
    }

    private static let refusals: [(error: BindingsError, status: Int)] = [
        (.refused(Refusal(.invalidValue, "wrong", field: "f")), 400),
        (.refused(Refusal(.notAllowed, "no")), 403), (.refused(Refusal(.unknownThing, "none")), 404),
        (.notOnboarded("no owner"), 409), (.historyNotAvailable("no interval"), 409),
        (.refused(Refusal(.rateLimited, "wait")), 429), (.refused(Refusal(.internalError, "broken")), 500),
        (.refused(Refusal(.serverRejected, "no")), 502), (.refused(Refusal(.serverUnreachable, "away")), 503),
        (.refused(Refusal(.timeout, "late")), 504),
    ]

    @Test(arguments: refusals.indices)
    func `a refusal has the described form wherever it is described`(index: Int) async throws {
        try await ThingIF.serve { port, service in
            let (error, status) = Self.refusals[index]
            service.failure.withLock { $0 = error }
            let described = try Self.operations().filter { operation in
                operation.statuses.contains(status) && operation.statuses.contains { $0 < 300 }
            }
            #expect(!described.isEmpty)
            for operation in described {
                let reply = try await Self.send(operation, operation.bodies.first, port: port)
                #expect(reply.status == status, "\(operation): \(reply)")
                #expect(operation.problems(of: reply) == [], "\(operation)")
            }
        }
    }
}
