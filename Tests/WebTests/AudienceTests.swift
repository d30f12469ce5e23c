import Controller
import Flare
import People
import TestSupport
import Testing

import Threading
@testable import Web

/// Who may read event streams and attach displays, and how many.
@Suite(.timeLimit(.minutes(1)))
struct AudienceTests {
    private static func presence(
        _ word: String,
        of display: String = "wall",
        _ port: Int,
        _ headers: [String] = Users.token
    ) async throws -> Int {
        try await post("/api/display/\(display)/presence", "\"\(word)\"", port: port, headers: headers).status
    }

    private static let read: [(Access, Scope)] = [(.read, .thing(FakeNode.lamp))]
    private static let write: [(Access, Scope)] = [(.write, .thing(FakeNode.lamp))]

    @Test func `streams and displays need the right to read something`() async throws {
        try await Users.serve([]) { (port: Int, node: FakeNode) async throws in
            #expect(try await Self.presence("visible", port) == 403)
            for method in ["GET", "HEAD"] {
                let path = "/api/events?display=wall"
                let stream = try await request(method, path, port: port, headers: Users.token)
                #expect(stream.status == 403)
            }
            #expect(node.events == [])
            Users.grant(Self.read, node)
            #expect(try await Self.presence("visible", port) == 200)
        }
    }

    @Test func `a member of the presence that nobody knows is refused, with the nearest`() async throws {
        try await withWeb(FakeNode()) { port in
            let body = #"{"presence":"visible","pages":"p1"}"#
            let reply = try await post("/api/display/wall/presence", body, port: port)
            #expect(reply.status == 400)
            #expect(reply.body.contains("unknown_key") && reply.body.contains(#"did you mean \"page\"?"#))
        }
    }

    @Test func `one user has a quarter of the streams, and an eighth is left for who administers`()
        async throws
    {
        try await Users.serve(Self.read, configure: { $0.maximumStreams = 8 }) {
            (port: Int, _: FakeNode) async throws in
            try await onThread {
                let bobs = try (0..<3).map { _ in try StreamReader(port: port, headers: Users.token) }
                #expect(bobs.map(\.status) == [200, 200, 503])
                let owners = try (0..<7).map { _ in try StreamReader(port: port) }
                #expect(owners.map(\.status) == [200, 200, 200, 200, 200, 503, 503])
            }
        }
    }

    @Test func `one user has a quarter of the displays`() async throws {
        try await Users.serve(Self.write, configure: { $0.maximumDisplays = 8 }) {
            (port: Int, _: FakeNode) async throws in
            var statuses: [Int] = []
            for number in 1...3 { statuses.append(try await Self.presence("hidden", of: "d\(number)", port)) }
            #expect(statuses == [200, 200, 429])
            statuses = []
            for number in 1...7 {
                statuses.append(try await Self.presence("hidden", of: "d\(number)", port, []))
            }
            #expect(statuses == [200, 200, 200, 200, 200, 429, 429])
        }
    }

    @Test func `nobody sends another user's display away, or shows it`() async throws {
        try await Users.serve(Self.write) { (port: Int, node: FakeNode) async throws in
            #expect(try await Self.presence("hidden", port, []) == 200)
            for word in ["visible", "gone"] { #expect(try await Self.presence(word, port) == 200) }
            #expect(
                node.events == [
                    .displayChanged(id: "web/wall", .hidden),
                    .displayChanged(id: "web-\(Users.bob)/wall", .visible),
                    .displayChanged(id: "web-\(Users.bob)/wall", .gone),
                ]
            )
        }
    }

    @Test func `the display of who may only look at things does not lift the level`() async throws {
        try await Users.serve(Self.read) { (port: Int, node: FakeNode) async throws in
            #expect(try await Self.presence("visible", port) == 200)
            try await onThread {
                let stream = try StreamReader(port: port, display: "hall", headers: Users.token)
                #expect(try stream.next()?.name == "state")
            }
            #expect(node.events == [])
            Users.grant([(.read, .devices)], node)
            #expect(try await Self.presence("visible", port) == 200)
            #expect(node.events == [.displayChanged(id: "web-\(Users.bob)/wall", .visible)])
        }
    }

    @Test func `a display is gone when its user's right ends`() async throws {
        try await Users.serve(Self.write) { (port: Int, node: FakeNode) async throws in
            #expect(try await Self.presence("visible", port) == 200)
            Users.grant([], node)
            node.loop.perform { node.hub.withLock { $0 }?.assumeIsolated { $0.lookAgain() } }
            let gone = ControllerEvent.displayChanged(id: "web-\(Users.bob)/wall", .gone)
            #expect(await eventually { node.events.last == gone })
        }
    }

    // MARK: The body of a request

    @Test(arguments: [
        ("/api/things/red-lamp/set", #"{"state":"ON"}"#), ("/api/display/wall/presence", #""visible""#),
        ("/api/tokens", #"{"name":"later"}"#), ("/api/things", #"{"name":"Lamp","zone":"kitchen"}"#),
    ])
    func `a token that is removed while the body arrives does not count`(path: String, body: String)
        async throws
    {
        let known = Users.Known()
        try await Users.serve([(.own, .all)], known) { (port: Int, node: FakeNode) async throws in
            let client = try WireClient(port: port)
            client.send(
                "POST \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                    + "Authorization: Bearer tlu_bob\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
            )
            client.send(body.utf8.prefix(3))
            #expect(await eventually { known.identified.withLock { $0.contains(.token("tlu_bob")) } })
            known.claims.withLock { $0[.token("tlu_bob")] = nil }
            client.send(body.utf8.dropFirst(3))
            let status = try await onThread { try client.reply() }?.status
            #expect(status == 401)
            #expect(node.events == [] && known.asked.withLock { $0.isEmpty })
        }
    }
}
