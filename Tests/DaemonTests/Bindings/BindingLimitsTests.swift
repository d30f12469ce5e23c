import Accounts
import Bindings
import Daemon
import Foundation
import JSON
import People
import Testing

/// Who may make bindings, and how many.
@Suite(.timeLimit(.minutes(2)))
struct BindingLimitsTests {
    /// A home with so many bindings without a thing of the place.
    private func withMany(
        _ count: Int,
        of owner: KeyPath<TestBindings, AccountID>?,
        _ body: (TestBindings) async throws -> Void
    ) async throws {
        try await withBindings { home, folder in
            let user = owner.map { home[keyPath: $0] }
            try home.accounts.change { store in
                for number in 0..<count {
                    let id = BindingID(high: 9, low: UInt64(number))
                    var binding = ThingBinding(id, vendor: "m-\(number)", password: "", made: 1)
                    (binding.isOwned, binding.route) = (user != nil, .edge)
                    try store.saveBinding(binding)
                    if let user { try store.addOwner(.user(user), of: id) }
                }
            }
            home.store.close()
            let again = try await TestBindings(in: folder)
            do {
                try await body(again)
                await again.close()
            } catch {
                await again.close()
                throw error
            }
        }
    }

    @Test func `who may write nothing has no unknown thing made, but claims one that came`() async throws {
        try await withBindings { home, _ in
            #expect(try await home.onboardOwner(home.carol).code == "not_allowed")
            #expect(try home.binding() == nil)
            _ = try await home.onboardThing().get()
            #expect(try await home.onboardOwner(home.carol).code == nil)
            // A right in the place is enough, also one by a group.
            #expect(try await home.onboardOwner(home.carol, "v-2").code == "not_allowed")
            _ = try home.accounts.change { store in
                let grant = Grant(id: 0, .group(home.staff), .write, .zone(TestPlace.garden))
                return try store.addGrant(grant, by: .program(at: 1))
            }
            #expect(try await home.onboardOwner(home.carol, "v-2").code == nil)
        }
    }

    @Test func `so many things of an owner wait for a place, but of who owns everything more`() async throws {
        try await withMany(BindingService.mostOfOwner, of: \.bob) { (home) async throws in
            #expect(try await home.onboardOwner(home.bob).code == "rate_limited")
            let made = try await home.onboardOwner(home.bob, with: ["thingProperties": ["zone": "Kitchen"]])
            #expect(made.code == nil)
            #expect(await home.ask("DELETE", "/api/bindings/m-7").status == 204)
            #expect(try await home.onboardOwner(home.bob, "v-2").code == nil)
            #expect(try await home.onboardOwner(home.bob, "v-3").code == "rate_limited")
        }
        try await withMany(BindingService.mostOfOwner, of: \.owner) { (home) async throws in
            #expect(try await home.onboardOwner(home.owner).code == nil)
        }
    }

    @Test func `so many things wait for an owner, without those that are expected`() async throws {
        try await withMany(BindingService.mostUnclaimed, of: nil) { (home) async throws in
            #expect(try await home.onboardThing().code == "rate_limited")
            let expected = await home.ask("POST", "/api/bindings/expect", ["vendorThingID": "v-1"])
            let password = try #require(expected.body["thingPassword"]?.string)
            #expect(try await home.onboardThing("v-1", password).code == nil)
            #expect(try await home.onboardOwner(home.bob, "v-2").code == nil)
        }
    }
}
