import JSON
import TestSupport

@testable import Web

/// An operation as `/api/openapi.json` describes it.
struct DescribedOperation: CustomStringConvertible {
    /// A body that is legal.
    struct Body {
        let type: String
        let schema: JSONValue
        let example: JSONValue

        /// As it is sent.
        var text: String {
            guard type == "application/x-www-form-urlencoded" else { return example.text }
            return (example.object ?? [:]).map { "\($0.key)=\($0.value.string ?? "")" }.joined(separator: "&")
        }
    }

    let template: String
    let method: String
    let members: JSONValue
    let schema: JSONSchema

    static func document() throws -> JSONValue {
        try JSONValue(parsing: PackageResources.openapi_json, refusesRepeats: true)
    }

    static func all() throws -> [DescribedOperation] {
        let document = try document()
        let schema = JSONSchema(document: document)
        return (document["paths"]?.object ?? [:]).sorted { $0.key < $1.key }.flatMap { path, item in
            (item.object ?? [:]).sorted { $0.key < $1.key }.map {
                DescribedOperation(
                    template: path,
                    method: $0.key.uppercased(),
                    members: $0.value,
                    schema: schema
                )
            }
        }
    }

    var description: String { "\(method) \(template)" }

    /// Whether it is for programs for Thing-IF.
    var isThingIF: Bool { template.hasPrefix("/thing-if/") || template.hasPrefix("/api/apps/") }

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

    /// One for each type.
    var bodies: [Body] {
        (members["requestBody"]?["content"]?.object ?? [:]).compactMap { type, content -> Body? in
            guard let schema = content["schema"], let example = content["example"] else { return nil }
            return Body(type: type, schema: schema, example: example)
        }
    }

    var body: Body? { bodies.first { $0.type == "application/json" } }

    /// The statuses of its answers.
    var statuses: [Int] { (members["responses"]?.object ?? [:]).compactMap { Int($0.key) } }

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
