import Accounts
import Daemon
import Flare
import Foundation
import MQTT
import People
import TestSupport
import Testing

/// Users on a broker that knows them, with the lists that the program prints and keeps.
@Suite(.enabled(if: Mosquitto.isExpected), .timeLimit(.minutes(3)))
struct PeopleBrokerTests {
    @Test func `users read and write just what they may, until a grant ends and the list is read again`()
        async throws
    {
        try await withSite { site in
            try await site.start()
            try await site.visit(as: "bob") { bob in
                try await bob.awaits("things/table-lamp") { $0["slug"] == "table-lamp" }
                try await bob.awaits("things/table-lamp/availability", "online")
                let users = "users/bob"
                bob.say("\(users)/things/table-lamp/set", #"{"color":"red","tx":1}"#)
                try await bob.awaits("\(users)/response/set") { $0["tx"] == 1 && $0["status"] == "ok" }
                try await bob.awaits("things/table-lamp") { $0["color_name"] == "red" }
                // What may not be read is not there.
                bob.say("\(users)/things/fridge/set", #"{"door":true,"tx":2}"#)
                try await bob.awaits("\(users)/response/set") {
                    $0["tx"] == 2 && $0.outcome == "unknown_thing"
                }
                bob.say("\(users)/device/set", #"{"angle":90,"tx":3}"#)
                try await bob.awaits("\(users)/response/set") { $0["tx"] == 3 && $0.outcome == "not_allowed" }
                let topics = Set(await bob.heard.map { $0.topic.dropFirst(site.home.root.count + 1) })
                // The answer to the ping of the start may come late.
                let legal = [
                    "status", "info", "users/bob/response/ping", "users/bob/response/set",
                    "things/table-lamp",
                    "things/table-lamp/data",
                    "things/table-lamp/availability", "things/table-lamp/beacon",
                ]
                #expect(topics.allSatisfy { legal.contains(String($0)) }, "\(topics)")
            }
            try await site.visit(as: "ann") { ann in
                try await ann.awaits("things/fridge") { $0["slug"] == "fridge" }
                ann.say("users/ann/things/fridge/set", #"{"door":true,"tx":4}"#)
                let refusal = try await ann.awaits("users/ann/response/set") { $0["tx"] == 4 }
                #expect(refusal.outcome == "not_allowed", "\(refusal)")
                #expect(await ann.text("device") == nil)
            }
            for (user, topic, isTaken) in [
                ("bob", "users/bob/nearby/set", true), ("bob", "users/ann/nearby/set", false),
                ("bob", "things/table-lamp/set", false), ("bob", "users/bob/response/set", false),
                ("bob", "things/table-lamp", false), ("ann", "users/ann/request/ping", true),
                ("ann", "request/ping", false), ("ann", "users/bob/request/ping", false),
                ("driver", "users/bob/nearby/set", false), ("sender", "request/ping", false),
                ("sender", "outbox/email", false), ("trilateral", "outbox/email", true),
            ] {
                #expect(try await site.takes(topic, "{}", from: user) == isTaken, "\(topic) from \(user)")
            }
            // The grant ends while the daemon runs or before: its list does not say which.
            await site.home.stop()
            try site.replaceGrant(endsIn: 3000)
            try await site.start(awaiting: "user bob\n") { !$0.contains("things/table-lamp\n") }
            try await site.visit(as: "bob") { bob in
                bob.say("users/bob/things/table-lamp/set", #"{"color":"blue","tx":5}"#)
                try await bob.awaits("users/bob/response/set") {
                    $0["tx"] == 5 && $0.outcome == "unknown_thing"
                }
                #expect(await bob.text("things/table-lamp") == nil)
            }
        }
    }

    @Test func `tokens speak for their users, and nothing that is published tells of either`() async throws {
        try await withSite { site in
            let (token, other) = (try site.token(of: "owner"), try site.token(of: "ann"))
            try await site.start()
            try await site.visit(as: "trilateral") { all in
                try await site.visit(as: "driver") { driver in
                    for (members, outcome) in [
                        (#""token":"\#(token)""#, "ok"), (#""token":"\#(token)","as":"owner""#, "ok"),
                        (#""token":"\#(token)","as":"bob""#, "unauthenticated"),
                        (#""token":"\#(other)""#, "ok"), (#""as":"owner""#, "unauthenticated"),
                        (#""token":"tlu_wrong""#, "unauthenticated"), (#""token":7"#, "wrong_type"),
                        // The form comes first; and nobody speaks without a token here.
                        (#""x":1"#, "unknown_key"), (#""tx":1"#, "unauthenticated"),
                    ] {
                        let answer = try await driver.ask("things/table-lamp/get", "{\(members)}")
                        #expect(answer.outcome == outcome, "\(members): \(answer)")
                    }
                    let order = #"{"state":"OFF","token":"\#(other)"}"#
                    #expect(try await driver.ask("things/table-lamp/set", order).outcome == "not_allowed")
                    #expect(
                        try await driver.ask("nearby/set", #"{"state":"ON"}"#).outcome == "unauthenticated"
                    )
                }
                try await all.awaits("health")
                for message in await all.told {
                    let text = message.text
                    #expect(!text.contains("tlu_") && !text.contains("\"ann\""), "\(message.topic): \(text)")
                }
            }
            #expect(await !site.home.log.contains("tlu_"))
        }
    }

    @Test func `the command line brings a token`() async throws {
        try await withSite { site in
            try site.folder.write(try site.token(of: "bob") + "\n", to: "token")
            #expect(chmod(site.folder.path("token"), 0o600) == 0)
            try site.folder.write("tlu_nobody", to: "wrong")
            try await site.start()
            for (arguments, status, text) in [
                (["set", "table-lamp", "ON", "--token-file", "token"], 0, "state ON"),
                (["set", "table-lamp", "ON", "--as", "bob", "--token-file", "token"], 0, "state ON"),
                (["get", "table-lamp", "--token-file", "token"], 0, "table-lamp"),
                (["get", "nearby", "--token-file", "token"], 0, "none"),
                (["set", "fridge", "door=true", "--token-file", "token", "--json"], 1, "unknown_thing"),
                (
                    ["action", "table-lamp", "noSuchAction", "--token-file", "token", "--json"], 1,
                    "unknown_action"
                ),
                (
                    ["set", "table-lamp", "ON", "--as", "ann", "--token-file", "token", "--json"], 1,
                    "unauthenticated"
                ),
                (["set", "table-lamp", "ON", "--token-file", "wrong", "--json"], 1, "unauthenticated"),
                (["set", "table-lamp", "ON", "--token-file", "wrong"], 1, "chmod 600"),
                (["set", "table-lamp", "ON", "--json"], 1, "unauthenticated"),
                (["set", "table-lamp", "ON", "--token-file", "missing"], 66, "missing cannot be read"),
                (["set", "table-lamp", "ON", "--as", "bob"], 64, "--token-file"),
                (["get", "table-lamp", "--as", "B/#", "--token-file", "token"], 64, "--as"),
            ] as [([String], Int32, String)] {
                let end = try await site.run(arguments, as: "driver")
                #expect(end.status == status && end.output.contains(text), "\(arguments): \(end)")
                #expect(!end.output.contains("tlu_"), "\(end.output)")
            }
        }
    }

    @Test func `acl prints what the daemon keeps, and needs users`() async throws {
        try await withSite { site in
            try await site.start()
            let kept = site.folder.read("people.acl")
            await site.home.stop()
            let end = try await site.run(["acl", "--people", "--state", site.home.state], as: "trilateral")
            #expect(end.status == 0 && end.output == kept, "\(end.output)\n\(kept)")
            for (arguments, status, text) in [
                (["acl", "--people", "--state", site.folder.path("empty")], 66, "no users in"),
                (["acl", "--people", "--role", "kiosk"], 64, "--role"),
                (["acl", "--state", site.home.state], 64, "--people"),
            ] as [([String], Int32, String)] {
                let end = try await site.run(arguments, as: "trilateral")
                #expect(end.status == status && end.output.contains(text), "\(arguments): \(end)")
            }
        }
    }

    @Test func `topics of users need a broker with users`() async throws {
        try await withTemporaryFolder { folder in
            try folder.write("people: {user_topics: true}", to: "trilateral.yaml")
            for verb in ["check", "run"] {
                let end = try await Program.run(
                    [verb, "--config", folder.path("trilateral.yaml")],
                    in: folder
                )
                #expect(end.status == 78 && end.output.contains("people.user_topics"), "\(end)")
                #expect(end.output.contains("needs mqtt.username as well"), "\(end)")
            }
        }
    }

    // MARK: The site

    private static let users = ["trilateral", "driver", "sender", "bob", "ann"]

    private struct Site {
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
                try $0.addToken("test", ofUser: user, ceiling: nil, until: nil, by: .program, at: Self.now).0
                    .text
            }
        }

        /// Makes users and their grants: bob drives the table lamp, ann sees everything.
        func addUsers() throws {
            try withAccounts { store in
                try store.prepare(owner: "owner", at: Self.now)
                for name in ["bob", "ann"] {
                    _ = try store.addUser(NewUser(name), by: .program, at: Self.now)
                }
            }
            try replaceGrant(endsIn: nil)
            try withAccounts { store in
                guard let ann = try store.table().user(named: "ann") else { return }
                let grant = Grant(id: 0, .user(ann.id), .read, .all)
                _ = try store.addGrant(grant, by: .program, at: Self.now)
            }
        }

        /// Gives bob the table lamp, for some milliseconds or for ever.
        func replaceGrant(endsIn time: Int64?) throws {
            guard let lamp = FlareID(Place.tableLamp) else { return }
            try withAccounts { store in
                let table = try store.table()
                guard let bob = table.user(named: "bob") else { return }
                for grant in table.grants where grant.grantee == .user(bob.id) {
                    try store.removeGrant(grant.id, by: .program, at: Self.now)
                }
                let ends = time.map { Self.now + $0 }
                let grant = Grant(id: 0, .user(bob.id), .write, .thing(lamp), ends: ends)
                _ = try store.addGrant(grant, by: .program, at: Self.now)
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
                $0.password = MQTTPassword("secret of \(user)")
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
    }

    /// Runs the body with a place, its users and a broker; the daemon is not running yet.
    private func withSite(_ body: (Site) async throws -> Void) async throws {
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
                let site = Site(home: home, folder: folder, broker: broker)
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
