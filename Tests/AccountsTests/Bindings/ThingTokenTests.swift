import Accounts
import AccountsFixture
import Bindings
import Foundation
import GRDB
import People
import Testing

struct ThingTokenTests {
    private let home: TestAccounts
    private let meter = ThingBinding.meter(1).id
    private var store: AccountsStore { home.store }

    init() throws {
        home = try TestAccounts()
        try home.store.addMeters(1...2)
    }

    @Test func `two tokens of a thing count, and a third ends the oldest`() throws {
        let registry = try home.registry()
        let other = ThingBinding.meter(2).id
        let others = try registry.change { try $0.addThingToken(other, at: 1) }
        // The clock goes back meanwhile.
        let tokens = try [30, 20, 10].map { time in
            try registry.change { try $0.addThingToken(meter, at: time) }
        }
        #expect(tokens.map { registry.thing(bringing: $0.text) } == [nil, meter, meter])
        #expect(registry.thing(bringing: others.text) == other)
        #expect(try home.count("secret") == 3)
        try registry.change { try $0.endThingTokens(of: meter) }
        #expect(tokens.allSatisfy { registry.thing(bringing: $0.text) == nil })
        #expect(registry.thing(bringing: others.text) == other)
    }

    @Test func `a thing that is not there gets no token`() throws {
        let gone = BindingID(high: 1, low: 1)
        #expect(code { _ = try store.addThingToken(gone, at: 3) } == "unknown")
        #expect(code { try store.endThingTokens(of: gone) } == nil)
    }

    @Test func `a thing's token is no user's, and a user's no thing's`() throws {
        let registry = try home.registry()
        let thing = try registry.change { try $0.addThingToken(meter, at: 3) }.text
        let user = try registry.change {
            try $0.addToken("panel", ofUser: "bob", ceiling: nil, until: nil, by: .program(at: 3)).0
        }.text
        let session = try registry.change {
            try $0.addSession(of: home.bob, name: "", until: 1000, at: 3).0
        }.text
        #expect(registry.thing(bringing: thing) == meter)
        #expect(registry.identify(.token(user)) == .user(home.bob))
        // Also with the other's first characters.
        for text in [thing, "tlu_" + thing.dropFirst(4), String(thing.dropFirst(4))] {
            #expect(registry.identify(.token(text)) == nil && registry.identify(.session(text)) == nil)
            #expect(registry.identify(.token(text, named: "bob")) == nil)
        }
        for text in [user, "tlt_" + user.dropFirst(4), session, "tlt_" + session, "", "tlt_"] {
            #expect(registry.thing(bringing: text) == nil)
        }
    }

    @Test func `the use of a thing's token is recorded`() throws {
        let registry = try home.registry(at: 70_000)
        let token = try registry.change { try $0.addThingToken(meter, at: 3) }
        #expect(registry.thing(bringing: token.text) == meter)
        try registry.flush()
        let used = try home.database.read { database in
            try Int64.fetchOne(database, sql: "SELECT used FROM secret WHERE kind = 'thing'")
        }
        #expect(used == 70_000)
    }

    @Test func `lists of users' secrets have none of things, and nobody removes one there`() throws {
        let token = try store.addThingToken(meter, at: 3)
        let record = SecretRecord(token, of: .thing(meter), name: "", made: 3, until: nil)
        #expect(record.caller == nil && record.user == nil)
        for kind in [nil, .session, .token, .link, .thing] as [SecretToken.Kind?] {
            #expect(try store.secrets(kind, at: 4).isEmpty)
        }
        #expect(code { try store.removeSecret(record.id, by: .program(at: 4)) } == "unknown")
        #expect(try home.count("secret") == 1)
        try store.removeUser("bob", by: .program(at: 4))
        #expect(try home.count("secret") == 1)
    }

    @Test(arguments: [
        ("thing", "user:bbbbbbbbbbbbbbbb"), ("token", "thing:th.00000000000000070000000000000001"),
        ("session", "thing:th.00000000000000070000000000000001"), ("thing", "thing:7"), ("thing", "th.7"),
        ("anonymous", "thing:th.00000000000000070000000000000001"), ("robot", "user:bbbbbbbbbbbbbbbb"),
    ])
    func `a damaged row identifies nobody`(kind: String, holder: String) throws {
        let (thing, user) = (SecretToken(.thing), SecretToken(.token))
        try home.database.write { database in
            for secret in [thing, user] {
                try database.execute(
                    sql: "INSERT INTO secret (hash, kind, holder, name, made) VALUES (?, ?, ?, '', 0)",
                    arguments: [Data(secret.hash), kind, holder]
                )
            }
        }
        let registry = try home.registry()
        #expect(registry.thing(bringing: thing.text) == nil)
        #expect(registry.identify(.token(user.text)) == nil)
        #expect(try store.secrets(at: 4).isEmpty)
    }

    @Test func `no file of the state folder has a password or token of a thing`() async throws {
        try await withFolderAsync { folder in
            let path = folder.appending(path: "trilateral.db").path(percentEncoded: false)
            let home = try TestAccounts(path: path)
            let registry = try home.registry()
            let password = Array("s3cret-of-v1".utf8)
            let hash = try await registry.thingPasswords.hash(password, lengths: PasswordHash.thingLengths)
            let meter = ThingBinding(meter, vendor: "v-1", password: "\(hash)", made: 3)
            let tokens = try registry.change { store in
                try store.saveBinding(meter)
                return try (0..<3).map { _ in try store.addThingToken(meter.id, at: 3).text }
            }
            // Somebody sends them where everybody reads.
            let anonymous = AnonymousTokens().make(at: 3).text
            var entry = CommandLogEntry(
                at: 4,
                interface: "mqtt",
                caller: "user:bob",
                kind: "set",
                state: "accepted"
            )
            entry.actions = #"{"token":"\#(tokens[2])","other":"\#(anonymous)"}"#
            try registry.write([entry])
            let files = try FileManager.default.contentsOfDirectory(
                at: folder,
                includingPropertiesForKeys: nil
            )
            #expect(files.count >= 2)
            let secrets = (tokens + [anonymous]).flatMap { [$0, String($0.dropFirst(4))] } + ["s3cret-of-v1"]
            for file in files {
                let bytes = try Data(contentsOf: file)
                for secret in secrets { #expect(bytes.range(of: Data(secret.utf8)) == nil) }
            }
            #expect(try home.store.binding(meter.id)?.binding == meter)
        }
    }
}
