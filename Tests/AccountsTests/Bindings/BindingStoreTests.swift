import Accounts
import AccountsFixture
import Bindings
import Dispatch
import Flare
import GRDB
import JSON
import People
import Testing
import Threading

struct BindingStoreTests {
    private let home: TestAccounts
    private var store: AccountsStore { home.store }

    init() throws { home = try TestAccounts() }

    @Test func `a binding is read as it was saved, by each of its names`() throws {
        let (full, bare) = (ThingBinding.full(1), ThingBinding.meter(2))
        for binding in [full, bare] { try store.saveBinding(binding) }
        for binding in [full, bare] {
            #expect(try store.binding(binding.id)?.binding == binding)
            #expect(try store.binding(ofVendor: binding.vendor) == StoredBinding(binding))
        }
        #expect(try store.binding(ofThing: TestAccounts.lamp)?.binding == full)
        #expect(try store.binding(BindingID(high: 0, low: 0)) == nil)
        for vendor in ["", "V-2", "' OR 1=1 --"] { #expect(try store.binding(ofVendor: vendor) == nil) }
        #expect(try store.binding(ofThing: TestAccounts.kitchen) == nil)
    }

    @Test func `bindings are listed by vendor, each with its owners`() throws {
        let ids = try store.addMeters(1...3)
        try store.saveBinding(.full(1))
        try store.addOwner(.user(home.bob), of: ids[2])
        try store.addOwner(.user(home.owner), of: ids[2])
        try store.addOwner(.group(.everybody), of: ids[0])
        let found = try store.bindings()
        #expect(found.map(\.binding.vendor) == ["full-1", "v-1", "v-2", "v-3"])
        #expect(
            found.map { Set($0.owners) } == [
                [], [.group(.everybody)], [], [.user(home.bob), .user(home.owner)],
            ]
        )
        #expect(try store.binding(ids[2]) == found[3])
    }

    @Test func `an end node has no user of the broker, and who has end nodes is a gateway once it is owned`()
        throws
    {
        var bindings = (1...5).map { ThingBinding.meter($0) }
        bindings[1].gateway = bindings[0].id
        bindings[2].layout = .gateway
        bindings[4].layout = .gateway
        for index in 0..<3 { bindings[index].isOwned = true }
        for binding in bindings { try store.saveBinding(binding) }
        let things = try store.brokerThings()
        #expect(things.map(\.vendor) == ["v-1", "v-3", "v-4", "v-5"])
        #expect(things.map(\.isGateway) == [true, true, false, false])
    }

    @Test func `nobody who comes by themselves takes the name of a thing, and so its topics`() throws {
        try store.saveBinding(.meter(1))
        #expect(code { _ = try store.addNewcomer(NewUser("v-1"), at: 3) } == "not_allowed")
        _ = try store.addNewcomer(NewUser("v-2"), at: 3)
        // An owner may mean it.
        _ = try store.addUser(NewUser("v-1"), by: .program(at: 3))
    }

    @Test func `who signed up before a thing of the name came waits for an owner`() throws {
        var newcomer = NewUser("v-1")
        newcomer.state = .pending
        let user = try store.addNewcomer(newcomer, at: 3)
        let link = try store.addLink(.verify, of: user, at: 3)
        try store.saveBinding(.meter(1))
        #expect(try store.verify(link, activates: true, at: 4).state == .pending)
        #expect(try store.table().user(user)?.state == .pending)
    }

    @Test func `another save changes everything but vendor, password, time of making and state`() throws {
        try store.saveBinding(.meter(1))
        var changed = ThingBinding.full(1)
        changed = ThingBinding(
            ThingBinding.meter(1).id,
            vendor: "other",
            password: "other",
            properties: changed.properties,
            made: 99
        ).with(changed)
        try store.saveBinding(changed)
        let expected = ThingBinding(
            changed.id,
            vendor: "v-1",
            password: "hash",
            properties: changed.properties,
            made: 10
        ).with(changed)
        #expect(try store.bindings() == [StoredBinding(expected)])
        // What is absent again is absent in the row, too.
        try store.saveBinding(.meter(1))
        #expect(try store.bindings() == [StoredBinding(.meter(1))])
        // The state is that of the last report.
        try store.saveReports([
            BindingReport(ThingBinding.meter(1).id, state: ["temperature": 22.5], seen: nil)
        ])
        try store.saveBinding(.meter(1))
        #expect(try store.binding(ThingBinding.meter(1).id)?.binding.state == ["temperature": 22.5])
    }

    @Test func `a vendor and a thing have one binding`() throws {
        try store.saveBinding(.full(1))
        let namesake = ThingBinding(BindingID(high: 9, low: 9), vendor: "full-1", password: "x", made: 1)
        #expect(code { try store.saveBinding(namesake) } == "not_allowed")
        var rival = ThingBinding.meter(2)
        rival.thing = TestAccounts.lamp
        #expect(code { try store.saveBinding(rival) } == "not_allowed")
        #expect(try store.bindings() == [StoredBinding(.full(1))])
    }

