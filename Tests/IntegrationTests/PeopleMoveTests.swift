import Accounts
import Daemon
import Flare
import Foundation
import JSON
import MQTT
import People
import TestSupport
import Testing

/// What the broker delivers while things move, with an access list that it reads some time after the daemon has written it.
@Suite(.enabled(if: Mosquitto.isExpected), .timeLimit(.minutes(3)))
struct PeopleMoveTests {
    @Test func `a thing that moves is gone for who could see it, and there for who can see it now`()
        async throws
    {
        try await withRooms { site, bob, ann in
            for _ in 1...3 {
                try await site.move(Place.tableLamp, to: Place.kitchen)
                try await bob.awaits("things/table-lamp", "")
                try await ann.awaits("things/table-lamp") { $0["zone"] == "kitchen" }
                try await ann.awaits("things/table-lamp/availability", "online")
                try await site.move(Place.tableLamp, to: Place.living)
                try await ann.awaits("things/table-lamp", "")
                try await bob.awaits("things/table-lamp") { $0["zone"] == "living-room" }
                try await bob.awaits("things/table-lamp/data") { $0["color"] == "orange" }
            }
            try await site.expectSecrets(bob, ann)
        }
    }

    @Test
    func `several things that move at once, and a new one with the name of one that is gone, tell nothing`()
        async throws
    {
        try await withRooms { site, bob, ann in
            try await site.move(Place.tableLamp, to: Place.kitchen)
            try await site.move(Place.fridge, to: Place.living)
            try await site.home.rest("DELETE", Place.path(ofThing: Place.television, in: Place.living))
            let television = #"{"name":"Television","data":{"on":true}}"#
            try await site.home.rest("POST", Place.things(of: Place.kitchen), television)
            try await ann.awaits("things/table-lamp") { $0["zone"] == "kitchen" }
            try await bob.awaits("things/fridge") { $0["zone"] == "living-room" }
            try await ann.awaits("things/television") { $0["zone"] == "kitchen" }
            try await bob.awaits("things/table-lamp", "")
            try await bob.awaits("things/television", "")
            try await ann.awaits("things/fridge", "")
            try await site.expectSecrets(bob, ann)
        }
    }

    @Test func `a daemon that is killed in the middle of a move tells nothing either`() async throws {
        try await withRooms { site, bob, ann in
            try await site.move(Place.tableLamp, to: Place.kitchen)
            try await bob.awaits("things/table-lamp", "")
            await site.home.kill()
            try await site.startMoving()
            try await ann.awaits("things/table-lamp") { $0["zone"] == "kitchen" }
            try await ann.awaits("things/table-lamp/availability", "online")
            #expect(await bob.text("things/table-lamp") == nil)
            try await site.expectSecrets(bob, ann)
        }
    }

    @Test func `what was moved while no daemon ran tells nothing to who could see it before`() async throws {
        try await withRooms { site, bob, ann in
            await site.home.stop()
            let model = Place.model.replacingOccurrences(of: Place.tableLamp, with: "X")
                .replacingOccurrences(of: Place.fridge, with: Place.tableLamp)
                .replacingOccurrences(of: "\"X\"", with: "\"\(Place.fridge)\"")
            try await site.replace(model)
            try await site.startMoving()
            try await ann.awaits("things/table-lamp") { $0["zone"] == "kitchen" }
            try await bob.awaits("things/fridge") { $0["zone"] == "living-room" }
            try await site.expectSecrets(bob, ann)
        }
    }

    // MARK: The place

    /// Runs the body with bob, who sees the living room, and ann, who sees the kitchen.
    private func withRooms(
        _ body: @escaping @Sendable (PeopleSite, _ bob: Visitor, _ ann: Visitor) async throws -> Void
    ) async throws {
        try await PeopleSite.open { site in
            try site.grantRooms()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await site.followList() }
                defer { group.cancelAll() }
                try await site.startMoving()
                try await site.visit(as: "bob") { bob in
                    try await bob.awaits("things/table-lamp") { $0["zone"] == "living-room" }
                    try await site.visit(as: "ann") { ann in
                        try await ann.awaits("things/fridge") { $0["zone"] == "kitchen" }
                        try await body(site, bob, ann)
                    }
                }
            }
        }
    }
}

extension PeopleSite {
    /// How long the broker's side takes to pass a list on.
    private static let delay = Duration.milliseconds(300)

    fileprivate func grantRooms() throws {
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        try withAccounts { store in
            let table = try store.table()
            for (name, room) in [("bob", Place.living), ("ann", Place.kitchen)] {
                guard let user = table.user(named: name), let zone = FlareID(room) else { continue }
                for grant in table.grants where grant.grantee == .user(user.id) {
                    try store.removeGrant(grant.id, by: .program(at: now))
                }
                _ = try store.addGrant(
                    Grant(id: 0, .user(user.id), .read, .zone(zone)),
                    by: .program(at: now)
                )
            }
        }
    }

    fileprivate func startMoving() async throws {
        try await home.start([
            "mqtt.username": "trilateral", "mqtt.password_file": folder.path("password-trilateral"),
            "people.user_topics": "true", "people.acl_file": folder.path("people.acl"),
            "flare.server.trusted_networks": "127.0.0.0/8",
        ])
        try await visit(as: "driver") { try await $0.awaits("status", "online") }
    }

    /// Passes the daemon's list on to the broker whenever it changes, and confirms it, as the unit in contrib/mosquitto does.
    fileprivate func followList() async {
        var last = ""
        while !Task.isCancelled {
            let list = folder.read("people.acl")
            if !list.isEmpty, list != last {
                last = list
                guard (try? await Task.sleep(for: Self.delay)) != nil else { return }
                try? writeList(with: list)
                await broker.reload()
                try? folder.write(String(list.prefix { $0 != "\n" }) + "\n", to: "people.acl.applied")
            }
            guard (try? await Task.sleep(for: .milliseconds(20))) != nil else { return }
        }
    }

    fileprivate func move(_ thing: String, to zone: String) async throws {
        let body = #"{"zone":"\#(zone)"}"#
        let reply = try await home.rest(
            "PUT",
            "/environments/\(Place.flat)/zones/\(zone)/things/\(thing)",
            body
        )
        #expect(reply.status == 200, "\(reply)")
    }

    /// Replaces the place while the daemon is stopped.
    fileprivate func replace(_ model: String) async throws {
        try folder.write(model, to: "other.json")
        let words = ["import", folder.path("other.json"), "--replace", "--state", home.state]
        let end = try await Program.run(words, in: folder)
        #expect(end.status == 0, "\(end.output)")
    }

    /// Nobody has read of a room that they may not see.
    fileprivate func expectSecrets(_ bob: Visitor, _ ann: Visitor) async throws {
        for (visitor, hidden) in [(bob, "kitchen"), (ann, "living-room")] {
            // Whatever the broker has for them has arrived before this answer.
            let name = hidden == "kitchen" ? "bob" : "ann"
            visitor.say("users/\(name)/request/ping", #"{"tx":"end"}"#)
            try await visitor.awaits("users/\(name)/response/ping") { $0["tx"] == "end" }
            for message in await visitor.heard {
                #expect(!message.text.contains("\"\(hidden)\""), "\(message.topic): \(message.text)")
            }
        }
    }
}
