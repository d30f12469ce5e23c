import Accounts
import Bindings
import Controller
import Daemon
import Flare
import JSON
import People
import Testing
import Threading

/// Which thing of the place a claimed thing becomes, when others own things there and when it has waited.
@Suite(.timeLimit(.minutes(2)))
struct BindingClaimTests {
    private static let lamp = TestPlace.thing(1, "Lamp", ["vendorThingID": "v-1", "on": true])

    private static func server(_ things: FlareThing...) -> TestPlace.Server {
        var server = TestPlace.Server.withKitchen
        server.things = things
        return server
    }

    private func give(
        _ user: AccountID,
        _ scope: Scope,
        _ access: Access = .own,
        from start: Int64? = nil,
        until end: Int64? = nil,
        in home: TestBindings
    ) throws {
        let grant = Grant(id: 0, .user(user), access, scope, starts: start, ends: end)
        _ = try home.accounts.change { store in try store.addGrant(grant, by: .program(at: 1)) }
    }

    private func claim(_ home: TestBindings, _ others: JSONObject = [:]) async -> (
        status: Int, body: JSONValue
    ) {
        let members: JSONObject = [
            "vendorThingID": "v-1", "thingPassword": .string(TestBindings.password), "owner": "owner",
        ]
        return await home.ask("POST", "/api/bindings/onboard", .object(members.merging(others) { $1 }))
    }

    // MARK: Things of others

    @Test(arguments: [BindingClaimTests.lamp, TestPlace.thing(1, "v-1"), TestPlace.thing(1, "V 1")])
    func `a thing that somebody else owns is linked only if it is named`(thing: FlareThing) async throws {
        try await withBindings(server: Self.server(thing)) { (home, _) async throws in
            try give(home.bob, .thing(thing.id), in: home)
            #expect(try await home.onboardOwner(home.owner).code == "invalid_value")
            let refused = await claim(home)
            #expect(refused.status == 400)
            #expect(refused.body["message"]?.string?.contains("name the thing") == true)
            #expect(try home.binding() == nil)
            #expect(await claim(home, ["thing": .string("\(thing.id)")]).status == 200)
            #expect(try home.binding()?.binding.thing == thing.id)
        }
    }

    @Test func `beside a thing that somebody else owns, a new one is made in the zone that is named`()
        async throws
    {
        try await withBindings(server: Self.server(Self.lamp)) { (home, _) async throws in
            try give(home.bob, .thing(Self.lamp.id), in: home)
            #expect(await claim(home, ["zone": "Kitchen"]).status == 200)
            let binding = try #require(try home.binding()).binding
            #expect(binding.isMade && binding.thing != nil && binding.thing != Self.lamp.id)
        }
    }

    @Test(
        arguments: [
            [TestPlace.thing(1, "v-1"), TestPlace.thing(2, "v-1")],
            [BindingClaimTests.lamp, TestPlace.thing(2, "Other", ["vendorThingID": "v-1"])],
        ]
    )
    func `several things that are called so stop no claim that names a zone`(things: [FlareThing])
        async throws
    {
        var server = TestPlace.Server.withKitchen
        server.things = things
        try await withBindings(server: server) { (home, _) async throws in
            let refused = await claim(home)
            #expect(refused.status == 400)
            #expect(refused.body["message"]?.string?.contains("the zone for a new one") == true)
            #expect(await claim(home, ["zone": "Kitchen"]).status == 200)
            let binding = try #require(try home.binding()).binding
            #expect(binding.isMade && binding.thing != nil)
            #expect(things.allSatisfy { $0.id != binding.thing })
        }
    }

    @Test func `a thing that the caller does not own stops no claim that names a zone`() async throws {
        try await withBindings(server: Self.server(Self.lamp)) { (home, _) async throws in
            #expect(try await home.onboardOwner(home.bob).code == "not_allowed")
            let zone: JSONObject = ["thingProperties": ["zone": "Kitchen"]]
            #expect(try await home.onboardOwner(home.bob, with: zone).code == nil)
            let binding = try #require(try home.binding()).binding
            #expect(binding.isMade && binding.thing != nil && binding.thing != Self.lamp.id)
        }
    }

