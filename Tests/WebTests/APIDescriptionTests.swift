import Accounts
import Controller
import Flare
import HTTPTypes
import JSON
import People
import TestSupport
import Testing
@testable import Web

/// `/api/openapi.json` is what the listener does: every operation is replayed, and the answers are checked.
@Suite(.timeLimit(.minutes(4)))
struct APIDescriptionTests {
    private static let password = "Authorization: Bearer open sesame"

    /// All but those for programs for Thing-IF, which have callers and errors of their own.
    private static func operations() throws -> [DescribedOperation] {
        try DescribedOperation.all().filter { !$0.isThingIF }
    }

    private static func serve(
        _ body: @escaping @Sendable (Int, RealAccounts) async throws -> Void
    ) async throws {
        let accounts = try await RealAccounts()
        let node = try FakeNode()
        node.change([]) { state in
            let box = Box(origin: Point3D(x: 0, y: 0, z: 0), width: 5, height: 4, depth: 3)
            state.environments[FakeNode.environment]?.perimeter = box
            state.zones[FakeNode.kitchen]?.perimeter = box
            state.zoneID = FakeNode.kitchen
            state.nearbyID = FakeNode.lamp
            state.people = accounts.registry.table
        }
        try await withWeb(node, people: accounts.people) { port in
            try await body(port, accounts)
        }
    }

    private static func send(
        _ operation: DescribedOperation,
        _ body: String?,
        port: Int,
        headers: [String],
        _ accounts: RealAccounts
    ) async throws -> WireClient.Reply {
        let type = body == nil ? [] : ["Content-Type: application/json"]
        return try await request(
            operation.method,
            operation.path(accounts.identifiers),
            port: port,
            headers: operation.headers + type + headers,
            body: body?.replacing("tll_example", with: accounts.link) ?? ""
        )
    }

    @Test func `every route outside the page is described, and nothing else`() throws {
        let page: Set<String> = [
            "/kiosk/", "/sign-in/", "/sign-up/", "/forgot/", "/verify/", "/me/", "/admin/",
            "/", "/kiosk", "/kiosk/{file}", "/kiosk/modules/{module}",
            "/kiosk/{version}/{file}", "/sign-in", "/sign-up", "/forgot",
            "/verify", "/me", "/admin",
        ]
        let usual = WebRoute.table(.tested) + .tested
        let routes = (usual + ThingIF.routes(RecordingThingIF())).filter {
            let template = "\($0.template)"
            return !page.contains(template)
                && (!template.contains("/request/") || template.hasSuffix("{verb}"))
        }.flatMap { entry in
            entry.methods.filter { $0 != .head }.map { "\($0) \(entry.template)" }
        }
        let described = try DescribedOperation.all().map(\.description)
        #expect(Set(described).count == described.count)
        // A route may be described once for each of its words.
        let isOfRoute = { (operation: String, route: String) in
            let (words, parts) = (operation.split(separator: "/"), route.split(separator: "/"))
            return operation == route
                || words.count == parts.count
                    && zip(words, parts).allSatisfy { $0 == $1 || $1.hasPrefix("{") && !$0.hasPrefix("{") }
        }
        #expect(described.filter { one in !routes.contains { isOfRoute(one, $0) } } == [])
        #expect(routes.filter { one in !described.contains { isOfRoute($0, one) } } == [])
    }

    @Test func `each operation answers as described`() async throws {
        for operation in try Self.operations() {
            if let body = operation.body {
                #expect(operation.schema.problems(of: body.example, body.schema) == [], "\(operation)")
            }
            // Each on accounts of its own: some remove what others need.
            try await Self.serve { port, accounts in
                let reply = try await Self.send(
                    operation,
                    operation.body?.example.text ?? (operation.method == "POST" ? "{}" : nil),
                    port: port,
                    headers: [Self.password],
                    accounts
                )
                #expect((200..<300).contains(reply.status), "\(operation): \(reply)")
                #expect(operation.problems(of: reply) == [], "\(operation)")
            }
        }
    }

