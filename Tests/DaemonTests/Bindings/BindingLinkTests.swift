import Accounts
import Bindings
import Daemon
import Flare
import Foundation
import JSON
import People
import Testing
import Threading

/// Links between bindings and things of the place.
@Suite(.timeLimit(.minutes(2)))
struct BindingLinkTests {
    private static func server(_ things: FlareThing...) -> TestPlace.Server {
        var server = TestPlace.Server.withKitchen
        server.things = things
        return server
    }

    private static func marked(_ number: UInt32, _ name: String) -> FlareThing {
        TestPlace.thing(number, name, ["vendorThingID": "v-1"])
    }

    /// The number of the thing that the owner of everything links by an onboarding.
    private func linked(
        _ things: [FlareThing],
        _ properties: JSONObject = [:]
    ) async throws -> (code: String?, thing: FlareID?) {
        var found: (String?, FlareID?) = (nil, nil)
        var server = TestPlace.Server.withKitchen
        server.things = things
        try await withBindings(server: server) { home, _ in
            let members: JSONObject = ["thingProperties": .object(properties)]
            let result = try await home.onboardOwner(home.owner, with: members)
            found = (result.code, try home.binding()?.binding.thing)
        }
        return found
    }

    @Test func `the thing that is named is linked, else that with the vendor's name, else that of the name`()
        async throws
    {
        let named = TestPlace.thing(1, "Meter")
        let marked = Self.marked(2, "Counter")
        let called = TestPlace.thing(3, "v-1")
        let all = [named, marked, called]
        #expect(try await linked(all, ["thing": .string("\(named.id)")]).thing == named.id)
        #expect(try await linked(all, ["thing": "meter"]).thing == named.id)
        #expect(try await linked(all).thing == marked.id)
        #expect(try await linked([named, called]).thing == called.id)
        let other = try await linked([named])
        #expect(other.code == nil)
        #expect(other.thing == nil)
    }

    @Test func `what does not say which thing or zone it means is refused, and not kept`() async throws {
        let two = [TestPlace.thing(1, "v-1"), TestPlace.thing(2, "v-1")]
        #expect(try await linked(two).code == "invalid_value")
        #expect(try await linked([Self.marked(1, "A"), Self.marked(2, "B")]).code == "invalid_value")
        #expect(try await linked([], ["thing": "nothing"]).code == "unknown_thing")
        #expect(try await linked([], ["zone": "Cellar"]).code == "invalid_value")
    }

