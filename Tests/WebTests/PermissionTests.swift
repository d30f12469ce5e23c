import Controller
import Flare
import JSON
import People
import TestSupport
import Testing

import Threading
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

    /// No level of the lifecycle allows control any more.
    private static func forbidControl(_ node: FakeNode) {
        var settings = Lifecycle.Settings()
        settings.controlLevels = []
        node.change([.lifecycle]) { [settings] in $0.lifecycle = Lifecycle(settings) }
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

    @Test func `what the configuration or the level of the lifecycle refuses is not offered`() async throws {
        let node = try Users.node([])
        try await withWeb(node) { port in
            #expect(try await Self.permissions(port, [])["things"] == true)
            node.readOnly.withLock { $0 = ["kettle"] }
            #expect(try await Self.permissions(port, [])["things"] == [.string("\(FakeNode.lamp)")])
            Self.forbidControl(node)
            let found = try await Self.permissions(port, [])
            #expect(found["things"] == [] && found["devices"] == true)
        }
    }

    @Test func `a stream tells at its beginning what its viewer may do, and whenever that changes`()
        async throws
    {
        // With devices, so that the stream itself stays the same whatever may be driven.
        let seen: [(Access, Scope)] = [(.read, .all), (.read, .devices)]
        try await Users.serve(seen) { (port: Int, node: FakeNode) async throws in
            try await onThread {
                let reader = try StreamReader(port: port, headers: Users.token)
                let first = try reader.next("permissions")
                #expect(first?.data["things"] == [] && first?.id == nil)
                Users.grant(seen + [(.write, .thing(FakeNode.lamp))], node)
                node.look()
                #expect(
                    try reader.next("permissions")?.data["things"] == [.string("\(FakeNode.lamp)")]
                )
                Users.grant(seen, node)
                node.look()
                #expect(try reader.next("permissions")?.data["things"] == [])
            }
        }
    }

    @Test func `a new thing, one that has moved, and the level change what may be driven`() async throws {
        try await Users.serve([(.read, .all), (.write, .zone(FakeNode.kitchen))]) {
            (port: Int, node: FakeNode) async throws in
            try await onThread {
                let reader = try StreamReader(port: port, headers: Users.token)
                #expect(try reader.next("permissions")?.data["things"]?.array?.count == 2)
                let new = ObjectReference(.thing, FlareID(high: 3, low: 7))
                node.change([.object(new)]) {
                    var thing = FlareThing(id: new.id)
                    (thing.name, thing.zone) = ("New", FakeNode.kitchen)
                    $0.things[new.id] = thing
                }
                #expect(try reader.next("permissions")?.data["things"]?.array?.count == 3)
                node.change([.object(new)]) { $0.things[new.id]?.zone = nil }
                #expect(try reader.next("permissions")?.data["things"]?.array?.count == 2)
                Self.forbidControl(node)
                #expect(try reader.next("permissions")?.data["things"] == [])
            }
        }
    }

    @Test func `what changes no right is not told`() async throws {
        try await Users.serve([(.read, .all), (.write, .zone(FakeNode.kitchen))]) {
            (port: Int, node: FakeNode) async throws in
            try await onThread {
                let reader = try StreamReader(port: port, headers: Users.token)
                _ = try reader.next("permissions")
                node.change([.object(Users.lamp)]) { $0.things[FakeNode.lamp]?.data["color"] = "blue" }
                node.look()
                Self.forbidControl(node)
                #expect(try reader.next("permissions")?.data["things"] == [])
            }
        }
    }

    @Test func `who has the listener's password may do everything`() async throws {
        try await Users.serve(hasPassword: true) { (port: Int, _: FakeNode) async throws in
            let found = try await Self.permissions(port, [Users.basic("open sesame")])
            #expect(found["things"] == true && found["devices"] == true && found["administers"] == true)
            #expect(found["password"] == true && found["signed_in"] == false)
        }
    }
}
