import Controller
import People
import Testing

@testable import Web

/// What a caller may see is looked up once, and is used for no other caller and at no other time.
struct KnownReadersTests {
    private static let bob = Caller.user(Users.bob)

    private var readers = KnownReaders()
    private var state = FakeNode.state()

    @Test mutating func `until users are known, nobody sees anything`() {
        state.people = AccessTable()
        for caller in [nil, .user(Users.owner), Self.bob] as [Caller?] {
            #expect(readers.reader(for: caller, in: state, at: 0).seesNothing)
        }
    }

    @Test mutating func `each caller gets what they may see, and the same when asked again`() {
        state.people = Users.table([(.read, .thing(FakeNode.lamp))])
        for _ in 0..<2 {
            for caller in [nil, .user(Users.owner), Self.bob] as [Caller?] {
                let known = readers.reader(for: caller, in: state, at: 7)
                #expect(known == state.reader(for: caller, at: 7))
                #expect(known.seesAll == (caller == .user(Users.owner)))
            }
        }
    }

    @Test mutating func `another table of users and rights counts at once`() {
        for grants in [[], [(.own, .all)], []] as [[(Access, Scope)]] {
            state.people = Users.table(grants)
            #expect(readers.reader(for: Self.bob, in: state, at: 7).seesAll == !grants.isEmpty)
        }
    }

    @Test mutating func `a right begins and ends by itself, also when the clock goes back`() {
        let users = [User(id: Users.owner, name: "owner"), User(id: Users.bob, name: "bob")]
        let right = Grant(id: 2, .user(Users.bob), .own, .all, starts: 100, ends: 200)
        state.people = AccessTable(
            users: users,
            grants: [Grant(id: 1, .user(Users.owner), .own, .all), right]
        )
        for (now, isOwner) in [(99, false), (100, true), (199, true), (200, false), (150, true), (50, false)]
        {
            #expect(readers.reader(for: Self.bob, in: state, at: Int64(now)).seesAll == isOwner)
        }
    }
}
