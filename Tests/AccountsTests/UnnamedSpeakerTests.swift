import Accounts
import AccountsFixture
import People
import Testing
import Threading

/// Who speaks at a face without a claim.
struct UnnamedSpeakerTests {
    private func registry(_ home: TestAccounts, _ unnamed: [Face: String]) throws -> AccountsRegistry {
        var settings = AccountsRegistry.Settings()
        settings.unnamed = unnamed
        return try AccountsRegistry(home.store, settings, clock: { 5 }, changed: { _ in })
    }

    @Test func `it is the user of the configuration as long as they are active`() throws {
        let home = try TestAccounts()
        let registry = try registry(home, [.mqtt: "bob", .kiosk: "eve"])
        #expect(registry.identify(.unnamed(.mqtt)) == .user(home.bob))
        for face in [Face.kiosk, .flare] {
            #expect(registry.identify(.unnamed(face)) == nil)
            #expect(registry.identify(.trusted(face)) == nil)
        }
        try registry.change { store in
            try store.setState(.off, ofUser: "bob", by: .program(at: 6))
        }
        #expect(registry.identify(.unnamed(.mqtt)) == nil)
    }

    @Test func `another configuration counts at once, and everybody who speaks is looked at again`() throws {
        let home = try TestAccounts()
        let registry = try registry(home, [.mqtt: "bob"])
        let looks = Locked(0)
        registry.onChange { looks.withLock { $0 += 1 } }
        var settings = registry.settings
        registry.use(settings)
        #expect(looks.withLock { $0 } == 0)
        settings.unnamed = [.kiosk: "bob"]
        settings.pageAddress = "https://panel.example"
        registry.servePage(at: "http://127.0.0.1:8080")
        registry.use(settings)
        #expect(looks.withLock { $0 } == 1)
        #expect(registry.identify(.unnamed(.mqtt)) == nil)
        #expect(registry.identify(.trusted(.kiosk)) == .user(home.bob))
        #expect(registry.pageAddress == "https://panel.example")
        settings.pageAddress = nil
        registry.use(settings)
        #expect(registry.pageAddress == "http://127.0.0.1:8080")
    }

    @Test(arguments: [Face.kiosk, .flare])
    func `whoever is only on the same machine drives and does not administer`(face: Face) throws {
        let home = try TestAccounts()
        let registry = try registry(home, [face: "owner"])
        let unnamed = try #require(registry.identify(.unnamed(face)))
        let trusted = try #require(registry.identify(.trusted(face)))
        for (speaker, administers) in [(unnamed, false), (trusted, true)] {
            func may(_ access: Access, _ object: AccessObject) -> Bool {
                registry.table.verdict(of: speaker, access, on: object, at: 5).isGranted
            }
            #expect(may(.read, .everything) && may(.write, .devices))
            #expect(may(.own, .administration) == administers && may(.own, .everything) == administers)
        }
    }
}
