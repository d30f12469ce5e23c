import Flare
import People
import Testing

struct RulesTests {
    private let alice = AccountID.numbered(1)
    private let bob = AccountID.numbered(2)
    private let lamp = FlareID.numbered(1)
    private let kitchen = FlareID.numbered(20)
    private let home = FlareID.numbered(30)

    private func table(_ grants: [Grant], off: Set<AccountID> = [], owners: Set<AccountID> = [])
        -> AccessTable
    {
        AccessTable(
            users: [("alice", alice), ("bob", bob)].map { name, id in
                User(id: id, name: name, state: off.contains(id) ? .off : .active)
            },
            groups: [Grouping(id: .numbered(9), name: "owners", members: .users(owners))],
            grants: grants
        )
    }

    // MARK: The last owner

    @Test func `the last owner stays`() {
        let own = Grant(id: 1, .user(alice), .own, .all)
        let present = table([own])
        #expect(present.hasLastingOwner(at: 0))
        #expect(!present.mayBecome(table([]), at: 0))
        #expect(!present.mayBecome(table([own], off: [alice]), at: 0))
        #expect(!present.mayBecome(table([Grant(id: 1, .user(alice), .write, .all)]), at: 0))
        #expect(!present.mayBecome(table([Grant(id: 1, .user(alice), .own, .environment(home))]), at: 0))
        #expect(!present.mayBecome(table([Grant(id: 1, .user(alice), .own, .all, ends: 1000)]), at: 0))
        #expect(!present.mayBecome(table([Grant(id: 1, .user(alice), .own, .all, starts: 1000)]), at: 0))
        #expect(present.mayBecome(table([Grant(id: 2, .user(bob), .own, .all)]), at: 0))
        #expect(table([]).mayBecome(table([]), at: 0))
    }

    @Test func `an owner by a group is one`() {
        let own = Grant(id: 1, .group(.numbered(9)), .own, .all)
        #expect(table([own], owners: [bob]).hasLastingOwner(at: 0))
        #expect(!table([own], off: [bob], owners: [bob]).hasLastingOwner(at: 0))
        #expect(!table([own]).hasLastingOwner(at: 0))
    }

    // MARK: Giving

    @Test func `grants are given inside what one owns`() {
        let table = table([
            Grant(id: 3, .user(bob), .own, .zone(kitchen)), Grant(id: 1, .user(alice), .own, .all),
        ])
        func may(_ user: AccountID, _ scope: Scope, inKitchen: Bool = true) -> Bool {
            table.mayGive(.user(user), scope, at: 0) { scope in
                switch scope {
                case .thing(let id): .thing(id, zone: inKitchen ? kitchen : nil, environment: home)
                case .zone(let id): .zone(id, environment: home)
                case .environment(let id): .environment(id)
                case .all, .devices, .device, .group: nil
                }
            }.isGranted
        }
        #expect(may(bob, .thing(lamp)) && may(bob, .zone(kitchen)))
        #expect(!may(bob, .thing(lamp), inKitchen: false) && !may(bob, .environment(home)))
        #expect(!may(bob, .all) && !may(bob, .devices) && !may(bob, .group(.numbered(9))))
        for scope in [Scope.all, .devices, .group(.numbered(9)), .thing(lamp), .environment(home)] {
            #expect(may(alice, scope))
        }
    }

    @Test func `only who owns everything takes away what is gone`() {
        let table = table([
            Grant(id: 3, .user(bob), .own, .thing(lamp)), Grant(id: 1, .user(alice), .own, .all),
        ])
        #expect(!table.mayGive(.user(bob), .thing(lamp), at: 0) { _ in nil }.isGranted)
        #expect(table.mayGive(.user(alice), .thing(lamp), at: 0) { _ in nil }.isGranted)
    }

    // MARK: Shares

    @Test func `a second share of a pair replaces the first`() {
        var first = Share(lamp, with: bob).grant(id: 5, by: alice, replacing: nil)
        #expect(first.isWaiting && first.access == .read && first.giver == alice)
        first.accepted = 10
        let table = table([first, Grant(id: 6, .user(bob), .own, .thing(lamp))])
        let second = Share(lamp, with: bob, .write)
        #expect(second.replaced(in: table) == first)
        #expect(second.grant(id: 9, by: alice, replacing: first).id == 5)
        #expect(Share(lamp, with: alice).replaced(in: table) == nil)
        #expect(Share(kitchen, with: bob).replaced(in: table) == nil)
    }

    @Test(
        arguments: [
            (Access.read, 10, 90, false), (.write, 10, 90, false), (.own, 10, 90, true),
            (.write, 9, 90, true),
            (.write, 10, 91, true), (.write, 11, 89, false), (.write, nil, 90, true), (.write, 10, nil, true),
        ] as [(Access, Int64?, Int64?, Bool)]
    )
    func `a share that widens is accepted again`(access: Access, starts: Int64?, ends: Int64?, isWider: Bool)
    {
        var first = Share(lamp, with: bob, .write, starts: 10, ends: 90).grant(id: 5, by: nil, replacing: nil)
        first.accepted = 3
        let second = Share(lamp, with: bob, access, starts: starts, ends: ends)
        #expect(second.grant(id: 6, by: nil, replacing: first).isWaiting == isWider)
        first.accepted = nil
        #expect(second.grant(id: 6, by: nil, replacing: first).isWaiting)
    }

    // MARK: Dates

    @Test func `dates are read, and the wrong way round refused`() throws {
        #expect(try GrantDates.parse("1970-01-02") == 86_400_000)
        #expect(throws: GrantDates.Issue.unreadable("tomorrow")) { try GrantDates.parse("tomorrow") }
        #expect(throws: GrantDates.Issue.reversed) { try GrantDates.check(starts: 5, ends: 5, at: 0) }
        #expect(throws: Never.self) { try GrantDates.check(starts: 5, ends: 6, at: 5) }
        #expect(throws: Never.self) { try GrantDates.check(starts: nil, ends: 6, at: 5) }
        #expect(throws: GrantDates.Issue.past(6)) { try GrantDates.check(starts: nil, ends: 6, at: 6) }
        #expect("\(GrantDates.Issue.unreadable("x"))".contains("2030-01-01"))
    }
}
