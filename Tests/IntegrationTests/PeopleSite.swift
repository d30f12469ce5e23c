import Accounts
import Daemon
import Flare
import Foundation
import MQTT
import People
import TestSupport
import Testing
import Text

/// A place with users, on a broker that knows them.
struct PeopleSite {
    private static let users = ["trilateral", "driver", "sender", "bob", "ann"]

    let home: Home
    let folder: TemporaryFolder
    let broker: Mosquitto

    /// Starts the daemon, and has the broker read the lists once the kept one has a line and is as wanted.
    func start(
        awaiting line: String = "topic read trilateral/",
        _ condition: (String) -> Bool = { $0.contains("things/table-lamp\n") }
    ) async throws {
        try? FileManager.default.removeItem(atPath: folder.path("people.acl"))
        try await home.start([
            "mqtt.username": "trilateral", "mqtt.password_file": folder.path("password-trilateral"),
            "people.user_topics": "true", "people.mqtt_user": "none",
            "people.acl_file": folder.path("people.acl"),
        ])
        let isThere = await eventually {
            let text = folder.read("people.acl")
            return text.contains(line) && condition(text)
        }
        try #require(isThere, "\(folder.read("people.acl"))")
        try writeList(with: folder.read("people.acl"))
        await broker.reload()
        try await visit(as: "driver") { try await $0.awaits("status", "online") }
        // The broker has read the list when bob may write what only the list allows.
        let isRead = try await eventually { try await takes("users/bob/request/ping", from: "bob") }
        try #require(isRead)
    }

    func writeList(with people: String) throws {
        try folder.write(folder.read("roles.acl") + "\n" + people, to: "acl")
    }

    func withAccounts<Result>(_ body: (AccountsStore) throws -> Result) throws -> Result {
        let store = try StateStore(folder: URL(filePath: home.state))
        defer { store.close() }
        return try body(store.accounts)
    }

    private static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1000) }

    func token(of user: String) throws -> String {
        try withAccounts {
            try $0.addToken("test", ofUser: user, ceiling: nil, until: nil, by: .program(at: Self.now)).0
                .text
        }
    }

    /// Makes users and their grants: bob drives the table lamp, ann sees everything.
    func addUsers() throws {
        try withAccounts { store in
            try store.prepare(owner: "owner", at: Self.now)
            for name in ["bob", "ann"] {
                _ = try store.addUser(NewUser(name), by: .program(at: Self.now))
            }
        }
        try replaceGrant(endsIn: nil)
        try withAccounts { store in
            guard let ann = try store.table().user(named: "ann") else { return }
            let grant = Grant(id: 0, .user(ann.id), .read, .all)
            _ = try store.addGrant(grant, by: .program(at: Self.now))
        }
    }

    /// Gives bob the table lamp, for some milliseconds or for ever.
    func replaceGrant(endsIn time: Int64?) throws {
        guard let lamp = FlareID(Place.tableLamp) else { return }
        try withAccounts { store in
            let table = try store.table()
            guard let bob = table.user(named: "bob") else { return }
            for grant in table.grants where grant.grantee == .user(bob.id) {
                try store.removeGrant(grant.id, by: .program(at: Self.now))
            }
            let ends = time.map { Self.now + $0 }
            let grant = Grant(id: 0, .user(bob.id), .write, .thing(lamp), ends: ends)
            _ = try store.addGrant(grant, by: .program(at: Self.now))
        }
    }

    /// Runs a verb as a user of the broker, in the test's folder.
    func run(_ arguments: [String], as user: String) async throws -> Program.End {
        try await Program.run(
            arguments.map { ["token", "wrong", "missing"].contains($0) ? folder.path($0) : $0 },
            in: folder,
            keys: [
                "mqtt.host": "127.0.0.1", "mqtt.port": "\(broker.port)", "mqtt.node": home.node,
                "mqtt.username": user, "mqtt.password_file": folder.path("password-\(user)"),
            ]
        )
    }

    func visit<Result: Sendable>(as user: String, _ body: (Visitor) async throws -> Result) async throws
        -> Result
    {
        try await withVisitor(to: home.root, port: broker.port) {
            $0.username = user
            $0.password = Secret("secret of \(user)")
        } _: { visitor in
            try await body(visitor)
        }
    }

    /// Whether the broker takes a message from a user; asked in version 5, where it says so.
    func takes(_ tail: String, _ payload: String = "", from user: String) async throws -> Bool {
        try await visit(as: user) { visitor in
            let topic = "\(home.root)/\(tail)"
            let message = MQTTMessage(topic: topic, payload: Array(payload.utf8), qos: .atLeastOnce)
            do throws(MQTTPublishError) {
                try await visitor.client.publishAndWait(message)
                return true
            } catch {
                guard case .refusedByBroker(_, 0x87, _) = error else { throw error }
                return false
            }
        }
    }

    /// Runs the body with a place, its users and a broker; the daemon is not running yet.
    static func open(_ body: (PeopleSite) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            var options = MosquittoOptions()
            let port = try LoopbackSocket.freePort()
            options.port = port
            let home = Home(in: folder, port: port)
            try await home.take()
            let roles = try await Program.run(["acl", "--node", home.node], in: folder)
            try folder.write(roles.output, to: "roles.acl")
            for user in Self.users {
                try folder.write("secret of \(user)\n", to: "password-\(user)")
                #expect(chmod(folder.path("password-\(user)"), 0o600) == 0)
            }
            try folder.write(roles.output, to: "acl")
            options.lines = ["acl_file \(folder.path("acl"))"]
            options.users = Dictionary(uniqueKeysWithValues: Self.users.map { ($0, "secret of \($0)") })
            try await withMosquitto(options) { broker in
                let site = PeopleSite(home: home, folder: folder, broker: broker)
                try site.addUsers()
                do {
                    try await body(site)
                    await home.stop()
                } catch {
                    let log = await home.log
                    await home.kill()
                    throw HomeFailure(error: error, log: log)
                }
            }
        }
    }
}
