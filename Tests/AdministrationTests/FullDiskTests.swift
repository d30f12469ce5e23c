import Accounts
import AccountsFixture
import Administration
import Foundation
import GRDB
import JSON
import People
import Testing
import Threading

/// What is stored counts, whatever the disk says.
struct FullDiskTests {
    /// Leaves no room for new pages, or gives it back.
    private func setFull(_ isFull: Bool, _ home: TestAccounts) throws {
        try home.database.inDatabase { database in
            let pages = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 1
            try database.execute(sql: "PRAGMA max_page_count = \(isFull ? pages : 1_000_000)")
        }
    }

    /// Rows that need new pages.
    private func fillLog(_ desk: TestAdministration) {
        for number in 0..<20 {
            var entry = CommandLogEntry(
                at: TestAdministration.start,
                interface: "mqtt",
                caller: "user:bob",
                kind: "set",
                state: "ok"
            )
            entry.actions = String(repeating: "\(number % 10)", count: 4000)
            desk.registry.log(entry)
        }
    }

    @Test func `a removed right ends although the log cannot be written`() async throws {
        let desk = try TestAdministration()
        let id = try await desk.grant("thing:table-lamp", "write")
        fillLog(desk)
        try setFull(true, desk.home)
        #expect(await desk.ask(.delete, "grants/\(id)").status == 204)
        let object = AccessObject.thing(TestAccounts.lamp, zone: nil, environment: nil)
        func mayWrite() -> Bool {
            desk.registry.table.verdict(of: desk.bob, .write, on: object, at: TestAdministration.start)
                .isGranted
        }
        #expect(!mayWrite())
        try setFull(false, desk.home)
        #expect(!mayWrite())
        // The rows of the log waited.
        #expect(try desk.log().count { $0.kind == "set" } == 20)
    }

    @Test(.timeLimit(.minutes(1))) func `the log is written, and said to be, soon after there is room again`()
        async throws
    {
        let desk = try TestAdministration()
        let (reports, report) = AsyncStream.makeStream(of: Bool.self)
        let running = Task { [registry = desk.registry] in
            await registry.run { report.yield($0 == nil) }
        }
        defer { running.cancel() }
        var states = reports.makeAsyncIterator()
        try setFull(true, desk.home)
        fillLog(desk)
        #expect(await states.next() == false)
        try setFull(false, desk.home)
        let start = ContinuousClock.now
        #expect(await states.next() == true)
        #expect(ContinuousClock.now - start < .seconds(20))
        #expect(try desk.log().count { $0.kind == "set" } == 20)
    }

    @Test func `removed tokens and sessions end although the log cannot be written`() async throws {
        let desk = try TestAdministration()
        let added = await desk.ask(.post, "tokens", ["name": "panel"], as: desk.bob)
        let token = try #require(added.body?["token"]?.string)
        let (session, record) = try desk.registry.change { store in
            try store.addSession(
                of: desk.home.bob,
                name: "",
                until: TestAdministration.start + 1000,
                at: TestAdministration.start
            )
        }
        fillLog(desk)
        try setFull(true, desk.home)
        let id = try #require(added.body?["id"]?.string)
        #expect(await desk.ask(.delete, "tokens/\(id)", as: desk.bob).status == 204)
        #expect(desk.registry.identify(.token(token)) == nil)
        #expect(desk.registry.identify(.session(session.text)) != nil)
        #expect(await desk.ask(.get, "sessions", as: desk.bob).texts("id") == [record.id])
        #expect(await desk.ask(.delete, "sessions/\(record.id)", as: desk.bob).status == 204)
        #expect(desk.registry.identify(.session(session.text)) == nil)
        #expect(await desk.ask(.get, "log", as: desk.owner).status == 200)
    }

    @Test func `what does not fit is answered with 503, and nothing of it happened`() async throws {
        let desk = try TestAdministration()
        try setFull(true, desk.home)
        let long = JSONValue.string(String(repeating: "x", count: 120))
        var statuses: [Int] = []
        for number in 0..<200 {
            let user: JSONValue = ["name": .string("user-\(number)"), "display": long]
            statuses.append(await desk.ask(.post, "users", user).status)
        }
        #expect(Set(statuses).isSubset(of: [201, 503]) && statuses.last == 503)
        #expect(desk.registry.table == (try desk.home.store.table()))
        #expect(desk.registry.table.users.count == 2 + statuses.count { $0 == 201 })
        try setFull(false, desk.home)
        #expect(await desk.ask(.post, "users", ["name": "eve"]).status == 201)
    }

    @Test func `of a change in several steps all happens, or nothing`() async throws {
        let desk = try TestAdministration()
        let change: JSONValue = ["display": "Owner of all", "state": "off"]
        #expect(await desk.ask(.patch, "users/owner", change).status == 403)
        #expect(try desk.home.store.users().map(\.display) == ["", ""])
    }

    @Test func `what another program changes counts at the next request`() async throws {
        try await withFolderAsync { folder in
            let path = folder.appending(path: "trilateral.db").path(percentEncoded: false)
            let desk = try TestAdministration(path: path)
            _ = await desk.ask(.get, "me", as: desk.bob)
            let other = AccountsStore(try TestAccounts.open(path))
            try other.setState(.off, ofUser: "bob", by: .program(at: 5))
            _ = await desk.ask(.get, "me", as: desk.bob)
            #expect(desk.registry.table.user(named: "bob")?.state == .off)
        }
    }

    @Test func `uses that could not be written keep a session alive`() throws {
        let home = try TestAccounts()
        let (session, _) = try home.store.addSession(of: home.bob, name: "", until: 1000, at: 3)
        var index = SecretIndex(try home.store.secrets(at: 4), sessionLifetime: 1000)
        _ = index.use(session, at: 500)
        index = SecretIndex(try home.store.secrets(at: 500), sessionLifetime: 1000, replacing: index)
        #expect(index.use(session, at: 1200) != nil)
        #expect(index.takeUses().count == 1)
    }
}
