import Accounts
import AccountsFixture
import Flare
import Foundation
import GRDB
import People
import Testing

struct UserStoreTests {
    @Test func `the first start makes an owner, and the group all`() throws {
        let home = try TestAccounts()
        let table = try home.store.table()
        #expect(table.users.map(\.name) == ["bob", "owner"])
        #expect(table.verdict(of: .user(home.owner), .own, on: .administration, at: 9).isGranted)
        #expect(!table.verdict(of: .user(home.bob), .read, on: .everything, at: 9).isGranted)
        // Later starts add nothing, whatever the name is then.
        try home.store.prepare(owner: "other", at: 5)
        #expect(try home.store.table() == table)
        try home.store.change("all", .users(["bob"]), joins: true, by: .program(at: 6))
        let joined = try home.store.table()
        #expect(joined.verdict(of: .user(home.bob), .write, on: .everything, at: 9).isGranted)
        #expect(joined.verdict(of: .user(home.bob), .read, on: .devices, at: 9).isGranted)
        #expect(!joined.verdict(of: .user(home.bob), .write, on: .devices, at: 9).isGranted)
        #expect(code { try home.store.removeGroup("all", by: .program(at: 6)) } == "not_allowed")
    }

    @Test(
        arguments: [
            "", "Bob", "a/b", "a+b", "#", "b\n", "b\u{0}", "none", "nobody", "bo b",
            String(repeating: "b", count: 65),
        ]
    )
    func `illegal names are refused`(name: String) throws {
        let home = try TestAccounts()
        #expect(code { _ = try home.store.addUser(NewUser(name), by: .program(at: 3)) } == "invalid_value")
        #expect(throws: AccountsError.self) { try home.store.prepare(owner: name, at: 3) }
        #expect(try home.store.users().count == 2)
    }

    @Test func `a name is given once`() throws {
        let home = try TestAccounts()
        #expect(code { _ = try home.store.addUser(NewUser("bob"), by: .program(at: 3)) } == "not_allowed")
        #expect(code { try home.store.setState(.off, ofUser: "bobb", by: .program(at: 3)) } == "unknown")
        do {
            try home.store.setState(.off, ofUser: "bobb", by: .program(at: 3))
        } catch {
            #expect("\(error)" == #"there is no user "bobb"; did you mean "bob"?"#)
        }
    }

    @Test func `nobody who comes by themselves becomes the user of a listed device`() throws {
        let home = try TestAccounts()
        let registry = try home.registry()
        var settings = registry.settings
        settings.listedUsers = ["eve"]
        registry.use(settings)
        let refused = code { try registry.change { _ = try $0.addNewcomer(NewUser("eve"), at: 3) } }
        #expect(refused == "not_allowed")
        try registry.change { _ = try $0.addNewcomer(NewUser("ann"), at: 3) }
        #expect(registry.table.users.map(\.name) == ["ann", "bob", "owner"])
        // An owner decides who gets the name.
        try registry.change { _ = try $0.addUser(NewUser("eve"), by: .program(at: 3)) }
        settings.listedUsers = []
        registry.use(settings)
        try registry.change { _ = try $0.addNewcomer(NewUser("zoe"), at: 3) }
    }

    @Test func `who comes by themselves leaves room for those whom an owner makes`() throws {
        let home = try TestAccounts()
        try home.database.write { database in
            try database.execute(
                sql: """
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 897)
                    INSERT INTO user (id, name, display, email, state, made)
                    SELECT printf('u%015d', i), 'u' || i, '', '', 'pending', 1 FROM n
                    """
            )
        }
        #expect(code { _ = try home.store.addNewcomer(NewUser("ann"), at: 3) } == nil)
        #expect(code { _ = try home.store.addNewcomer(NewUser("eve"), at: 3) } == "not_allowed")
        #expect(code { _ = try home.store.addUser(NewUser("eve"), by: .program(at: 3)) } == nil)
    }

