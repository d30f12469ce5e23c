import Accounts
import AccountsFixture
import GRDB
import People
import Testing
import Threading

struct CommandLogTests {
    private func entry(
        at now: Int64,
        slug: String = "table-lamp",
        code: String? = nil,
        by user: String = "bob"
    ) -> CommandLogEntry {
        var entry = CommandLogEntry(
            at: now,
            interface: "mqtt",
            caller: "user:\(user)",
            kind: "set",
            state: code == nil ? "ok" : "refused"
        )
        (entry.code, entry.slug, entry.source, entry.took) = (code, slug, "node/things/\(slug)/set", 1.5)
        return entry
    }

    @Test func `entries are stored as they are, newest last`() throws {
        let registry = try TestAccounts().registry()
        var full = entry(at: 1)
        (full.id, full.epoch, full.target, full.actions) = ("7", "e", "5f", #"{"state":"ON"}"#)
        (full.results, full.tx) = ("{}", "3")
        try registry.write([full, entry(at: 2), entry(at: 3)])
        let found = try registry.store.log()
        #expect(found.map(\.at) == [1, 2, 3] && found.map(\.seq) == [1, 2, 3])
        full.seq = 1
        #expect(found.first == full)
    }

    @Test func `a text that is empty or missing stays so after a row in which it was there`() throws {
        let registry = try TestAccounts().registry()
        var full = entry(at: 1)
        (full.id, full.target, full.actions, full.tx) = ("7", "5f", #"{"text":"größer"}"#, "3")
        var bare = CommandLogEntry(at: 2, interface: "mqtt", caller: "nobody", kind: "set", state: "ok")
        bare.source = ""
        try registry.write([full, bare])
        (full.seq, bare.seq) = (1, 2)
        #expect(try registry.store.log() == [full, bare])
    }

    @Test func `rows that an older version called obeyed are accepted`() throws {
        let accounts = try TestAccounts()
        var old = entry(at: 1)
        old.state = "obeyed"
        try accounts.registry().write([old, entry(at: 2, code: "not_allowed"), entry(at: 3)])
        try accounts.database.write { try AccountsSchema.renameAccepted($0) }
        #expect(try accounts.store.log().map(\.state) == ["accepted", "refused", "ok"])
    }

    @Test func `equal refusals within a minute are one row`() throws {
        let registry = try TestAccounts().registry()
        try registry.write([entry(at: 1000, code: "not_allowed"), entry(at: 30_000, code: "not_allowed")])
        try registry.write([entry(at: 60_999, code: "not_allowed"), entry(at: 61_000, code: "not_allowed")])
        try registry.write([
            entry(at: 61_500, code: "unknown_thing"), entry(at: 61_500, code: "not_allowed", by: "eve"),
        ])
        try registry.write([entry(at: 61_600), entry(at: 61_700)])
        #expect(try registry.store.log().map(\.times) == [3, 1, 1, 1, 1, 1])
    }

    @Test func `a row has the node that got the command, and refusals on other nodes are other rows`() throws
    {
        let registry = try TestAccounts().registry()
        let entries = ["anna", "bert", nil, "anna"].enumerated().map { time, node in
            var entry = entry(at: Int64(time), code: "not_allowed")
            entry.node = node
            return entry
        }
        try registry.write(entries)
        let found = try registry.store.log()
        #expect(found.map(\.node) == ["anna", "bert", nil] && found.map(\.times) == [2, 1, 1])
        #expect(found.allSatisfy { $0.details == nil })
    }

    @Test func `the log is asked for by thing, user and time`() throws {
        let accounts = try TestAccounts()
        let store = accounts.store
        var namesake = entry(at: 0, by: "eve")
        (namesake.kind, namesake.slug, namesake.target) = ("user add", nil, "table-lamp")
        try accounts.registry().write([
            namesake, entry(at: 1), entry(at: 2, slug: "desk"), entry(at: 3, by: "eve"), entry(at: 4),
        ])
        func times(_ change: (inout LogQuery) -> Void) throws -> [Int64] {
            var query = LogQuery()
            change(&query)
            return try store.log(query).map(\.at)
        }
        #expect(try times { $0.object = .name("table-lamp") } == [1, 3, 4])
        #expect(try times { $0.caller = "user:bob" } == [1, 2, 4])
        #expect(try times { $0.since = 3 } == [3, 4])
        #expect(try times { ($0.caller, $0.limit) = ("user:bob", 2) } == [2, 4])
        #expect(try times { $0.limit = -5 } == [])
    }

    /// Rows of a lamp, with those of others between them.
    private func rowsOfLamp() throws -> TestAccounts {
        let accounts = try TestAccounts()
        let rows = (1...9).map { (number: Int64) in
            var row = entry(
                at: number,
                code: number == 3 ? "unknown_thing" : nil,
                by: number > 6 ? "eve" : "bob"
            )
            // One was refused before the lamp was found, by its identifier; others are about something else.
            row.target = number == 3 ? nil : number % 3 == 2 ? "6a" : "5f"
            row.slug = number == 3 ? "5f" : number > 4 ? "desk-lamp" : "table-lamp"
            if number == 9 { (row.kind, row.slug) = ("user add", nil) }
            return row
        }
        try accounts.registry().write(rows)
        return accounts
    }

    @Test func `rows of an object are found by its identifier, whatever its name was`() throws {
        let store = try rowsOfLamp().store
        var query = LogQuery()
        query.object = .id("5f")
        #expect(try store.log(query).map(\.at) == [1, 3, 4, 6, 7])
        (query.since, query.limit) = (3, 3)
        #expect(try store.log(query).map(\.at) == [4, 6, 7])
        query.caller = "user:bob"
        #expect(try store.log(query).map(\.at) == [3, 4, 6])
        query.object = .id("ff")
        #expect(try store.log(query).isEmpty)
    }

    @Test func `the rows of one thing are found without reading those of others`() throws {
        let accounts = try rowsOfLamp()
        let statements = Locked<[String]>([])
        try accounts.database.read { database in
            database.trace { event in statements.withLock { $0.append(event.expandedDescription) } }
        }
        var query = LogQuery()
        query.object = .id("5f")
        _ = try accounts.store.log(query)
        query.before = 7
        _ = try accounts.store.log(query)
        try accounts.database.read { $0.trace(options: []) }
        let queries = statements.withLock { $0 }.filter { $0.hasPrefix("SELECT") }
        #expect(queries.count == 3)
        for sql in queries {
            let steps = try accounts.database.read { database in
                try Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN \(sql)").map { $0["detail"] as String }
            }
            let reads = steps.filter { $0.contains("command") }
            #expect(
                reads.count == 2 && reads.allSatisfy { $0.hasPrefix("SEARCH command USING INDEX") },
                "\(steps)"
            )
            #expect(reads.contains { $0.contains("command_target (target=? AND rowid") }, "\(steps)")
        }
    }

    @Test func `the row of a stranger is found without reading those of others`() throws {
        let accounts = try TestAccounts()
        let registry = try accounts.registry()
        let statements = Locked<[String]>([])
        try accounts.database.read { database in
            database.trace { event in statements.withLock { $0.append(event.expandedDescription) } }
        }
        var entry = CommandLogEntry(
            at: 5,
            interface: "mqtt",
            caller: "thing:g",
            kind: "set",
            state: "refused"
        )
        (entry.code, entry.isOfStranger) = ("not_allowed", true)
        try registry.write([entry])
        try accounts.database.read { $0.trace(options: []) }
        let update = try #require(statements.withLock { $0 }.first { $0.hasPrefix("UPDATE command") })
        let steps = try accounts.database.write { database in
            try Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN \(update)").map { $0["detail"] as String }
        }
        let search = "command_stranger (speaker=? AND source=? AND at>?"
        #expect(steps.contains { $0.contains(search) }, "\(steps)")
    }

    @Test(arguments: [nil, .id("5f"), .name("desk-lamp")] as [LogQuery.Object?])
    func `older rows follow by the number of the last one, each once`(object: LogQuery.Object?) throws {
        let store = try rowsOfLamp().store
        var query = LogQuery()
        query.object = object
        let all = try store.log(query)
        #expect(all.count > 3)
        query.limit = 2
        var found = try store.log(query)
        for _ in all {
            query.before = found.first?.seq
            found = try store.log(query) + found
        }
        #expect(found == all)
    }

    @Test func `refusals of strangers are not among the rows before another`() throws {
        let accounts = try TestAccounts()
        var stranger = entry(at: 2, code: "unauthenticated")
        (stranger.caller, stranger.isOfStranger) = ("nobody", true)
        try accounts.registry().write([entry(at: 1), stranger, entry(at: 3)])
        var query = LogQuery()
        #expect(try accounts.store.log(query).map(\.seq) == [1, -1, 2])
        query.before = 2
        #expect(try accounts.store.log(query).map(\.seq) == [1])
        query.before = 1
        #expect(try accounts.store.log(query).isEmpty)
    }

    @Test func `old and many rows are removed`() throws {
        var settings = AccountsRegistry.Settings()
        (settings.log.days, settings.log.rows) = (1, 5)
        let registry = try TestAccounts().registry(settings)
        let store = registry.store
        try registry.write((1...9).map { entry(at: $0) })
        #expect(try store.log().map(\.at) == [5, 6, 7, 8, 9])
        try registry.write([entry(at: 86_400_007)])
        #expect(try store.log().map(\.at) == [7, 8, 9, 86_400_007])
        settings.log.rows = 0
        registry.use(settings)
        try registry.write([entry(at: 86_400_008)])
        #expect(try store.log().isEmpty)
    }

    @Test func `what is done without signing in never pushes out what users did`() throws {
        var settings = AccountsRegistry.Settings()
        settings.log.rows = 100
        settings.unnamed = [.mqtt: "guest", .flare: "guest"]
        let registry = try TestAccounts().registry(settings)
        var signedIn = entry(at: 2, by: "guest")
        signedIn.interface = "kiosk"
        var overFlare = entry(at: 3, by: "guest")
        overFlare.interface = "flare"
        try registry.write((0..<70).map { _ in entry(at: 1) } + [signedIn, overFlare])
        for start: Int64 in stride(from: 10, to: 1000, by: 10) {
            try registry.write((start..<start + 10).map { entry(at: $0, by: "guest") })
        }
        var rows = try registry.store.log()
        #expect(rows.count { $0.caller == "user:bob" } == 70)
        #expect(rows.count { $0.interface != "mqtt" } == 2)
        #expect(rows.count <= 100 && rows.last?.at == 999)
        // Users push out the oldest, and those who do not sign in keep a quarter.
        try registry.write((0..<500).map { entry(at: 1000 + $0) })
        rows = try registry.store.log()
        #expect(rows.allSatisfy { $0.caller == "user:bob" })
    }

    @Test func `long texts are clipped`() throws {
        let registry = try TestAccounts().registry()
        var long = entry(at: 1)
        long.actions = String(repeating: "x", count: 1_000_000)
        try registry.write([long])
        #expect(try registry.store.log().first?.actions?.utf8.count == 4096)
    }
}