    @Test func `what others own by its zone, from later on or by a group is theirs, too`() async throws {
        try await withBindings(server: Self.server(Self.lamp)) { (home, _) async throws in
            let now = home.now.withLock { $0 }
            try give(home.bob, .zone(TestPlace.kitchen), from: now + 1000, in: home)
            #expect(try await home.onboardOwner(home.owner).code == "invalid_value")
        }
        try await withBindings(server: Self.server(Self.lamp)) { (home, _) async throws in
            _ = try home.accounts.change { store in
                let grant = Grant(id: 0, .group(home.staff), .own, .thing(Self.lamp.id))
                return try store.addGrant(grant, by: .program(at: 1))
            }
            #expect(try await home.onboardOwner(home.owner).code == "invalid_value")
            // Who is to own it is nobody else.
            #expect(try await home.onboardOwner(home.owner, owner: "group:staff").code == nil)
            #expect(try home.binding()?.binding.thing == Self.lamp.id)
        }
    }

    @Test func `who owns everything, owned it once, or may only write, is no other owner`() async throws {
        try await withBindings(server: Self.server(Self.lamp)) { (home, _) async throws in
            try give(home.owner, .thing(Self.lamp.id), in: home)
            try give(home.bob, .thing(Self.lamp.id), until: 10, in: home)
            try give(home.carol, .thing(Self.lamp.id), .write, in: home)
            #expect(await claim(home).status == 200)
            #expect(try home.binding()?.binding.thing == Self.lamp.id)
        }
    }

    @Test func `a binding that waits takes no thing that somebody else owns`() async throws {
        try await withBindings { home, _ in
            _ = try await home.onboardOwner(home.owner).get()
            try give(home.bob, .thing(Self.lamp.id), in: home)
            await home.place.change { $0.things = [Self.lamp] }
            await home.service.followPlace()
            #expect(try home.binding()?.binding.thing == nil)
            #expect(await claim(home, ["thing": "lamp"]).status == 200)
            #expect(try home.binding()?.binding.thing == Self.lamp.id)
        }
    }

    // MARK: Which one

    @Test func `a thing is found by its short name, and two that are called so are refused`() async throws {
        let table = TestPlace.thing(1, "Table lamp")
        let other = TestPlace.thing(2, "table-lamp")
        let name: JSONObject = ["vendorThingID": "table-lamp"]
        try await withBindings(server: Self.server(table)) { (home, _) async throws in
            let answer = await claim(home, name)
            #expect(answer.status == 200 && answer.body["thing"] == "table-lamp")
            #expect(try home.binding("table-lamp")?.binding.thing == table.id)
        }
        try await withBindings(server: Self.server(table, other)) { (home, _) async throws in
            #expect(await claim(home, name).status == 400)
        }
    }

    @Test func `a name in the form of a thingID is refused`() async throws {
        try await withBindings { (home, _) async throws in
            let name: JSONObject = ["vendorThingID": "th.00000000000000000000000000000001"]
            #expect(await claim(home, name).status == 400)
            let expected = await home.ask("POST", "/api/bindings/expect", .object(name))
            #expect(expected.status == 400)
            #expect(home.service.directory.count == 0)
        }
    }

    // MARK: What the thing itself has named

    @Test(arguments: ["decoy", "nothing"])
    func `what the thing itself has named is no thing that its owner names`(name: String) async throws {
        let decoy = TestPlace.thing(1, "Decoy")
        try await withBindings(server: Self.server(decoy)) { (home, _) async throws in
            let properties: JSONObject = ["thing": .string(name)]
            _ = try await home.onboardThing(with: ["thingProperties": .object(properties)]).get()
            let waiting = await claim(home)
            #expect(waiting.status == 200 && waiting.body["thing"] == JSONValue.null)
            await home.service.followPlace()
            #expect(try home.binding()?.binding.thing == nil)
            #expect(await claim(home, ["zone": "Kitchen"]).status == 200)
            let binding = try #require(try home.binding()).binding
            #expect(binding.isMade && binding.thing != nil && binding.thing != decoy.id)
        }
    }

    @Test func `what the first owner names counts, also beside properties that are fixed`() async throws {
        try await withBindings(server: Self.server(TestPlace.thing(1, "Meter"))) { (home, _) async throws in
            _ = try await home.onboardThing(with: ["thingProperties": ["zone": "Cellar"]]).get()
            let claimed = await claim(home, ["thingProperties": ["thing": "meter"]])
            #expect(claimed.status == 200 && claimed.body["thing"] == "meter")
            #expect(claimed.body["ignored"] == ["thingProperties"])
        }
    }

    @Test func `a zone that others named for the thing counts only if its owner owns that`() async throws {
        try await withBindings { (home, _) async throws in
            for vendor in ["v-1", "v-2"] {
                let zone: JSONObject = ["thingProperties": ["zone": "Kitchen"]]
                _ = try await home.onboardThing(vendor, with: zone).get()
            }
            _ = try await home.onboardOwner(home.bob, "v-1").get()
            #expect(try home.binding("v-1")?.binding.thing == nil)
            _ = try await home.onboardOwner(home.owner, "v-2").get()
            #expect(try home.binding("v-2")?.binding.isMade == true)
        }
    }

