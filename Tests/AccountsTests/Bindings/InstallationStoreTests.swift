import Accounts
import AccountsFixture
import Bindings
import GRDB
import People
import Testing

struct InstallationStoreTests {
    private let home: TestAccounts
    private var store: AccountsStore { home.store }

    init() throws { home = try TestAccounts() }

    private func request(_ token: String, isDevelopment: Bool = false) -> Installation.Request {
        Installation.Request(token: token, device: .android, isDevelopment: isDevelopment)
    }

    @Test func `an installation is found by its identifier and its user`() throws {
        let first = try store.register(request("t-1"), newID: "i-1", owner: home.bob)
        let second = try store.register(request("t-2"), newID: "i-2", owner: home.owner)
        let third = try store.register(request("t-3"), newID: "i-3", owner: home.bob)
        #expect(first == Installation("i-1", request("t-1"), owner: home.bob))
        #expect(try store.installations() == [first, second, third])
        #expect(try store.installations(of: home.bob) == [first, third])
        #expect(try store.installation("i-2") == second && store.installation("i-4") == nil)
        #expect(try store.removeInstallation("i-1") && !store.removeInstallation("i-1"))
        #expect(try store.installations() == [second, third])
    }

    @Test func `the same token again moves the installation, another one for development is another`() throws
    {
        _ = try store.register(request("t"), newID: "i-1", owner: home.bob)
        var again = request("t")
        again = Installation.Request(token: again.token, device: .ios, isDevelopment: false)
        let moved = try store.register(again, newID: "i-2", owner: home.owner)
        #expect(moved == Installation("i-1", again, owner: home.owner))
        #expect(try store.installations() == [moved] && store.installations(of: home.bob).isEmpty)
        let development = try store.register(
            request("t", isDevelopment: true),
            newID: "i-3",
            owner: home.bob
        )
        #expect(development.id == "i-3")
        #expect(try store.installations() == [moved, development])
    }

    @Test func `who has no installation is known without a look, from the first reading on`() throws {
        _ = try store.register(request("t-1"), newID: "i-1", owner: home.bob)
        #expect(store.mayHaveInstallations(home.bob) && store.mayHaveInstallations(home.owner))
        try store.readInstallationOwners()
        #expect(store.mayHaveInstallations(home.bob) && !store.mayHaveInstallations(home.owner))
        // It moves.
        _ = try store.register(request("t-1"), newID: "i-1", owner: home.owner)
        #expect(store.mayHaveInstallations(home.owner))
    }

    @Test func `a user has fifty installations at most`() throws {
        for number in 0..<50 {
            _ = try store.register(request("t-\(number)"), newID: "i-\(number)", owner: home.bob)
        }
        _ = try store.register(request("other"), newID: "other", owner: home.owner)
        for token in ["more", "other"] {
            #expect(
                code { _ = try store.register(request(token), newID: "more", owner: home.bob) }
                    == "not_allowed"
            )
        }
        #expect(try store.installation("other")?.owner == home.owner)
        // One of their own may come again.
        #expect(code { _ = try store.register(request("t-7"), newID: "more", owner: home.bob) } == nil)
        #expect(try store.installations(of: home.bob).count == 50)
    }

    @Test func `nobody registers for a user who is gone`() throws {
        let gone = AccountID(high: 5, low: 5)
        #expect(code { _ = try store.register(request("t"), newID: "i", owner: gone) } == "unknown")
        #expect(try store.installations().isEmpty)
    }

    @Test func `the installations of a removed user go, and instances lose them`() throws {
        _ = try store.register(request("t-1"), newID: "i-1", owner: home.bob)
        let kept = try store.register(request("t-2"), newID: "i-2", owner: home.owner)
        for (tag, id, owner) in [("a", "i-1", home.bob), ("b", "i-2", home.owner)] {
            try store.save(
                AppInstance(tag, realm: "app", site: .europe, owner: .user(owner), installation: id)
            )
        }
        try store.removeUser("bob", by: .program(at: 4))
        #expect(try store.installations() == [kept])
        #expect(try store.instances().map(\.installation) == [nil, "i-2"])
        #expect(try store.instances().map(\.owner) == [nil, .user(home.owner)])
        _ = try store.removeInstallation("i-2")
        #expect(try store.instances().map(\.installation) == [nil, nil])
    }

    @Test func `a damaged row is left out, and its token can be registered again`() throws {
        try home.database.write { database in
            try database.execute(
                sql: """
                    INSERT INTO installation VALUES ('i-1', 't-1', 'WATCH', 0, '\(home.bob)');
                    INSERT INTO installation VALUES ('i-2', 't-2', 'IOS', 0, 'bob');
                    """
            )
        }
        #expect(try store.installations().isEmpty && store.installation("i-1") == nil)
        let again = try store.register(request("t-2"), newID: "i-3", owner: home.bob)
        #expect(try store.installations() == [again])
    }
}
