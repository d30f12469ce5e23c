import Accounts
import AccountsFixture
import People
import Testing
import Threading

/// The user of callers who bring nothing.
struct UnnamedCallerTests {
    private func registry(_ home: TestAccounts, _ unnamed: [Interface: String]) throws -> AccountsRegistry {
        var settings = AccountsRegistry.Settings()
        settings.unnamed = unnamed
        return try AccountsRegistry(home.store, settings, clock: { 5 }, changed: { _ in })
    }

    @Test func `it is the user of the configuration as long as they are active`() throws {
        let home = try TestAccounts()
        let registry = try registry(home, [.mqtt: "bob", .kiosk: "eve"])
        #expect(registry.identify(.unnamed(.mqtt)) == .user(home.bob))
        for interface in [Interface.kiosk, .flare] {
            #expect(registry.identify(.unnamed(interface)) == nil)
            #expect(registry.identify(.trusted(interface)) == nil)
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

    @Test(arguments: [Interface.kiosk, .flare])
    func `whoever is only on the same machine drives and does not administer`(interface: Interface) throws {
        let home = try TestAccounts()
        let registry = try registry(home, [interface: "owner"])
        let unnamed = try #require(registry.identify(.unnamed(interface)))
        let trusted = try #require(registry.identify(.trusted(interface)))
        for (caller, administers) in [(unnamed, false), (trusted, true)] {
            func may(_ access: Access, _ object: AccessObject) -> Bool {
                registry.table.verdict(of: caller, access, on: object, at: 5).isGranted
            }
            #expect(may(.read, .everything) && may(.write, .devices))
            #expect(may(.own, .administration) == administers && may(.own, .everything) == administers)
        }
    }
}