    @Test func `while the place is not known, what the owner has asked for is kept`() async throws {
        let (decoy, lamp) = (TestPlace.thing(1, "Decoy"), TestPlace.thing(2, "Lamp"))
        var server = Self.server(decoy, lamp)
        server.isUnread = true
        try await withBindings(server: server) { (home, folder) async throws in
            let wishes: [(String, JSONObject)] = [
                ("v-1", ["thing": "lamp"]), ("v-2", ["thingProperties": ["zone": "Kitchen"]]),
            ]
            for (vendor, wish) in wishes {
                _ = try await home.onboardThing(vendor, with: ["thingProperties": ["thing": "decoy"]]).get()
                let name: JSONObject = ["vendorThingID": .string(vendor)]
                let claimed = await claim(home, wish.merging(name) { $1 })
                #expect(claimed.status == 200 && claimed.body["thing"] == JSONValue.null)
            }
            home.store.close()
            let again = try await TestBindings(in: folder, server: Self.server(decoy, lamp))
            defer { again.store.close() }
            await again.service.followPlace()
            #expect(try again.binding("v-1")?.binding.thing == lamp.id)
            let made = try #require(try again.binding("v-2")).binding
            #expect(made.isMade && made.thing != nil && made.thing != decoy.id && made.wish.isEmpty)
        }
    }

    // MARK: A later onboarding

    @Test func `an owner gives a thing that waits its place later`() async throws {
        try await withBindings { (home, _) async throws in
            let first = await claim(home)
            #expect(first.status == 200 && first.body["thing"] == JSONValue.null)
            let refused = try await home.give([["on": true]])
            #expect(refused.code == "unknown_thing")
            if case .failure(let error) = refused { #expect(error.message.contains("--zone")) }
            #expect(await claim(home, ["zone": "Cellar"]).status == 400)
            let placed = await claim(home, ["zone": "Kitchen"])
            #expect(placed.status == 200 && placed.body["thing"] == "v-1")
            #expect(placed.body["ignored"] == nil)
            // It has its place now.
            let again = await claim(home, ["thing": "v-1", "zone": "Kitchen"])
            #expect(again.status == 200 && again.body["ignored"] == ["zone"])
            #expect(home.place.things.count == 1)
        }
    }

    @Test func `who does not own the thing gives it no place`() async throws {
        try await withBindings { (home, _) async throws in
            #expect(await claim(home).status == 200)
            let body: JSONValue = [
                "vendorThingID": "v-1", "thingPassword": .string(TestBindings.password), "zone": "Kitchen",
            ]
            let answer = await home.ask("POST", "/api/bindings/onboard", body, as: home.bob)
            #expect(answer.status == 200 && answer.body["ignored"] == ["zone"])
            #expect(try home.binding()?.binding.thing == nil)
            // An owner does, by the rights of a first one.
            #expect(await home.ask("POST", "/api/bindings/onboard", body, as: home.bob).status == 200)
            #expect(try home.binding()?.binding.thing != nil)
        }
    }

    // MARK: What it has reported

    @Test func `what a thing has reported before it was claimed is its data at once`() async throws {
        try await withBindings { (home, _) async throws in
            let thing = try await home.onboardThing().get().thing
            let state: JSONObject = ["on": false, "brightness": 0.2, "temperature": 21, "thingID": "x"]
            let upload = try StateUpload(state: JSONValue.object(state).bytes, at: home.now.withLock { $0 })
            #expect(await home.service.report(upload, of: thing, isRetained: false) == nil)
            #expect(await claim(home, ["zone": "Kitchen"]).status == 200)
            let made = try #require(home.place.things.first)
            #expect(
                made.data == [
                    "on": false, "brightness": 0.2, "temperature": 21, "readonly": ["temperature"],
                    "vendorThingID": "v-1", "thingID": .string("\(thing)"),
                ]
            )
        }
    }

    @Test func `what a linked thing at the edge has reported goes to its data at once`() async throws {
        let lamp = TestPlace.thing(1, "v-1", ["on": true])
        try await withBindings(server: Self.server(lamp)) { (home, _) async throws in
            let thing = try await home.onboardThing().get().thing
            let state: JSONValue = ["on": false]
            let upload = try StateUpload(state: state.bytes, at: home.now.withLock { $0 })
            #expect(await home.service.report(upload, of: thing, isRetained: false) == nil)
            #expect(await claim(home).status == 200)
            #expect(home.sent.withLock { $0 }.contains(.reported(lamp.id, ["on": false])))
        }
    }
}
