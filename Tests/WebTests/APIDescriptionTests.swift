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

    private struct Operation: CustomStringConvertible {
        let template: String
        let method: String
        let members: JSONValue
        let schema: JSONSchema

        var description: String { "\(method) \(template)" }

        private var parameters: [JSONValue] {
            (members["parameters"]?.array ?? []).compactMap { schema.resolve($0) }
        }

        /// The path with the examples of its parameters, and those of the query that are necessary.
        func path(_ identifiers: [String: String]) -> String {
            let path = parameters.reduce(template) { path, parameter in
                guard parameter["in"] == "path", let name = parameter["name"]?.string,
                    let example = identifiers[name] ?? parameter["example"]?.string
                else { return path }
                return path.replacing("{\(name)}", with: example)
            }
            let query = parameters.compactMap { parameter -> String? in
                guard parameter["in"] == "query", let name = parameter["name"]?.string,
                    let example = parameter["example"]?.string
                else { return nil }
                return "\(name)=\(example)"
            }
            return path + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
        }

        var headers: [String] {
            parameters.compactMap { parameter in
                guard parameter["in"] == "header", let name = parameter["name"]?.string,
                    let example = parameter["example"]?.string
                else { return nil }
                return "\(name): \(example)"
            }
        }

        var body: (schema: JSONValue, example: JSONValue)? {
            let content = members["requestBody"]?["content"]?["application/json"]
            guard let schema = content?["schema"], let example = content?["example"] else { return nil }
            return (schema, example)
        }

        /// What is wrong with an answer.
        func problems(of reply: WireClient.Reply) -> [String] {
            guard let found = members["responses"]?["\(reply.status)"], let response = schema.resolve(found)
            else { return ["the status \(reply.status) is not described: \(reply.body)"] }
            guard let (type, content) = response["content"]?.object?.first else {
                let isEmpty = reply.body.isEmpty && reply.headers["content-type"] == nil
                return isEmpty ? [] : ["has a body that is not described: \(reply.body)"]
            }
            guard reply.headers["content-type"]?.hasPrefix(type) == true else {
                return ["the type is not \(type) but \(reply.headers["content-type"] ?? "none")"]
            }
            let headers = response["headers"]?.object.map { Array($0.keys) } ?? []
            let missing = headers.filter { reply.headers[$0.lowercased()] == nil }.map {
                "lacks the header \($0)"
            }
            guard type == "application/json", let described = content["schema"] else { return missing }
            guard let value = try? JSONValue(parsing: reply.body) else {
                return ["is no JSON: \(reply.body)"]
            }
            return missing + schema.problems(of: value, described)
        }
    }

    private static func document() throws -> JSONValue {
        try JSONValue(parsing: PackageResources.openapi_json)
    }

    private static func operations() throws -> [Operation] {
        let document = try document()
        let schema = JSONSchema(document: document)
        return (document["paths"]?.object ?? [:]).sorted { $0.key < $1.key }.flatMap { path, item in
            (item.object ?? [:]).sorted { $0.key < $1.key }.map {
                Operation(template: path, method: $0.key.uppercased(), members: $0.value, schema: schema)
            }
        }
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
        _ operation: Operation,
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
        let routes = (WebRoute.table(.tested) + .tested).filter {
            let template = "\($0.template)"
            return !page.contains(template)
                && (!template.hasPrefix("/api/request/") || template.hasSuffix("{verb}"))
        }.flatMap { entry in
            entry.methods.filter { $0 != .head }.map { "\($0) \(entry.template)" }
        }
        let described = try Self.operations().map(\.description)
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
        let names = try Self.operations().compactMap { $0.members["operationId"]?.string }
        #expect(Set(names).count == names.count)
        #expect(names.count == (try Self.operations().count))
        let document = try Self.document()
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
