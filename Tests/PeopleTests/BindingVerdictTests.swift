import Flare
import People
import Testing

/// Who may do what with a binding.
struct BindingVerdictTests {
    private static let owner = AccountID.numbered(1)
    private static let bob = AccountID.numbered(2)
    private static let carol = AccountID.numbered(3)
    private static let off = AccountID.numbered(4)
    private static let staff = AccountID.numbered(10)
    private static let lamp = FlareID.numbered(1)
    private static let meter = BindingID(high: 1, low: 1)

    private static func table(_ grants: [Grant] = []) -> AccessTable {
        AccessTable(
            users: [
                User(id: owner, name: "owner"), User(id: bob, name: "bob"), User(id: carol, name: "carol"),
                User(id: off, name: "olaf", state: .off),
            ],
            groups: [Grouping(id: staff, name: "staff", members: .users([carol]))],
            grants: [Grant(id: 1, .user(owner), .own, .all)] + grants
        )
    }

    private static var thing: AccessObject { .thing(lamp, zone: nil, environment: nil) }

    /// What somebody may do with a binding.
    private func needs(
        _ caller: BindingCaller,
        _ binding: BindingAccess,
        _ grants: [Grant] = [],
        at now: Int64 = 50
    ) -> Set<BindingNeed> {
        let table = Self.table(grants)
        return Set(
            BindingNeed.allCases.filter { table.verdict(of: caller, $0, on: binding, at: now).isGranted }
        )
    }

    /// Linked to a thing, and not.
    private static let bindings = [
        BindingAccess(meter, owners: [.user(bob), .group(staff), .user(off)]),
        BindingAccess(meter, owners: [.user(bob)], thing: thing),
    ]

    @Test(arguments: bindings)
    func `a thing reports, answers and reads what is its own, and nothing else`(binding: BindingAccess) {
        #expect(needs(.thing(Self.meter), binding) == [.read, .report, .results])
        #expect(needs(.thing(BindingID(high: 1, low: 2)), binding) == [])
    }

    @Test(arguments: bindings)
    func `the app's key and a token for nobody give no right`(binding: BindingAccess) {
        #expect(needs(.app, binding) == [])
        #expect(needs(.anonymous, binding) == [])
    }

    @Test(arguments: bindings)
    func `who owns everything owns each binding, and answers for none`(binding: BindingAccess) {
        #expect(needs(.user(.user(Self.owner)), binding) == [.own, .write, .read, .report])
    }

    @Test func `owners of a binding without a thing own it, alone and by a group`() {
        let binding = Self.bindings[0]
        #expect(needs(.user(.user(Self.bob)), binding) == [.own, .write, .read, .report])
        #expect(needs(.user(.user(Self.carol)), binding) == [.own, .write, .read, .report])
        #expect(needs(.user(.user(Self.carol)), BindingAccess(Self.meter, owners: [.user(Self.bob)])) == [])
    }

    @Test func `grants of the thing count alone once a binding is linked`() {
        let binding = Self.bindings[1]
        #expect(needs(.user(.user(Self.bob)), binding) == [])
        let cases: [(Access, Set<BindingNeed>)] = [
            (.read, [.read]), (.write, [.read, .write]), (.own, [.read, .write, .own, .report]),
        ]
        for (access, expected) in cases {
            let grant = Grant(id: 2, .user(Self.bob), access, .thing(Self.lamp), ends: 100)
            #expect(needs(.user(.user(Self.bob)), binding, [grant]) == expected)
            #expect(needs(.user(.user(Self.bob)), binding, [grant], at: 100) == [])
        }
    }

    @Test func `a grant of everything counts for a binding without a thing as for every thing`() {
        let grant = Grant(id: 2, .user(Self.carol), .write, .all)
        #expect(needs(.user(.user(Self.carol)), BindingAccess(Self.meter), [grant]) == [.read, .write])
    }

    @Test(arguments: bindings)
    func `a token allows no more than its ceiling`(binding: BindingAccess) {
        let grant = Grant(id: 2, .user(Self.bob), .own, .thing(Self.lamp))
        func needs(_ ceiling: Access) -> Set<BindingNeed> {
            self.needs(.user(.user(Self.bob, ceiling: ceiling)), binding, [grant])
        }
        #expect(needs(.read) == [.read])
        #expect(needs(.write) == [.read, .write])
        #expect(needs(.own) == [.own, .write, .read, .report])
    }

    @Test(arguments: bindings)
    func `who is switched off or gone has no right`(binding: BindingAccess) {
        let grants = [Self.off, AccountID.numbered(99)].map { Grant(id: 2, .user($0), .own, .all) }
        #expect(needs(.user(.user(Self.off)), binding, grants) == [])
        #expect(needs(.user(.user(.numbered(99))), binding, grants) == [])
    }

    @Test func `a refusal says why`() {
        let caller = BindingCaller.user(.user(Self.bob, ceiling: .write))
        let verdict = Self.table().verdict(of: caller, .own, on: Self.bindings[0], at: 0)
        #expect(verdict == .refused(.ceiling(.write)))
        #expect(
            Self.table().verdict(of: .user(.user(Self.off)), .read, on: Self.bindings[0], at: 0)
                == .refused(.userIsOff)
        )
    }
}