    @Test func `ten thousand bindings are the most`() throws {
        try home.database.write { database in
            try database.execute(
                sql: """
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9999)
                    INSERT INTO binding (id, vendor, password, properties, fixed, owned, made_thing, making, route,
                        made, seen)
                    SELECT 'th.' || printf('%032d', i), 'x-' || i, '', '{}', '', 0, 0, 0, 'flare', 0, 0 FROM n
                    """
            )
        }
        #expect(code { try store.saveBinding(.meter(1)) } == nil)
        #expect(code { try store.saveBinding(.meter(2)) } == "not_allowed")
        var known = ThingBinding.meter(1)
        known.firmware = "2"
        #expect(code { try store.saveBinding(known) } == nil)
        #expect(try store.bindings().count == 10_000)
    }

    // MARK: Reports

    @Test func `a report changes the state and when the thing was heard, and nothing else`() throws {
        var full = ThingBinding.full(1)
        for binding in [full, .meter(2)] { try store.saveBinding(binding) }
        (full.state, full.seen) = (["temperature": 22.5], 500)
        try store.saveReports([BindingReport(full.id, state: full.state, seen: 500)])
        #expect(try store.bindings().map(\.binding) == [full, .meter(2)])
        // Somebody else has reported it.
        (full.state, full.stateAt) = (["temperature": 23], 400)
        try store.saveReports([BindingReport(full.id, state: full.state, at: 400, seen: nil)])
        #expect(try store.binding(full.id)?.binding == full)
        // It was only heard.
        full.seen = 600
        try store.saveReports([BindingReport(full.id, state: nil, seen: 600)])
        #expect(try store.binding(full.id)?.binding == full)
        try store.saveReports([BindingReport(BindingID(high: 1, low: 1), state: [:], seen: 1)])
        #expect(try store.bindings().map(\.binding) == [full, .meter(2)])
    }

    @Test func `reports of many things are one transaction`() throws {
        let ids = try store.addMeters(1...100)
        let begun = Locked(0)
        try home.database.read { database in
            database.trace { event in
                if event.expandedDescription.hasPrefix("BEGIN") { begun.withLock { $0 += 1 } }
            }
        }
        begun.withLock { $0 = 0 }
        try store.saveReports(
            ids.map { BindingReport($0, state: ["id": .string("\($0)")], seen: 50) }
                + [BindingReport(ids[0], state: nil, seen: 60)]
        )
        #expect(begun.withLock { $0 } == 1)
        try home.database.read { $0.trace(options: []) }
        for id in ids {
            let binding = try #require(try store.binding(id)?.binding)
            #expect(binding.state == ["id": .string("\(id)")])
            #expect(binding.seen == (id == ids[0] ? 60 : 50))
        }
    }

    // MARK: Removing

    @Test func `a removed binding takes its owners and tokens along, and nobody has it any more`() throws {
        let ids = try store.addMeters(1...2)
        var node = ThingBinding.full(1)
        (node.gateway, node.thing) = (ids[0], nil)
        try store.saveBinding(node)
        for id in ids {
            try store.addOwner(.user(home.bob), of: id)
            _ = try store.addThingToken(id, at: 3)
            try store.save(AppInstance("of-\(id)", realm: "a", site: .europe, thing: id))
        }
        try store.removeBinding(ids[0])
        node.gateway = nil
        #expect(try store.bindings().map(\.binding) == [node, .meter(2)])
        #expect(try store.bindings().last?.owners == [.user(home.bob)])
        #expect(try home.count("binding_owner") == 1 && home.count("secret") == 1)
        #expect(try store.instances().map(\.thing) == [nil, ids[1]])
        #expect(code { try store.removeBinding(ids[0]) } == nil)
        // Its vendor is free again.
        #expect(code { try store.saveBinding(.meter(1)) } == nil)
        #expect(try store.binding(ids[0])?.owners == [])
    }

    // MARK: Together

