import Accounts
import People
import Testing

/// Who speaks at a face without a claim.
struct UnnamedSpeakerTests {
    @Test func `it is the user of the configuration as long as they are active`() throws {
        let home = try Home()
        var settings = AccountsRegistry.Settings()
        settings.unnamed = [.mqtt: "bob", .kiosk: "eve"]
        let registry = try AccountsRegistry(home.store, settings, clock: { 5 }, changed: { _ in })
        #expect(registry.identify(.unnamed(.mqtt)) == .user(home.bob))
        for face in [Face.kiosk, .flare] { #expect(registry.identify(.unnamed(face)) == nil) }
        try registry.change { store throws(AccountsError) in
            try store.setState(.off, ofUser: "bob", by: .program, at: 6)
        }
        #expect(registry.identify(.unnamed(.mqtt)) == nil)
    }
}
