import Flare
import JSON
import TestSupport
import Testing

/// Replays the REST steps of a recorded case; ignores what depends on the original server's libraries (`__v`, the texts
/// of errors).
struct RESTTracePlayer {
    let client: RESTClient
    private(set) var played = 0
    private var names: JSONObject = [
        "RUN": .string("run\(UInt32.random(in: 0 ... .max))"), "NOSUCH": "000000000000000000000001",
    ]

    init(client: RESTClient) {
        self.client = client
    }

    mutating func play(_ step: JSONValue, named name: String) async throws {
        let method = try #require(step["method"]?.string)
        let path = try #require(substituted(step["path"] ?? "").string)
        var headers = (step["headers"]?.object ?? [:]).compactMap { key, value in
            value.string.map { "\(key): \($0)" }
        }
        var body = ""
        if let json = step["json"] {
            headers.append("Content-Type: application/json")
            body = substituted(json).text
        } else if let raw = step["raw"]?.string {
            body = raw
        }
        let reply = try await request(method, path, port: client.port, headers: headers, body: body)
        let type = reply.headers["content-type"]?.split(separator: ";").first.map(String.init)
        let value =
            type == "application/json" && !reply.body.isEmpty ? try JSONValue(parsing: reply.body) : nil
        for (name, place) in step["save"]?.object ?? [:] {
            names[name] = place.string.flatMap { value?[$0] }
        }
        let expected = substituted(step["expect"] ?? [:])
        #expect(reply.status == expected["status"]?.integer, "\(name): \(reply)")
        if let wanted = expected["body"] {
            #expect(type == expected["type"]?.string, "\(name)")
            compare(wanted, value, isPart: step["match"] == "contains", name)
        } else if let text = expected["text"]?.string {
            #expect(type == expected["type"]?.string, "\(name)")
            #expect(reply.body == text, "\(name)")
        }
        played += 1
    }

    private func compare(_ wanted: JSONValue, _ value: JSONValue?, isPart: Bool, _ name: String) {
        if isPart {
            for element in wanted.array ?? [] {
                let isThere = (value?.array ?? []).contains { matches(simplified(element), simplified($0)) }
                #expect(isThere, "\(name): the list lacks \(element)")
            }
        } else {
            let isSame = value.map { matches(simplified(wanted), simplified($0)) } ?? false
            #expect(isSame, "\(name): expected \(wanted), got \(value?.text ?? "nothing")")
        }
    }

    private func substituted(_ value: JSONValue) -> JSONValue {
        switch value {
        case .string(let text):
            var result = text
            for (name, saved) in names {
                let mark = "${" + name + "}"
                if text == mark { return saved }
                result = result.split(separator: mark, omittingEmptySubsequences: false)
                    .joined(separator: saved.string ?? saved.text)
            }
            return .string(result)
        case .array(let elements): return .array(elements.map(substituted))
        case .object(let members): return .object(members.mapValues(substituted))
        default: return value
        }
    }

    /// The compared part of a response.
    private func simplified(_ value: JSONValue) -> JSONValue {
        switch value {
        case .array(let elements): return .array(elements.map(simplified))
        case .object(var members):
            if members["name"] == "CastError" {
                return ["name": "CastError", "path": members["path"] ?? .null]
            }
            if members["name"] == "ValidationError", let errors = members["errors"]?.object {
                return [
                    "name": "ValidationError", "errors": .array(errors.keys.sorted().map { .string($0) }),
                ]
            }
            if members["code"] == 11000 { return ["code": 11000] }
            members.removeValue(forKey: "__v")
            return .object(members.mapValues(simplified))
        default: return value
        }
    }

    private func matches(_ wanted: JSONValue, _ value: JSONValue) -> Bool {
        switch (wanted, value) {
        case ("<any>", _): return true
        case ("<id>", .string(let text)): return FlareID(text)?.description == text
        case ("<string>", .string): return true
        case ("<date>", .string(let text)):
            return text.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil
        case (.array(let wanted), .array(let values)):
            return wanted.count == values.count && zip(wanted, values).allSatisfy { matches($0, $1) }
        case (.object(let wanted), .object(let values)):
            return wanted.count == values.count
                && wanted.allSatisfy { key, value in values[key].map { matches(value, $0) } ?? false }
        default: return wanted == value
        }
    }
}
