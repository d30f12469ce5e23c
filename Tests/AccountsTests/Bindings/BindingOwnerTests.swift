import Accounts
import AccountsFixture
import Bindings
import Flare
import GRDB
import People
import Testing

struct BindingOwnerTests {
    private let home: TestAccounts
    private let id: BindingID
    private let lamp = TestAccounts.lamp
    /// Where the lamp is.
    private let place = AccessObject.thing(
        TestAccounts.lamp,
        zone: TestAccounts.kitchen,
        environment: TestAccounts.environment
    )
    private var store: AccountsStore { home.store }

    init() throws {
        home = try TestAccounts()
        id = ThingBinding.meter(1).id
        try home.store.saveBinding(.meter(1))
    }

    private func owners() throws -> Set<Grantee> { Set(try store.binding(id)?.owners ?? []) }

    /// The grants of the lamp.
    private func grants() throws -> [Grant] {
        try store.table().grants.filter { $0.scope == .thing(lamp) }
    }

    private func link(
        _ thing: FlareID = TestAccounts.lamp,
        isMade: Bool = false,
        by giver: AccountID? = nil,
        in object: AccessObject? = nil
    ) throws {
        try store.linkBinding(
            id,
            to: thing,
            isMade: isMade,
            route: .edge,
            giver: giver,
            of: object,
            at: 5
        )
    }

    // MARK: Without a link

    @Test func `an owner is added once, and removed without being there`() throws {
        try store.addOwner(.user(home.bob), of: id)
        try store.addOwner(.user(home.bob), of: id)
        try store.addOwner(.group(.everybody), of: id)
        #expect(try owners() == [.user(home.bob), .group(.everybody)])
        #expect(try home.count("binding_owner") == 2)
        try store.removeOwner(.user(home.bob), of: id)
        try store.removeOwner(.user(home.bob), of: id)
        #expect(try owners() == [.group(.everybody)])
    }