    @Test func `each operation answers a user without rights, and on what is not there, as described`()
        async throws
    {
        let table = AccountsRoute.table.map { "/api/\($0.template)" }
        for operation in try Self.operations() where table.contains(operation.template) {
            try await Self.serve { port, accounts in
                let body = operation.body?.example.text ?? (operation.method == "POST" ? "{}" : nil)
                for path in [operation.path(accounts.identifiers), operation.path([:]) + "-"] {
                    for caller in [accounts.token, "open sesame"] {
                        let type = body == nil ? [] : ["Content-Type: application/json"]
                        let reply = try await request(
                            operation.method,
                            path.contains("?") && path.hasSuffix("-") ? path + "&x=" : path,
                            port: port,
                            headers: ["Authorization: Bearer \(caller)"] + type,
                            body: body ?? ""
                        )
                        guard reply.status != 404 || operation.template.contains("{") else { continue }
                        #expect(operation.problems(of: reply) == [], "\(operation) \(path)")
                    }
                }
            }
        }
    }

    @Test func `each operation that needs the password answers as described without it`() async throws {
        try await Self.serve { port, accounts in
            for operation in try Self.operations() where operation.members["security"] == nil {
                let reply = try await Self.send(
                    operation,
                    operation.body?.example.text,
                    port: port,
                    headers: [],
                    accounts
                )
                #expect(reply.status == 401, "\(operation)")
                #expect(operation.problems(of: reply) == [], "\(operation)")
            }
        }
    }

    @Test func `each operation with a body refuses what is illegal as described`() async throws {
        try await Self.serve { port, accounts in
            for operation in try Self.operations() where operation.body != nil {
                for body in ["", "{", "7", #"{"no such key":1}"#] {
                    let reply = try await Self.send(
                        operation,
                        body,
                        port: port,
                        headers: [Self.password],
                        accounts
                    )
                    #expect(
                        (200..<300).contains(reply.status) || (400..<500).contains(reply.status),
                        "\(operation): \(reply)"
                    )
                    if body == "{" { #expect(reply.status == 400, "\(operation)") }
                    #expect(operation.problems(of: reply) == [], "\(operation) \(body)")
                }
                let form = try await request(
                    operation.method,
                    operation.path(accounts.identifiers),
                    port: port,
                    headers: [Self.password, "Content-Type: text/plain"],
                    body: operation.body?.example.text ?? ""
                )
                #expect(form.status == 415, "\(operation)")
                #expect(operation.problems(of: form) == [], "\(operation)")
            }
        }
    }

    @Test func `each operation refuses another site as described`() async throws {
        try await Self.serve { port, accounts in
            for operation in try Self.operations() where operation.members["responses"]?["403"] != nil {
                let reply = try await Self.send(
                    operation,
                    operation.body?.example.text,
                    port: port,
                    headers: [Self.password, "Origin: https://elsewhere.example"],
                    accounts
                )
                #expect(reply.status == 403, "\(operation)")
                #expect(operation.problems(of: reply) == [], "\(operation)")
            }
        }
    }

    @Test func `names are unique and references lead somewhere`() throws {
        let operations = try DescribedOperation.all()
        let names = operations.compactMap { $0.members["operationId"]?.string }
        #expect(Set(names).count == names.count)
        #expect(names.count == operations.count)
        let document = try DescribedOperation.document()
        #expect(document["openapi"] == "3.1.0")
        func references(_ value: JSONValue) -> [String] {
            if let reference = value["$ref"]?.string { return [reference] }
            return (value.object.map { Array($0.values) } ?? value.array ?? []).flatMap(references)
        }
        for reference in Set(references(document)) {
            #expect(
                JSONSchema(document: document).resolve(["$ref": .string(reference)]) != nil,
                "\(reference)"
            )
        }
    }
}
