import Flare
import People
import Testing

struct VerdictTests {
    private let alice = AccountID.numbered(1)
    private let bob = AccountID.numbered(2)
    private let carol = AccountID.numbered(3)
    private let staff = AccountID.numbered(10)
    private let lights = AccountID.numbered(11)
    private let lamp = FlareID.numbered(1)
    private let desk = FlareID.numbered(2)
    private let kitchen = FlareID.numbered(20)
    private let hall = FlareID.numbered(21)
    private let home = FlareID.numbered(30)

    private func table(_ grants: Grant...) -> AccessTable {
        AccessTable(
            users: [
                User(id: alice, name: "alice"), User(id: bob, name: "bob"),
                User(id: carol, name: "carol", state: .off),
            ],
            groups: [
                Grouping(id: staff, name: "staff", members: .users([bob])),
                Grouping(id: lights, name: "lights", members: .things([lamp])),
            ],
            grants: grants
        )
    }

    private var lampInKitchen: AccessObject { .thing(lamp, zone: kitchen, environment: home) }

    private func text(_ table: AccessTable, _ access: Access, _ object: AccessObject, at now: Int64 = 50)
        -> String
    {
        table.verdict(of: .user(bob), access, on: object, at: now).description
    }

    @Test func `each scope reaches what it contains`() {
        let scopes: [(Scope, Bool, Bool, Bool)] = [
            // in the lamp, in the kitchen, in the home
            (.all, true, true, true), (.environment(home), true, true, true),
            (.zone(kitchen), true, true, false),
            (.thing(lamp), true, false, false), (.group(lights), true, false, false),
            (.devices, false, false, false),
            (.zone(hall), false, false, false), (.thing(desk), false, false, false),
        ]
        for (scope, thing, zone, environment) in scopes {
            for grantee in [Grantee.user(bob), .group(staff)] {
                let table = table(Grant(id: 7, grantee, .write, scope))
                func isGranted(_ object: AccessObject) -> Bool {
                    text(table, .write, object) == "granted by 7"
                }
                #expect(isGranted(lampInKitchen) == thing, "\(scope)")
                #expect(isGranted(.zone(kitchen, environment: home)) == zone, "\(scope)")
                #expect(isGranted(.environment(home)) == environment, "\(scope)")
                #expect(isGranted(.devices) == (scope == .devices), "\(scope)")
                #expect(isGranted(.everything) == (scope == .all), "\(scope)")
                #expect(!isGranted(.administration))
                #expect(!table.verdict(of: .user(alice), .read, on: lampInKitchen, at: 50).isGranted)
            }
        }
    }

    @Test func `what a device's former user gave counts no more, nor what was given on by it`() {
        func given(_ id: Int64, to user: AccountID, by giver: AccountID, source: Int64?) -> Grant {
            var grant = Grant(id: id, .user(user), .own, .device("phone"), giver: giver)
            grant.source = source
            return grant
        }
        let table = table(
            given(5, to: alice, by: carol, source: 6),
            given(6, to: carol, by: bob, source: 7),
            given(7, to: bob, by: alice, source: Grant.listOfDevices),
            given(8, to: bob, by: carol, source: nil)
        )
        #expect(table.following(deviceOwners: ["phone": "alice"]).grants.map(\.id) == [5, 6, 7, 8])
        for owners in [["phone": "bob"], ["watch": "alice"], [:]] {
            let left = table.following(deviceOwners: owners)
            #expect(left.grants.map(\.id) == [8] && left.deviceOwners == owners)
        }
    }

    @Test func `who has a device owns it without a grant, and no other device`() {
        var table = table()
        table.deviceOwners = ["phone": "bob", "watch": "alice", "badge": "carol"]
        for access in Access.allCases {
            #expect(text(table, access, .device("phone")) == "granted")
            #expect(text(table, access, .device("watch")) == "refused: no grant")
            #expect(text(table, access, .devices) == "refused: no grant")
        }
        let limited = table.verdict(of: .user(bob, ceiling: .read), .write, on: .device("phone"), at: 50)
        #expect(!limited.isGranted)
        #expect(table.verdict(of: .user(carol), .read, on: .device("badge"), at: 50) == .refused(.userIsOff))
        let reader = Reader(table, for: .user(bob), at: 50)
        #expect(reader.sees(node: "phone") && !reader.sees(node: "watch") && !reader.seesDevices)
        #expect(table.owners(of: .device("phone"), at: 50) == ["bob"])
        #expect(table.mayDo(.user(bob), .own, at: 50) && !self.table().mayDo(.user(bob), .read, at: 50))
    }

    @Test func `a right includes the smaller ones`() {
        for held in Access.allCases {
            for wanted in Access.allCases {
                let table = table(Grant(id: 1, .user(bob), held, .thing(lamp)))
                #expect((text(table, wanted, lampInKitchen) == "granted by 1") == (held >= wanted))
            }
        }
        #expect(Access.read < .write && Access.write < .own)
    }

