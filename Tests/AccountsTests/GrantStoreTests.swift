import Accounts
import AccountsFixture
import Flare
import GRDB
import People
import Testing

struct GrantStoreTests {
    private let thing = Scope.thing(TestAccounts.lamp)

    @Test func `a grant counts as soon as it is stored, and no longer than it is`() throws {
        let home = try TestAccounts()
        let id = try home.store.addGrant(
            Grant(id: 0, .user(home.bob), .write, thing, starts: 10, ends: 20),
            by: Authority(.user(home.owner), at: 5)
        )
        func verdict(_ now: Int64) throws -> String {
            let object = AccessObject.thing(TestAccounts.lamp, zone: nil, environment: nil)
            return try home.store.table().verdict(of: .user(home.bob), .write, on: object, at: now)
                .description
        }
        #expect(try verdict(10) == "granted by \(id)")
        #expect(try verdict(20) == "refused: expired 1970-01-01T00:00:00.020Z")
        #expect(try home.store.table().grants.last?.giver == home.owner)
        try home.store.removeGrant(id, by: .program(at: 6))
        #expect(try verdict(10) == "refused: no grant")
    }

    @Test func `grants of what is gone, of the wrong kind, or the wrong way round are refused`() throws {
        let home = try TestAccounts()
        let things = try home.store.addGroup("lights", of: .things, by: .program(at: 3))
        let users = try home.store.addGroup("staff", of: .users, by: .program(at: 3))
        let gone = AccountID(high: 5, low: 5)
        func refusal(_ grant: Grant) -> String? {
            code { _ = try home.store.addGrant(grant, by: .program(at: 3)) }
        }
        #expect(refusal(Grant(id: 0, .user(gone), .read, .all)) == "unknown")
        #expect(refusal(Grant(id: 0, .group(gone), .read, .all)) == "unknown")
        #expect(refusal(Grant(id: 0, .group(users), .read, .group(gone))) == "unknown")
        #expect(refusal(Grant(id: 0, .group(things), .read, .all)) == "invalid_value")
        #expect(refusal(Grant(id: 0, .user(home.bob), .read, .group(users))) == "invalid_value")
        #expect(refusal(Grant(id: 0, .user(home.bob), .read, .all, starts: 5, ends: 5)) == "invalid_value")
        #expect(refusal(Grant(id: 0, .group(users), .read, .group(things))) == nil)
        #expect(
            code { try home.store.change("lights", .users(["bob"]), joins: true, by: .program(at: 3)) }
                == "invalid_value"
        )
        #expect(
            code {
                try home.store.change("staff", .things([TestAccounts.lamp]), joins: true, by: .program(at: 3))
            }
                == "invalid_value"
        )
        try home.store.removeGroup("lights", by: .program(at: 3))
        #expect(try home.store.table().grants.allSatisfy { $0.scope != .group(things) })
    }

    @Test func `who owns a zone gives grants in it, and nothing else`() throws {
        let home = try TestAccounts()
        _ = try home.store.addGrant(
            Grant(id: 0, .user(home.bob), .own, .zone(TestAccounts.kitchen)),
            by: .program(at: 3)
        )
        let eve = try home.store.addUser(NewUser("eve"), by: .program(at: 3))
        func refusal(_ scope: Scope) -> String? {
            code {
                _ = try home.store.addGrant(Grant(id: 0, .user(eve), .write, scope), by: home.asBob.at(4))
            }
        }
        #expect(refusal(thing) == nil)
        for scope in [
            Scope.all, .devices, .environment(TestAccounts.environment), .thing(TestAccounts.kitchen),
        ] {
            #expect(refusal(scope) == "not_allowed")
        }
        let owners = try home.store.table().grants.filter { $0.grantee == .user(home.owner) }
        for grant in owners {
            #expect(code { try home.store.removeGrant(grant.id, by: home.asBob.at(4)) } == "not_allowed")
        }
    }

    @Test func `an owner of a part takes an 'own' away only if they gave it`() throws {
        let home = try TestAccounts()
        let eve = try home.store.addUser(NewUser("eve"), by: .program(at: 3))
        func add(_ user: AccountID, _ access: Access, _ giver: Authority) throws -> Int64 {
            try home.store.addGrant(
                Grant(id: 0, .user(user), access, .thing(TestAccounts.lamp)),
                by: giver.at(4)
            )
        }
        let own = try add(home.bob, .own, .program(at: 0))
        let (first, second) = (try add(eve, .own, .program(at: 0)), try add(eve, .own, home.asBob))
        let write = try add(eve, .write, .program(at: 0))
        #expect(code { try home.store.removeGrant(first, by: home.asBob.at(5)) } == "not_allowed")
        for grant in [second, write, own] {
            #expect(code { try home.store.removeGrant(grant, by: home.asBob.at(5)) } == nil)
        }
        #expect(code { try home.store.removeGrant(first, by: Authority(.user(home.owner), at: 6)) } == nil)
    }

    @Test func `ten thousand grants are the most`() throws {
        let home = try TestAccounts()
        try home.database.write { database in
            for number in 0..<9996 {
                try database.execute(
                    sql: "INSERT INTO permission (grantee, scope, access, share) VALUES (?, ?, 'read', 0)",
                    arguments: ["user:\(home.bob)", "thing:\(FlareID(high: UInt64(number), low: 3))"]
                )
            }
        }
        #expect(
            code {
                _ = try home.store.addGrant(Grant(id: 0, .user(home.bob), .read, .all), by: .program(at: 3))
            } == nil
        )
        #expect(
            code {
                _ = try home.store.addGrant(
                    Grant(id: 0, .user(home.bob), .read, .devices),
                    by: .program(at: 3)
                )
            }
                == "not_allowed"
        )
    }

    // MARK: Shares

    @Test func `a share counts when its user has accepted, and is replaced by a second`() throws {
        let home = try TestAccounts()
        let owner = Authority(.user(home.owner), at: 0)
        func mayWrite() throws -> Bool {
            let object = AccessObject.thing(TestAccounts.lamp, zone: nil, environment: nil)
            return try home.store.table().verdict(of: .user(home.bob), .write, on: object, at: 5).isGranted
        }
        let id = try home.store.addShare(Share(TestAccounts.lamp, with: home.bob, .write), by: owner.at(3))
        #expect(try !mayWrite())
        let eve = try home.store.addUser(NewUser("eve"), by: .program(at: 3))
        #expect(code { try home.store.acceptShare(id, by: Authority(.user(eve), at: 4)) } == "unknown")
        try home.store.acceptShare(id, by: home.asBob.at(4))
        #expect(try mayWrite())
        #expect(try home.store.addShare(Share(TestAccounts.lamp, with: home.bob), by: owner.at(5)) == id)
        #expect(try !mayWrite() && home.store.table().grants.last?.accepted == 4)
        #expect(
            try home.store.addShare(Share(TestAccounts.lamp, with: home.bob, .write), by: owner.at(5)) == id
        )
        #expect(try home.store.table().grants.last?.isWaiting == true)
        #expect(try home.store.table().grants.count { $0.share } == 1)
        // Who got it may refuse it.
        try home.store.removeGrant(id, by: home.asBob.at(6))
        #expect(try home.store.table().grants.allSatisfy { !$0.share })
    }

    @Test func `only who owns a thing shares it, and not everything`() throws {
        let home = try TestAccounts()
        let owner = Authority(.user(home.owner), at: 0)
        #expect(
            code {
                _ = try home.store.addShare(Share(TestAccounts.lamp, with: home.owner), by: home.asBob.at(3))
            }
                == "not_allowed"
        )
        #expect(
            code { _ = try home.store.addShare(Share(TestAccounts.lamp, with: home.owner), by: owner.at(3)) }
                == "not_allowed"
        )
        #expect(
            code {
                _ = try home.store.addShare(Share(TestAccounts.lamp, with: home.bob, .own), by: owner.at(3))
            }
                == "invalid_value"
        )
        #expect(
            code {
                _ = try home.store.addShare(
                    Share(TestAccounts.lamp, with: home.bob, starts: 9, ends: 8),
                    by: owner.at(3)
                )
            }
                == "invalid_value"
        )
        #expect(code { try home.store.acceptShare(1, by: .program(at: 3)) } == "unknown")
    }
}