    @Test func `the last owner cannot remove, switch off or reduce themselves`() throws {
        let home = try TestAccounts()
        let (store, owner) = (home.store, Authority(.user(home.owner), at: 0))
        let grant = try #require(try store.table().grants.first { $0.grantee == .user(home.owner) })
        func attempts() -> [String?] {
            [
                code { try store.removeUser("owner", by: owner.at(3)) },
                code { try store.setState(.off, ofUser: "owner", by: owner.at(3)) },
                code { try store.setState(.pending, ofUser: "owner", by: .program(at: 3)) },
                code { try store.removeGrant(grant.id, by: owner.at(3)) },
            ]
        }
        #expect(attempts() == Array(repeating: "not_allowed", count: 4))
        // A second owner for a while is not enough.
        _ = try store.addGrant(Grant(id: 0, .user(home.bob), .own, .all, ends: 10), by: owner.at(3))
        #expect(attempts() == Array(repeating: "not_allowed", count: 4))
        #expect(try store.table().user(named: "owner")?.state == .active)
        _ = try store.addGrant(Grant(id: 0, .user(home.bob), .own, .all), by: owner.at(3))
        try store.removeUser("owner", by: owner.at(3))
        #expect(try store.table().users.map(\.name) == ["bob"])
    }

    @Test func `an owner by a group is counted`() throws {
        let home = try TestAccounts()
        let group = try home.store.addGroup("owners", of: .users, by: .program(at: 3))
        try home.store.change("owners", .users(["bob"]), joins: true, by: .program(at: 3))
        _ = try home.store.addGrant(Grant(id: 0, .group(group), .own, .all), by: .program(at: 3))
        try home.store.removeUser("owner", by: .program(at: 3))
        #expect(
            code { try home.store.change("owners", .users(["bob"]), joins: false, by: .program(at: 3)) }
                == "not_allowed"
        )
        #expect(code { try home.store.removeGroup("owners", by: .program(at: 3)) } == "not_allowed")
        #expect(try home.store.table().hasLastingOwner(at: 3))
    }

    @Test func `only who administers changes users, and users themselves their own`() throws {
        let home = try TestAccounts()
        let bob = home.asBob
        #expect(code { _ = try home.store.addUser(NewUser("eve"), by: bob.at(3)) } == "not_allowed")
        #expect(code { try home.store.removeUser("owner", by: bob.at(3)) } == "not_allowed")
        #expect(code { _ = try home.store.addGroup("g", of: .users, by: bob.at(3)) } == "not_allowed")
        #expect(code { try home.store.setPassword(nil, ofUser: "owner", by: bob.at(3)) } == "not_allowed")
        #expect(code { try home.store.setPassword(nil, ofUser: "bob", by: bob.at(3)) } == nil)
        #expect(
            code {
                try home.store.setProfile(ofUser: "bob", display: "Bob", email: "b@x.org", by: bob.at(3))
            } == nil
        )
        let token = Authority(.user(home.bob, ceiling: .write), at: 0)
        #expect(code { try home.store.setPassword(nil, ofUser: "bob", by: token.at(3)) } == "not_allowed")
        try home.store.setState(.off, ofUser: "bob", by: .program(at: 3))
        #expect(code { try home.store.setPassword(nil, ofUser: "bob", by: bob.at(3)) } == "not_allowed")
        #expect(try home.store.users().first?.display == "Bob")
    }

    @Test(
        arguments: [
            ("Bob", "bob@example.org", nil), ("", "", nil), ("B\u{202e}ob", "", "invalid_value"),
            (String(repeating: "x", count: 129), "", "invalid_value"), ("", "bob", "invalid_value"),
            ("", "a@b@c", "invalid_value"), ("", "bob@x.org\nBcc: eve@x.org", "invalid_value"),
            ("", "bob@x.org, eve@x.org", "invalid_value"),
            ("", String(repeating: "x", count: 300) + "@x", "invalid_value"),
        ] as [(String, String, String?)]
    )
    func `profiles are checked`(display: String, email: String, refusal: String?) throws {
        let home = try TestAccounts()
        #expect(
            code {
                try home.store.setProfile(ofUser: "bob", display: display, email: email, by: .program(at: 3))
            } == refusal
        )
    }

    @Test func `a removed user leaves nothing behind`() throws {
        let home = try TestAccounts()
        let group = try home.store.addGroup("staff", of: .users, by: .program(at: 3))
        try home.store.change("staff", .users(["bob"]), joins: true, by: .program(at: 3))
        _ = try home.store.addGrant(Grant(id: 0, .user(home.bob), .read, .all), by: .program(at: 3))
        _ = try home.store.addToken("panel", ofUser: "bob", ceiling: nil, until: nil, by: .program(at: 3))
        _ = try home.store.addContact(Contact(name: "Eve"), ofUser: "bob", by: .program(at: 3))
        try home.store.removeUser("bob", by: .program(at: 3))
        #expect(try home.count("secret") == 0 && home.count("contact") == 0 && home.count("member") == 0)
        #expect(try home.store.table().grants.allSatisfy { $0.grantee != .user(home.bob) })
        #expect(try home.store.table().group(group)?.members == .users([]))
        // The name is free again, for somebody else.
        #expect(try home.store.addUser(NewUser("bob"), by: .program(at: 4)) != home.bob)
    }

    @Test func `what is too much is refused`() throws {
        let home = try TestAccounts()
        try home.database.write { database in
            for number in 0..<998 {
                let id = AccountID(high: UInt64(number), low: 9)
                try database.execute(
                    sql:
                        "INSERT INTO user (id, name, display, email, state, made) VALUES (?, ?, '', '', 'active', 0)",
                    arguments: ["\(id)", "u\(number)"]
                )
            }
            for number in 0..<199 {
                try database.execute(
                    sql: "INSERT INTO grouping (id, name, kind) VALUES (?, ?, 'users')",
                    arguments: ["\(AccountID(high: UInt64(number), low: 8))", "g\(number)"]
                )
            }
        }
        #expect(code { _ = try home.store.addUser(NewUser("more"), by: .program(at: 3)) } == "not_allowed")
        #expect(code { _ = try home.store.addGroup("last", of: .users, by: .program(at: 3)) } == nil)
        #expect(
            code { _ = try home.store.addGroup("more", of: .users, by: .program(at: 3)) } == "not_allowed"
        )
    }

    @Test func `damaged rows are left out and trap nothing`() throws {
        let home = try TestAccounts()
        let table = try home.store.table()
        try home.database.write { database in
            try database.execute(
                sql: """
                    INSERT INTO user (id, name, display, email, state, made) VALUES ('x', 'x', '', '', 'active', 0);
                    INSERT INTO user (id, name, display, email, state, made)
                        VALUES ('bbbbbbbbbbbbbbbb', 'a/#', '', '', 'active', 0);
                    INSERT INTO user (id, name, display, email, state, made)
                        VALUES ('bbbbbbbbbbbbbbbc', 'y', '', '', 'asleep', 0);
                    INSERT INTO grouping (id, name, kind) VALUES ('bbbbbbbbbbbbbbbd', 'z', 'dogs');
                    INSERT INTO member (grouping, member) VALUES ('aaaaaaaaaaaaaaaa', 'nobody');
                    INSERT INTO permission (id, grantee, scope, access, share) VALUES (70, 'bob', 'all', 'own', 0);
                    INSERT INTO permission (id, grantee, scope, access, share)
                        VALUES (71, 'user:bbbbbbbbbbbbbbbb', 'everything', 'own', 0);
                    INSERT INTO permission (id, grantee, scope, access, share)
                        VALUES (72, 'user:bbbbbbbbbbbbbbbb', 'all', 'OWN', 0);
                    INSERT INTO secret (hash, kind, holder, name, made) VALUES (x'00', 'token', 'dog:1', '', 0);
                    INSERT INTO secret (hash, kind, holder, name, ceiling, made)
                        VALUES (x'01', 'token', 'user:bbbbbbbbbbbbbbbb', '', 'anything', 0);
                    """
            )
        }
        #expect(try home.store.table() == table)
        #expect(try home.store.secrets(at: 1).isEmpty)
        #expect(try home.store.users().count == 2)
        #expect(code { try home.store.removeGrant(70, by: .program(at: 3)) } == nil)
        #expect(code { try home.store.removeGrant(70, by: .program(at: 3)) } == "unknown")
    }

    @Test func `two programs at once break no rule together`() throws {
        try withFolder { folder in
            let path = folder.appending(path: "trilateral.db").path(percentEncoded: false)
            let home = try TestAccounts(path: path)
            _ = try home.store.addGrant(Grant(id: 0, .user(home.bob), .own, .all), by: .program(at: 3))
            let other = AccountsStore(try TestAccounts.open(path))
            let (store, names) = (home.store, ["owner", "bob"])
            DispatchQueue.concurrentPerform(iterations: 2) { number in
                try? (number == 0 ? store : other).removeUser(names[number], by: .program(at: 4))
            }
            #expect(try home.store.table().users.count == 1)
            DispatchQueue.concurrentPerform(iterations: 40) { number in
                _ = try? (number % 2 == 0 ? store : other).addUser(
                    NewUser("u\(number / 2)"),
                    by: .program(at: 5)
                )
            }
            #expect(try other.users().count == 21)
        }
    }
}
