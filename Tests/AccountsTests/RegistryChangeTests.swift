import Accounts
import AccountsFixture
import Bindings
import Foundation
import GRDB
import People
import SeededRandom
import Testing
import Threading

/// What the registry has in memory after changes.
struct RegistryChangeTests {
    private let home: TestAccounts
    private let meters = (1...4).map { BindingID(high: 9, low: $0) }

    init() throws {
        home = try TestAccounts()
        for (number, id) in meters.enumerated() {
            try home.store.saveBinding(ThingBinding(id, vendor: "v-\(number)", password: "", made: 3))
        }
    }

    @Test(arguments: [UInt64](1...20))
    func `after any changes the registry has what another one reads`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let (registry, program) = (try home.registry(), Authority.program(at: 5))
        var texts: [(text: String, kind: SecretToken.Kind)] = []
        for number in 0..<60 {
            let meter = random.pick(meters, else: meters[0])
            let kind = random.number(below: 8)
            let added = try? registry.change { store -> SecretToken? in
                switch kind {
                case 0:
                    return try store.addToken(
                        "t\(number)",
                        ofUser: "bob",
                        ceiling: nil,
                        until: nil,
                        by: program
                    ).0
                case 1: return try store.addSession(of: home.bob, name: "", until: 1000, at: 5).0
                case 2: try store.endThingTokens(of: meter)
                case 3: try store.setState(number % 2 == 0 ? .off : .active, ofUser: "bob", by: program)
                case 4: _ = try store.addGrant(Grant(id: 0, .user(home.bob), .write, .all), by: program)
                case 5: _ = try store.addUser(NewUser("u\(number)"), by: program)
                case 6:
                    // Nothing of it is kept.
                    _ = try store.addThingToken(meter, at: 5)
                    throw AccountsError.refused("no")
                default: return try store.addThingToken(meter, at: 5)
                }
                return nil
            }
            if let secret = added.flatMap(\.self) { texts.append((secret.text, secret.kind)) }
            let fresh = try home.registry()
            #expect(registry.table == fresh.table)
            for (text, kind) in texts {
                let claim: Claim = kind == .session ? .session(text) : .token(text)
                #expect(registry.thing(bringing: text) == fresh.thing(bringing: text))
                #expect(registry.identify(claim) == fresh.identify(claim))
            }
        }
    }

    @Test func `a change reads again what it has changed, and nothing else`() throws {
        let registry = try home.registry()
        let token = try registry.change { try $0.addThingToken(meters[0], at: 5) }
        try home.database.write { try $0.execute(sql: "UPDATE secret SET holder = 'thing:gone'") }
        let other = try registry.change { try $0.addThingToken(meters[1], at: 5) }
        #expect(registry.thing(bringing: other.text) == meters[1])
        #expect(registry.thing(bringing: token.text) == meters[0])
        try registry.reload()
        #expect(registry.thing(bringing: token.text) == nil)
    }

    @Test func `whose change returns, finds it, also among others at once`() throws {
        let registry = try home.registry()
        let missing = Locked(0)
        DispatchQueue.concurrentPerform(iterations: 40) { number in
            guard
                let token = try? registry.change({ store in
                    try store.addToken(
                        "t\(number)",
                        ofUser: "bob",
                        ceiling: nil,
                        until: nil,
                        by: .program(at: 5)
                    )
                }), registry.identify(.token(token.0.text)) != nil
            else { return missing.withLock { $0 += 1 } }
        }
        #expect(missing.withLock { $0 } == 0)
    }

    @Test func `what a second registry has changed is read with the next change of the first`() throws {
        let (first, second) = (try home.registry(), try home.registry())
        let token = try second.change { try $0.addThingToken(meters[0], at: 5) }
        _ = try second.change { try $0.addUser(NewUser("carol"), by: .program(at: 5)) }
        try first.change { try $0.endThingTokens(of: meters[1]) }
        #expect(first.thing(bringing: token.text) == meters[0])
        #expect(first.table == second.table)
    }

    @Test func `who missed too many changes reads everything`() throws {
        let (first, second) = (try home.registry(), try home.registry())
        let token = try second.change { try $0.addThingToken(meters[0], at: 5) }
        try home.database.write { database in
            try database.execute(
                sql: """
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10001)
                    INSERT INTO recent_change (hash) SELECT x'00' FROM n
                    """
            )
        }
        try second.change { try $0.endThingTokens(of: meters[1]) }
        try first.change { try $0.endThingTokens(of: meters[1]) }
        #expect(first.thing(bringing: token.text) == meters[0])
    }
}
