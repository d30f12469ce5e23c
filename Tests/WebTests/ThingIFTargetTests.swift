import Bindings
import JSON
import People
import TestSupport
import Testing
import Threading

@testable import Web

/// States, history and commands of a thing.
@Suite(.timeLimit(.minutes(1)))
struct ThingIFTargetTests {
    private static func send(
        _ method: String,
        _ path: String,
        _ body: String = "",
        _ caller: String = ThingIF.thing,
        port: Int
    ) async throws -> WireClient.Reply {
        let headers = [caller, ThingIF.json]
        return try await request(method, ThingIF.target + path, port: port, headers: headers, body: body)
    }

    private static let id = RecordingThingIF.thing

    @Test(
        arguments: [
            ("thing:\(id)", .thing(id)), ("THING:\(id)", .thing(id)), ("thing%3A\(id)", .thing(id)),
            ("VENDOR_THING_ID:v-1", .vendor("v-1")), ("VENDOR_THING_ID%3Av.1", .vendor("v.1")),
        ] as [(String, TargetName)]
    )
    func `a thing is named by its identifier or its vendor's name`(text: String, target: TargetName)
        async throws
    {
        try await ThingIF.serve { port, service in
            let path = "/thing-if/apps/A/targets/\(text)/states"
            let headers = [ThingIF.thing, ThingIF.json]
            let reply = try await request("PUT", path, port: port, headers: headers, body: "{}")
            #expect(reply.status == 201)
            #expect(service.asked.uploads.map(\.target) == [target])
        }
    }

    @Test(arguments: ["", "v-1", "thing:v-1", "Thing:\(id)", "VENDOR_THING_ID:..", "VENDOR_THING_ID:a%2Fb"])
    func `another name of a thing is refused at every route`(text: String) async throws {
        try await ThingIF.serve { port, service in
            for (method, path) in ThingIF.calls where path.hasPrefix(ThingIF.target) {
                let path = "/thing-if/apps/A/targets/\(text)\(path.dropFirst(ThingIF.target.count))"
                let headers = [ThingIF.bob, ThingIF.json]
                let reply = try await request(method, path, port: port, headers: headers)
                #expect(reply.status == 400, "\(method) \(path): \(reply)")
                #expect(reply.errorCode == "INVALID_INPUT_DATA" && reply.invalidFields == ["target"])
            }
            #expect(service.asked.count == 0)
        }
    }

    // MARK: States