    @Test func `only who owns everything also sees devices and administers`() {
        for access in Access.allCases {
            let table = table(Grant(id: 1, .user(bob), access, .all))
            #expect(text(table, .read, .devices) == (access == .own ? "granted by 1" : "refused: no grant"))
            #expect(
                text(table, .read, .administration)
                    == (access == .own ? "granted by 1" : "refused: administration needs own all")
            )
        }
        #expect(text(table(Grant(id: 1, .user(bob), .own, .devices)), .write, .devices) == "granted by 1")
    }

    @Test func `a refusal says what is the matter`() {
        let day: Int64 = 86_400_000
        let ended = Grant(id: 1, .user(bob), .write, .thing(lamp), ends: day)
        let older = Grant(id: 2, .user(bob), .own, .zone(kitchen), ends: 5)
        let coming = Grant(id: 3, .user(bob), .write, .all, starts: 3 * day)
        let share = Grant(id: 4, .user(bob), .write, .thing(lamp), share: true)
        let weak = Grant(id: 5, .user(bob), .read, .all)
        #expect(text(table(), .write, lampInKitchen) == "refused: no grant")
        #expect(text(table(weak), .write, lampInKitchen) == "refused: no grant")
        #expect(
            text(table(ended, older, weak), .write, lampInKitchen, at: day)
                == "refused: expired 1970-01-02T00:00:00Z"
        )
        #expect(text(table(ended, older), .write, lampInKitchen, at: day - 1) == "granted by 1")
        #expect(
            text(table(ended, coming), .write, lampInKitchen, at: 2 * day)
                == "refused: begins 1970-01-04T00:00:00Z"
        )
        #expect(
            text(table(ended, coming, share), .write, lampInKitchen, at: 2 * day)
                == "refused: the share is not accepted yet"
        )
        let table = table(weak)
        #expect(table.verdict(of: .user(carol), .read, on: lampInKitchen, at: 0) == .refused(.userIsOff))
        #expect(
            table.verdict(of: .user(.numbered(77)), .read, on: lampInKitchen, at: 0) == .refused(.unknownUser)
        )
    }

    @Test func `a share counts once it is accepted`() {
        var grant = Grant(id: 4, .user(bob), .write, .thing(lamp), share: true)
        #expect(!table(grant).verdict(of: .user(bob), .read, on: lampInKitchen, at: 9).isGranted)
        grant.accepted = 5
        #expect(table(grant).verdict(of: .user(bob), .read, on: lampInKitchen, at: 9).isGranted)
    }

    @Test func `a token allows no more than its ceiling`() {
        let table = table(Grant(id: 1, .user(bob), .own, .all))
        let token = Caller.user(bob, ceiling: .read)
        #expect(table.verdict(of: token, .read, on: lampInKitchen, at: 0).isGranted)
        #expect(table.verdict(of: token, .write, on: lampInKitchen, at: 0) == .refused(.ceiling(.read)))
        #expect(table.verdict(of: token, .read, on: .administration, at: 0) == .refused(.ceiling(.read)))
        #expect(table.verdict(of: .user(bob, ceiling: .own), .read, on: .administration, at: 0).isGranted)
    }

    @Test func `real lamps are not asked`() {
        #expect(table().verdict(of: .nobody, .own, on: .administration, at: 0) == .granted(by: nil))
    }

    @Test func `the nearest owners are named`() {
        let wide = Grant(id: 1, .user(alice), .own, .all)
        #expect(table(wide).owners(of: lampInKitchen, at: 0) == ["alice"])
        let near = Grant(id: 2, .group(staff), .own, .zone(kitchen))
        #expect(table(wide, near).owners(of: lampInKitchen, at: 0) == ["group:staff"])
        let own = Grant(id: 3, .user(bob), .own, .thing(lamp))
        let inGroup = Grant(id: 4, .user(alice), .own, .group(lights))
        #expect(table(wide, near, own, inGroup).owners(of: lampInKitchen, at: 0) == ["alice", "bob"])
        #expect(table(wide, near, own, inGroup).owners(of: lampInKitchen, at: 0, limit: 1) == ["alice"])
        #expect(table(Grant(id: 1, .user(carol), .own, .all)).owners(of: lampInKitchen, at: 0) == [])
    }

    @Test func `the tables of one content are equal`() {
        let grants = [Grant(id: 1, .user(bob), .own, .all), Grant(id: 2, .user(alice), .read, .devices)]
        let users = [User(id: bob, name: "bob"), User(id: alice, name: "alice")]
        let table = AccessTable(users: users, grants: grants)
        #expect(table == AccessTable(users: users.reversed(), grants: grants.reversed()))
        #expect(table != AccessTable(users: users, grants: Array(grants.prefix(1))))
        #expect(table.users.map(\.name) == ["alice", "bob"])
        #expect(table.name(of: .user(bob)) == "bob" && table.name(of: .group(staff)) == nil)
    }

    @Test func `a scope is asked for as what it is about`() {
        let table = table(
            Grant(id: 1, .user(bob), .write, .zone(kitchen)),
            Grant(id: 2, .user(alice), .read, .group(lights))
        )
        func verdict(_ user: AccountID, _ scope: Scope) -> String? {
            AccessObject(scope) { $0 == .thing(lamp) ? lampInKitchen : nil }
                .map { table.verdict(of: .user(user), .read, on: $0, at: 0).description }
        }
        #expect(verdict(bob, .thing(lamp)) == "granted by 1" && verdict(bob, .thing(desk)) == nil)
        #expect(verdict(bob, .all) == "refused: no grant" && verdict(bob, .devices) == "refused: no grant")
        #expect(
            verdict(alice, .group(lights)) == "granted by 2"
                && verdict(bob, .group(lights)) == "refused: no grant"
        )
    }

    @Test func `callers have names for the log`() {
        let table = table()
        #expect(
            table.logName(of: .user(bob, ceiling: .read)) == "user:bob"
                && table.logName(of: .nobody) == "nobody"
        )
        #expect(table.logName(of: .user(.everybody)) == "user:aaaaaaaaaaaaaaaa")
    }
}