    @Test func `owners and their things must be there`() throws {
        let things = try store.addGroup("lights", of: .things, by: .program(at: 3))
        let gone = AccountID(high: 5, low: 5)
        for (grantee, refusal) in [
            (.user(gone), "unknown"), (.group(gone), "unknown"), (.user(.listener), "unknown"),
            (.group(things), "invalid_value"),
        ] as [(Grantee, String)] {
            #expect(code { try store.addOwner(grantee, of: id) } == refusal)
        }
        let other = BindingID(high: 1, low: 1)
        #expect(code { try store.addOwner(.user(home.bob), of: other) } == "unknown")
        #expect(code { try store.removeOwner(.user(home.bob), of: other) } == "unknown")
        #expect(code { try store.unlinkBinding(other, at: 5) } == "unknown")
        #expect(
            code {
                try store.linkBinding(other, to: lamp, isMade: false, route: .flare, giver: nil, at: 5)
            } == "unknown"
        )
        #expect(try owners().isEmpty)
    }

    @Test func `users and groups that are removed own nothing`() throws {
        let staff = try store.addGroup("staff", of: .users, by: .program(at: 3))
        for grantee in [.user(home.bob), .group(staff), .user(home.owner)] as [Grantee] {
            try store.addOwner(grantee, of: id)
        }
        try store.removeUser("bob", by: .program(at: 4))
        #expect(try owners() == [.group(staff), .user(home.owner)])
        try store.removeGroup("staff", by: .program(at: 4))
        #expect(try owners() == [.user(home.owner)])
        #expect(try home.count("binding_owner") == 1)
    }

    // MARK: Links

    @Test(arguments: [true, false])
    func `owners of a binding own the thing that is linked, and the binding again without it`(isMade: Bool)
        throws
    {
        let all: Set<Grantee> = [.user(home.bob), .group(.everybody), .user(home.owner)]
        for owner in all { try store.addOwner(owner, of: id) }
        try link(isMade: isMade, by: home.owner)
        let linked = try #require(try store.binding(ofThing: lamp))
        #expect(linked.binding.isMade == isMade && linked.binding.route == .edge && linked.owners.isEmpty)
        #expect(try home.count("binding_owner") == 0)
        #expect(Set(try grants().map(\.grantee)) == all)
        #expect(
            try grants().allSatisfy {
                $0.access == .own && !$0.share && $0.starts == nil && $0.ends == nil
            }
        )
        #expect(
            try store.table().verdict(of: .user(home.bob), .own, on: place, at: 5).isGranted
        )
        try store.unlinkBinding(id, at: 6)
        let unlinked = try #require(try store.binding(id))
        #expect(unlinked.binding.thing == nil && !unlinked.binding.isMade && Set(unlinked.owners) == all)
        #expect(try grants().isEmpty)
        // Without a link nothing happens.
        try store.unlinkBinding(id, at: 7)
        #expect(try owners() == all)
    }

    @Test func `a grant that is there is kept, and not doubled`() throws {
        let known = try store.addGrant(Grant(id: 0, .user(home.bob), .own, .thing(lamp)), by: .program(at: 3))
        for owner in [.user(home.bob), .user(home.owner)] as [Grantee] { try store.addOwner(owner, of: id) }
        try link()
        try link()
        #expect(try grants().map(\.grantee) == [.user(home.bob), .user(home.owner)])
        #expect(try grants().first?.id == known)
        // Also one without a source, for one that would have one.
        try store.unlinkBinding(id, at: 6)
        let kept = try store.addGrant(Grant(id: 0, .user(home.bob), .own, .thing(lamp)), by: .program(at: 6))
        try link(by: home.bob)
        #expect(try grants().filter { $0.grantee == .user(home.bob) }.map(\.id) == [kept])
    }

    @Test func `a right that ends or has not begun makes no owner of the binding`() throws {
        try store.addOwner(.user(home.owner), of: id)
        try link()
        for grant in [
            Grant(id: 0, .user(home.bob), .own, .thing(lamp), ends: 100),
            Grant(id: 0, .user(home.bob), .own, .thing(lamp), starts: 50),
            Grant(id: 0, .user(home.bob), .write, .thing(lamp)),
        ] {
            _ = try store.addGrant(grant, by: .program(at: 5))
        }
        try store.unlinkBinding(id, at: 49)
        #expect(try owners() == [.user(home.owner)])
        #expect(try grants().map(\.grantee) == Array(repeating: .user(home.bob), count: 3))
    }

    @Test func `what an owner gave goes with the link`() throws {
        let eve = try store.addUser(NewUser("eve"), by: .program(at: 3))
        try store.addOwner(.user(home.bob), of: id)
        try link(isMade: true, by: home.bob)
        _ = try store.addGrant(Grant(id: 0, .user(eve), .write, .thing(lamp)), by: home.asBob.at(5))
        #expect(try grants().count == 2)
        try store.unlinkBinding(id, at: 6)
        #expect(try grants().isEmpty && owners() == [.user(home.bob)])
    }

    @Test func `who links a thing that was there gives their own right on`() throws {
        let zone = try store.addGrant(
            Grant(id: 0, .user(home.bob), .own, .zone(TestAccounts.kitchen)),
            by: .program(at: 3)
        )
        try store.addOwner(.user(home.bob), of: id)
        try link(by: home.bob, in: place)
        #expect(try grants().map(\.source) == [zone] && grants().map(\.giver) == [home.bob])
        try store.removeGrant(zone, by: .program(at: 6))
        #expect(try grants().isEmpty)
    }

    @Test func `who links with a right that ends makes nobody an owner for good`() throws {
        _ = try store.addGrant(
            Grant(id: 0, .user(home.bob), .own, .zone(TestAccounts.kitchen), ends: 100),
            by: .program(at: 3)
        )
        try store.addOwner(.user(home.bob), of: id)
        #expect(code { try link(by: home.bob, in: place) } == "not_allowed")
        #expect(try store.binding(id)?.binding.thing == nil && owners() == [.user(home.bob)])
        // A thing that was made is another matter.
        try link(isMade: true, by: home.bob, in: place)
        #expect(try grants().map(\.grantee) == [.user(home.bob)] && grants().first?.ends == nil)
        // Nor does it count among what they have given.
        #expect(try grants().first?.giver == nil)
    }

    @Test func `what an administrator links for others stays when they leave`() throws {
        let ann = try store.addUser(NewUser("ann"), by: .program(at: 3))
        let all = try store.addGrant(Grant(id: 0, .user(ann), .own, .all), by: .program(at: 3))
        try store.addOwner(.user(home.bob), of: id)
        try store.addOwner(.user(ann), of: id)
        try link(by: ann, in: place)
        #expect(try grants().count == 2)
        try store.removeGrant(all, by: .program(at: 6))
        #expect(try grants().map(\.grantee) == [.user(home.bob)])
    }

    @Test func `a thing has one binding, and a binding one thing`() throws {
        try store.addOwner(.user(home.bob), of: id)
        try link()
        let other = try store.addMeters(2...2)[0]
        #expect(
            code {
                try store.linkBinding(other, to: lamp, isMade: false, route: .flare, giver: nil, at: 5)
            } == "not_allowed"
        )
        #expect(try store.binding(other)?.binding.thing == nil)
        try link(TestAccounts.kitchen)
        #expect(try grants().isEmpty)
        #expect(try store.binding(ofThing: lamp) == nil)
        #expect(try store.binding(ofThing: TestAccounts.kitchen)?.binding.id == id)
        let moved = try store.table().grants.filter { $0.scope == .thing(TestAccounts.kitchen) }
        #expect(moved.map(\.grantee) == [.user(home.bob)])
    }

    @Test func `owners of a linked binding are grants, and nothing else`() throws {
        try link()
        #expect(code { try store.addOwner(.user(home.bob), of: id) } == "invalid_value")
        #expect(code { try store.removeOwner(.user(home.bob), of: id) } == "invalid_value")
        #expect(try home.count("binding_owner") == 0)
    }

    @Test func `links leave the last grants to administrators`() throws {
        try store.addOwner(.user(home.bob), of: id)
        let free = try PeopleLimits.grants - PeopleLimits.grantsOfAdministrators - home.count("permission")
        try home.database.write { database in
            try database.execute(
                sql: """
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
                    INSERT INTO permission (grantee, scope, access, share)
                    SELECT 'user:' || i, 'all', 'read', 0 FROM n
                    """,
                arguments: [free]
            )
        }
        #expect(code { try link(isMade: true, by: home.bob) } == "not_allowed")
        #expect(try owners() == [.user(home.bob)])
        #expect(code { try link(isMade: true, by: home.owner) } == nil)
    }
}