    @Test func `what is done together is stored as a whole or not at all`() throws {
        struct Stop: Error {}
        let registry = try home.registry()
        let id = ThingBinding.meter(1).id
        #expect(throws: AccountsError.self) {
            try registry.change { store in
                try store.saveBinding(.meter(1))
                try store.addOwner(.user(home.bob), of: id)
                _ = try store.addThingToken(id, at: 3)
                throw Stop()
            }
        }
        #expect(try store.bindings().isEmpty && home.count("binding_owner") == 0)
        let token = try registry.change { store in
            try store.saveBinding(.meter(1))
            try store.addOwner(.user(home.bob), of: id)
            #expect(try store.binding(id)?.owners == [.user(home.bob)])
            return try store.addThingToken(id, at: 3)
        }
        #expect(registry.thing(bringing: token.text) == id)
    }

    @Test func `the second of two onboardings at once needs the password of the first`() throws {
        let outcomes = Locked<[Int: String]>([:])
        DispatchQueue.concurrentPerform(iterations: 8) { number in
            let outcome: String
            do {
                let request = try OnboardingRequest(edge: ["password": "any"], from: "v-1")
                // Each has hashed its password before: the thing was unknown.
                outcome = try store.atomically { store in
                    let onboarded = try OnboardingRules.onboard(
                        request,
                        OnboardingRules.Known(try store.binding(ofVendor: "v-1")?.binding),
                        .isFirst(hash: "hash of \(number)"),
                        as: BindingID(high: 5, low: UInt64(number)),
                        by: .anonymous,
                        isOwnerAllowed: false,
                        at: 5
                    ).get()
                    try store.saveBinding(onboarded.binding)
                    return "first"
                }
            } catch {
                outcome = "\(error)"
            }
            outcomes.withLock { $0[number] = outcome }
        }
        let found = outcomes.withLock { $0 }
        let first = try #require(found.first { $0.value == "first" }?.key)
        #expect(found.values.count { $0 == "first" } == 1 && found.count == 8)
        #expect(found.values.count { $0.contains("password of the thing is wrong") } == 7)
        #expect(try store.bindings().map(\.binding.password) == ["hash of \(first)"])
    }

    // MARK: Rows

    @Test(
        arguments: [
            "id = 'th.1'", "vendor = 'a/b'", "vendor = '..'", "layout = 'ROUND'", "properties = '[]'",
            "properties = '{'", "interval = '2_MINUTES'", "fixed = 'thingType name'", "gateway = 'v-1'",
            "thing = 'lamp'", "route = 'away'", "state = '7'", "state = ''",
        ]
    )
    func `a damaged row is left out`(change: String) throws {
        let damaged = ThingBinding.full(1)
        for binding in [damaged, .meter(2)] { try store.saveBinding(binding) }
        try store.addOwner(.user(home.bob), of: ThingBinding.meter(2).id)
        try home.database.write { database in
            try database.execute(sql: "UPDATE binding SET \(change) WHERE vendor = 'full-1'")
            try database.execute(sql: "INSERT INTO binding_owner VALUES ('th.1', 'dog:1')")
            let id = "\(ThingBinding.meter(2).id)"
            try database.execute(sql: "INSERT INTO binding_owner VALUES (?, 'dog:1')", arguments: [id])
        }
        #expect(try store.bindings() == [StoredBinding(.meter(2), owners: [.user(home.bob)])])
        #expect(try store.binding(damaged.id) == nil && store.binding(ofVendor: damaged.vendor) == nil)
        #expect(try store.binding(ofThing: TestAccounts.lamp) == nil)
        #expect(code { try store.removeBinding(damaged.id) } == nil)
    }

    @Test(arguments: [
        ("SELECT * FROM binding WHERE thing = 'x'", "binding_thing"),
        ("SELECT * FROM binding WHERE gateway = 'x'", "binding_gateway"),
        ("SELECT * FROM installation WHERE owner = 'x'", "installation_owner"),
        ("SELECT * FROM command WHERE id = 'x'", "command_id"),
    ])
    func `look-ups read no other rows`(sql: String, index: String) throws {
        let steps = try home.database.read { database in
            try Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN \(sql)").map { $0["detail"] as String }
        }
        #expect(steps.count == 1 && steps[0].hasPrefix("SEARCH") && steps[0].contains("INDEX \(index)"))
    }

    @Test func `a command's identifier is in the log once, and rows without one are many`() throws {
        let insertion = """
            INSERT INTO command (id, at, face, speaker, kind, state, times)
            VALUES (?, 1, 'mqtt', 'nobody', 'set', 'ok', 1)
            """
        try home.database.write { database in
            for id in ["c.1", "c.2", nil, nil] {
                try database.execute(sql: insertion, arguments: [id])
            }
        }
        #expect(throws: DatabaseError.self) {
            try home.database.write { try $0.execute(sql: insertion, arguments: ["c.1"]) }
        }
        #expect(try home.count("command") == 4)
    }
}

extension ThingBinding {
    /// The same with the members of another that can change.
    fileprivate func with(_ other: ThingBinding) -> ThingBinding {
        var binding = self
        (binding.type, binding.firmware, binding.layout) = (other.type, other.firmware, other.layout)
        (binding.properties, binding.interval) = (other.properties, other.interval)
        (binding.fixed, binding.isOwned, binding.gateway) = (other.fixed, other.isOwned, other.gateway)
        (binding.thing, binding.isMade, binding.route) = (other.thing, other.isMade, other.route)
        (binding.seen, binding.wish) = (other.seen, other.wish)
        return binding
    }
}