    @Test func `a thing is made in the zone that is named, for who may write there`() async throws {
        try await withBindings { home, _ in
            let zone: JSONObject = ["thingProperties": ["zone": "Kitchen"]]
            _ = try await home.onboardThing(with: ["thingProperties": ["name": "Water meter"]]).get()
            // What she may not see is not there for her.
            #expect(try await home.onboardOwner(home.carol, with: zone).code == "invalid_value")
            _ = try home.accounts.change { store in
                let grant = Grant(id: 0, .user(home.carol), .read, .zone(TestPlace.kitchen))
                return try store.addGrant(grant, by: .program(at: 1))
            }
            #expect(try await home.onboardOwner(home.carol, with: zone).code == "not_allowed")
            #expect(home.place.things.isEmpty)
            let answer = try await home.onboardOwner(home.bob, with: zone).get()
            let thing = try #require(home.place.things.first)
            #expect(thing.name == "Water meter" && thing.zone == TestPlace.kitchen)
            #expect(thing.data["vendorThingID"] == "v-1")
            let binding = try #require(try home.binding()).binding
            #expect(binding.thing == thing.id && binding.isMade && binding.route == .edge)
            let own = Grant(id: 1, .user(home.bob), .own, .thing(thing.id))
            #expect(
                home.accounts.table.grants.contains {
                    ($0.grantee, $0.scope, $0.access) == (own.grantee, own.scope, own.access)
                }
            )
            #expect(home.service.directory.entry(ofThing: thing.id)?.id == answer.thing)
        }
    }

    @Test func `a thing that is there is linked by who owns it alone`() async throws {
        try await withBindings(server: Self.server(Self.marked(1, "Meter"))) { (home, _) async throws in
            #expect(try await home.onboardOwner(home.bob).code == "not_allowed")
            #expect(try home.binding() == nil)
            #expect(try await home.onboardOwner(home.owner).code == nil)
            let binding = try #require(try home.binding()).binding
            #expect(binding.thing == Self.marked(1, "").id && !binding.isMade && binding.route == .flare)
        }
    }

    @Test func `what a caller may not see is not there for them`() async throws {
        try await withBindings(server: Self.server(Self.marked(1, "Meter"))) { (home, _) async throws in
            let members: JSONObject = ["thingProperties": ["thing": "meter"]]
            try home.letWrite(home.carol)
            #expect(try await home.onboardOwner(home.carol, with: members).code == "unknown_thing")
            // Without a name nothing is found, and it waits.
            #expect(try await home.onboardOwner(home.carol, "v-1").code == nil)
            #expect(try home.binding()?.binding.thing == nil)
        }
    }

    @Test(arguments: ["user:owner", "group:staff"])
    func `nobody gets a thing that waits for its link by making somebody else an owner`(other: String)
        async throws
    {
        let meter = Self.marked(1, "Meter")
        try await withBindings(server: Self.server(meter)) { home, _ in
            try home.accounts.change { store in
                try store.change("staff", .users(["owner"]), joins: true, by: .program(at: 1))
            }
            // She does not see it, so that her binding waits.
            try home.letWrite(home.carol)
            #expect(try await home.onboardOwner(home.carol).code == nil)
            #expect(try await home.onboardOwner(home.carol, owner: other).code == nil)
            await home.service.followPlace()
            #expect(try home.binding()?.binding.thing == nil)
            #expect(try await home.onboardOwner(home.owner).code == nil)
            for owner in ["carol", "group:staff"] {
                _ = await home.ask("DELETE", "/api/bindings/v-1/owners/\(owner)")
            }
            await home.service.followPlace()
            #expect(try home.binding()?.binding.thing == meter.id)
        }
    }

    @Test func `a binding waits for its thing`() async throws {
        try await withBindings { home, _ in
            let answer = try await home.onboardOwner(home.owner).get()
            #expect(home.service.directory.waiting == [answer.thing])
            let meter = Self.marked(1, "Meter")
            await home.place.change { $0.things = [meter] }
            await home.service.followPlace()
            #expect(try home.binding()?.binding.thing == meter.id)
            #expect(home.service.directory.waiting.isEmpty)
        }
    }

    @Test func `of many that wait some are looked at in a turn, and all in the end`() async throws {
        try await withBindings { home, folder in
            let numbers = 1...UInt32(150)
            try home.accounts.change { store in
                for number in numbers {
                    let id = BindingID(high: 9, low: UInt64(number))
                    var binding = ThingBinding(id, vendor: "m-\(number)", password: "", made: 1)
                    binding.isOwned = true
                    try store.saveBinding(binding)
                    try store.addOwner(.user(home.owner), of: id)
                }
            }
            home.store.close()
            var server = TestPlace.Server.withKitchen
            server.things = numbers.map { TestPlace.thing($0, "m-\($0)") }
            let again = try await TestBindings(in: folder, server: server)
            defer { again.store.close() }
            for linked in [100, 150] {
                await again.service.followPlace()
                #expect(again.service.directory.things.count == linked)
            }
        }
    }

    @Test func `a thing that is removed gives its owners back, and is not made again`() async throws {
        try await withBindings { home, _ in
            _ = try await home.onboardOwner(home.bob, with: ["thingProperties": ["zone": "Kitchen"]]).get()
            #expect(home.place.things.count == 1)
            await home.place.change { $0.things = [] }
            await home.service.followPlace()
            let stored = try #require(try home.binding())
            #expect(stored.binding.thing == nil && stored.owners == [.user(home.bob)])
            await home.service.followPlace()
            #expect(home.place.things.isEmpty)
        }
    }

    @Test func `after the thing that was made for it, a binding takes one that comes, and leaves it there`()
        async throws
    {
        try await withBindings { home, _ in
            let members: JSONObject = ["thingProperties": ["zone": "Kitchen"]]
            let answer = try await home.onboardOwner(home.owner, with: members).get()
            #expect(try home.binding()?.binding.isMade == true)
            await home.place.change { $0.things = [] }
            await home.service.followPlace()
            let meter = Self.marked(1, "Meter")
            await home.place.change { $0.things = [meter] }
            await home.service.followPlace()
            let binding = try #require(try home.binding()).binding
            #expect(binding.thing == meter.id && !binding.isMade)
            #expect(await home.ask("DELETE", "/api/bindings/\(answer.thing)").status == 204)
            #expect(home.place.things.map(\.name) == ["Meter"])
        }
    }

    @Test func `a binding without the thing that was made for it is forgotten`() async throws {
        try await withBindings { home, _ in
            let members: JSONObject = ["thingProperties": ["zone": "Kitchen"]]
            let answer = try await home.onboardOwner(home.bob, with: members).get()
            await home.place.change { $0.things = [] }
            await home.service.followPlace()
            #expect(await home.ask("DELETE", "/api/bindings/\(answer.thing)").status == 204)
            #expect(try home.store.accounts.bindings().isEmpty)
        }
    }

    @Test func `a made thing is found again after a restart, and no second one is made`() async throws {
        var server = TestPlace.Server.withKitchen
        server.isSilent = true
        try await withBindings(server: server) { home, folder in
            let members: JSONObject = ["thingProperties": ["zone": "Kitchen"]]
            _ = try await home.onboardOwner(home.bob, with: members).get()
            #expect(try home.binding()?.binding.thing == nil)
            var server = home.place.server.withLock { $0 }
            server.isSilent = false
            #expect(server.things.count == 1)
            home.store.close()
            let again = try await TestBindings(in: folder, server: server)
            defer { again.store.close() }
            await again.service.followPlace()
            let binding = try #require(try again.binding()).binding
            #expect(binding.thing == server.things.first?.id && binding.isMade && binding.route == .edge)
            #expect(again.place.things.count == 1)
        }
    }

    @Test func `a thing has one binding`() async throws {
        let meter = TestPlace.thing(1, "Meter")
        try await withBindings(server: Self.server(meter)) { (home, _) async throws in
            let members: JSONObject = ["thingProperties": ["thing": "meter"]]
            #expect(try await home.onboardOwner(home.owner, with: members).code == nil)
            #expect(try await home.onboardOwner(home.owner, "v-2", with: members).code == "invalid_value")
        }
    }

    @Test func `a made thing goes with its binding, and a linked one stays`() async throws {
        try await withBindings(server: Self.server(Self.marked(1, "Meter"))) { home, _ in
            let linked = try await home.onboardOwner(home.owner).get()
            let zone: JSONObject = ["thingProperties": ["zone": "Kitchen"]]
            let made = try await home.onboardOwner(home.owner, "v-2", with: zone).get()
            #expect(home.place.things.count == 2)
            for answer in [linked, made] {
                #expect(await home.ask("DELETE", "/api/bindings/\(answer.thing)").status == 204)
                #expect(home.accounts.thing(bringing: answer.token ?? "") == nil)
            }
            #expect(home.place.things.map(\.name) == ["Meter"])
            #expect(try home.store.accounts.bindings().isEmpty)
            #expect(home.service.directory.count == 0)
        }
    }
}
