import Flare
import People
import TestSupport
import Testing

@testable import Web

/// What a page is told that its viewer may do.
@Suite(.timeLimit(.minutes(1)))
struct PermissionTests {
    private static func permissions(_ port: Int, _ headers: [String] = Users.token) async throws -> JSONValue
    {
        try JSONValue(
            parsing: try await request("GET", "/api/permissions", port: port, headers: headers).body
        )
    }

    @Test func `who may only see is offered nothing to drive`() async throws {
        try await Users.serve([(.read, .all), (.read, .devices)]) { (port: Int, _: FakeNode) async throws in
            let found = try await Self.permissions(port)
            #expect(found["things"] == [] && found["devices"] == false && found["administers"] == false)
            #expect(found["signed_in"] == true && found["users"] == true)
        }
    }

    @Test func `things that may be driven are named, and all of them are simply all`() async throws {
        try await Users.serve([(.read, .all), (.write, .thing(FakeNode.lamp))]) {
            (port: Int, node: FakeNode) async throws in
            #expect(try await Self.permissions(port)["things"] == [.string("\(FakeNode.lamp)")])
            Users.grant([(.write, .zone(FakeNode.kitchen))], node)
            let both = try await Self.permissions(port)["things"]?.array?.count
            #expect(both == 2)
            Users.grant([(.own, .all)], node)
            let found = try await Self.permissions(port)
            #expect(found["things"] == true && found["administers"] == true)
        }
    }

    @Test func `who has not signed in drives as far as that goes, and administers nothing`() async throws {
        try await Users.serve { (port: Int, _: FakeNode) async throws in
            let found = try await Self.permissions(port, [])
            #expect(found["things"] == true && found["administers"] == false && found["signed_in"] == false)
        }
    }

    @Test func `without users everybody may do everything`() async throws {
        try await withWeb(FakeNode()) { port in
            let found = try await Self.permissions(port, [])
            #expect(found["things"] == true && found["devices"] == true && found["administers"] == true)
            #expect(found["users"] == false && found["signed_in"] == false)
        }
    }
}