    @Test func `the first state is created, the next ones are not, and the last one is shown`() async throws {
        try await ThingIF.serve { port, service in
            let first = try await Self.send("PUT", "/states", #"{"t":1}"#, port: port)
            #expect(first.status == 201)
            #expect(first.body == "{}")
            let second = try await Self.send("PUT", "/states", #"{"t":2}"#, port: port)
            #expect(second.status == 204)
            #expect(second.body.isEmpty)
            let states = service.asked.uploads.map { $0.upload.samples.map(\.state) }
            #expect(states == [[["t": 1]], [["t": 2]]])
            #expect(service.asked.uploads.allSatisfy { $0.caller == .thing(Self.id) })
            #expect(service.asked.uploads.allSatisfy { $0.address == "127.0.0.1" })
            let shown = try await Self.send("GET", "/states", port: port)
            #expect(shown.status == 200)
            #expect(shown.body == #"{"temperature":21.5}"#)
        }
    }

    /// Of this many bytes with spaces that mean nothing.
    private static func state(_ count: Int) -> String {
        #"{"t":1"# + String(repeating: " ", count: count - 7) + "}"
    }

    @Test(
        arguments: [
            (state(10_240), 201, []), (state(10_241), 400, ["state"]), ("", 400, []), ("[]", 400, ["state"]),
            ("{", 400, []), (#"{"t":1,"t":2}"#, 400, []),
            (String(repeating: #"{"a":"#, count: 16) + "1" + String(repeating: "}", count: 16), 201, []),
            (
                String(repeating: #"{"a":"#, count: 17) + "1" + String(repeating: "}", count: 17), 400,
                ["state"]
            ),
        ] as [(String, Int, [String])]
    )
    func `a state is an object of at most 10,240 bytes as they are sent`(
        body: String,
        status: Int,
        fields: [String]
    ) async throws {
        try await ThingIF.serve { port, service in
            let reply = try await Self.send("PUT", "/states", body, port: port)
            #expect(reply.status == status, "\(reply)")
            #expect(service.asked.uploads.count == (status == 201 ? 1 : 0))
            guard status == 400 else { return }
            #expect(reply.errorCode == "INVALID_INPUT_DATA")
            #expect(reply.invalidFields == fields)
        }
    }

    @Test func `a state has the time at which it came`() async throws {
        let service = RecordingThingIF()
        let node = try FakeNode()
        node.wall.withLock { $0 = 1_760_000_000_000 }
        node.routes.withLock { $0 += ThingIF.routes(service) }
        try await withWeb(node) { port in
            let reply = try await Self.send("PUT", "/states", "{}", port: port)
            #expect(reply.status == 201)
            #expect(service.asked.uploads.first?.upload.samples.map(\.at) == [1_760_000_000_000])
        }
    }

    @Test func `the history is asked for by a query`() async throws {
        try await ThingIF.serve { port, service in
            let body = #"{"query":{"clause":{"type":"all"}},"bestEffortLimit":5}"#
            let reply = try await Self.send("POST", "/states/query", body, ThingIF.bob, port: port)
            #expect(reply.status == 200)
            #expect(reply.body == #"{"results":[]}"#)
            let query = try HistoryQuery(JSONValue(parsing: body))
            #expect(service.asked.queries.map(\.query) == [query])
            let wrong = #"{"query":{"clause":{"type":"none"}}}"#
            let refused = try await Self.send("POST", "/states/query", wrong, ThingIF.bob, port: port)
            #expect(refused.status == 400)
            #expect(refused.errorCode == "INVALID_INPUT_DATA")
            #expect(refused.invalidFields == ["query.clause.type"])
        }
    }

    // MARK: Commands

    private static let command =
        #"{"actions":[{"brightness":0.4}],"issuer":"user:bob","schema":"lamp","schemaVersion":1}"#

    @Test func `a command is created, shown and answered`() async throws {
        try await ThingIF.serve { port, service in
            let reply = try await Self.send("POST", "/commands", Self.command, ThingIF.bob, port: port)
            #expect(reply.status == 201)
            #expect(reply.body == #"{"commandID":"c-1"}"#)
            let given = service.asked.commands
            let command = try CommandRequest(JSONValue(parsing: Self.command))
            #expect(given.map(\.request) == [command])
            #expect(given.map(\.caller) == [RecordingThingIF.bob])
            let shown = try await Self.send("GET", "/commands/c%2D1", port: port)
            #expect(shown.status == 200)
            #expect(shown.body.contains(#""commandID":"c-1""#))
            let results = #"{"actionResults":[{"brightness":{"succeeded":true}}]}"#
            let answered = try await Self.send("PUT", "/commands/c-1/action-results", results, port: port)
            #expect(answered.status == 204)
            #expect(service.asked.results.map(\.command) == ["c-1"])
            let sent = try JSONValue(parsing: results)
            #expect(service.asked.results.map(\.body) == [sent])
            #expect(service.asked.results.map(\.caller) == [.thing(Self.id)])
        }
    }

    @Test(arguments: [
        "", "{", "{}", #"{"actions":[],"issuer":"user:bob","schema":"l","schemaVersion":1}"#,
        #"{"actions":[{"a":1,"b":2}],"issuer":"user:bob","schema":"l","schemaVersion":1}"#,
        #"{"actions":[{"a":1}],"issuer":"bob","schema":"l","schemaVersion":1}"#,
        #"{"actions":[{"a":1,"a":2}],"issuer":"user:bob","schema":"l","schemaVersion":1}"#,
    ])
    func `a command of a wrong form is a wrong command`(body: String) async throws {
        try await ThingIF.serve { port, service in
            let reply = try await Self.send("POST", "/commands", body, ThingIF.bob, port: port)
            #expect(reply.status == 400, "\(reply)")
            #expect(reply.errorCode == "WRONG_COMMAND")
            #expect(service.asked.count == 0)
        }
    }

    @Test(
        arguments: [
            ("", 200, nil), ("?bestEffortLimit=5", 5, nil), ("?bestEffortLimit=0", 200, nil),
            ("?bestEffortLimit=200", 200, nil), ("?bestEffortLimit=201&paginationKey=k%3D", 200, "k="),
            ("?paginationKey=", 200, nil), ("?paginationKey=k", 200, "k"),
        ] as [(String, Int, String?)]
    )
    func `commands are listed in parts of 200 at most`(query: String, limit: Int, key: String?) async throws {
        try await ThingIF.serve { port, service in
            let reply = try await Self.send("GET", "/commands\(query)", port: port)
            #expect(reply.status == 200, "\(reply)")
            #expect(try JSONValue(parsing: reply.body)["commands"]?.array?.count == 1)
            #expect(service.asked.lists.map(\.limit) == [limit])
            #expect(service.asked.lists.map(\.key) == [key])
        }
    }

    @Test(arguments: ["-1", "x", "", "1.5", "99999999999999999999"])
    func `a limit that is no whole number is refused`(limit: String) async throws {
        try await ThingIF.serve { port, _ in
            let reply = try await Self.send("GET", "/commands?bestEffortLimit=\(limit)", port: port)
            #expect(reply.status == 400)
            #expect(reply.errorCode == "INVALID_INPUT_DATA" && reply.invalidFields == ["bestEffortLimit"])
        }
    }
}
