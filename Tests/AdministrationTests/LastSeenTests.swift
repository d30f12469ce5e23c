import Accounts
import AccountsFixture
import Administration
import GRDB
import People
import Testing
import Threading

/// When users were last identified.
struct LastSeenTests {
    /// What the store has, after everything that waits is written.
    private static func seen(_ desk: TestAdministration) throws -> Int64? {
        try desk.registry.flush()
        return try desk.home.database.read {
            try Int64.fetchOne($0, sql: "SELECT seen FROM user WHERE name = 'bob'")
        }
    }

    @Test func `it is written at once, and then once a minute`() throws {
        let desk = try TestAdministration()
        func speak(at time: Int64) {
            desk.now.withLock { $0 = time }
            #expect(desk.registry.identify(.vouched("bob")) == .user(desk.home.bob))
        }
        speak(at: TestAdministration.start)
        #expect(try Self.seen(desk) == TestAdministration.start)
        speak(at: TestAdministration.start + 59_999)
        #expect(try Self.seen(desk) == TestAdministration.start)
        speak(at: TestAdministration.start + 60_000)
        #expect(try Self.seen(desk) == TestAdministration.start + 60_000)
    }
}
