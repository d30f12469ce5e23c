import Accounts
import AccountsFixture
import Administration
import JSON
import People
import Testing
import Threading

/// The log cannot be emptied, or filled with what they please, by those whom nobody knows.
struct StrangerLogTests {
    private func refusal(_ number: Int, from source: String?, at now: Int64 = TestAdministration.start)
        -> CommandLogEntry
    {
        var entry = CommandLogEntry(
            at: now,
            interface: "mqtt",
            caller: "nobody",
            kind: "set",
            state: "refused"
        )
        (entry.code, entry.source, entry.isOfStranger) = ("unauthenticated", source, true)
        (entry.slug, entry.actions, entry.tx) = ("thing-\(number)", "{\"n\":\(number)}", "\(number)")
        return entry
    }

    private func order(_ number: Int) -> CommandLogEntry {
        var entry = CommandLogEntry(
            at: TestAdministration.start,
            interface: "mqtt",
            caller: "user:bob",
            kind: "set",
            state: "accepted"
        )
        entry.tx = "\(number)"
        return entry
    }

    @Test func `failed sign-ins of an address are one row a minute, without what was typed`() async throws {
        let desk = try TestAdministration()
        for number in 0..<12 {
            let user: JSONValue = ["user": .string("secret-word-\(number)"), "password": "short"]
            #expect(await desk.ask(.post, "session", user, as: nil).status == 401)
        }
        let rows = try desk.log()
        #expect(rows.map(\.times) == [12])
        #expect(rows.first?.kind == "sign in" && rows.first?.caller == "nobody")
        #expect(rows.first?.source == "192.0.2.1")
        #expect(!"\(rows)".contains("secret-word"))
        desk.now.withLock { $0 += 60_000 }
        for user in ["bob", "bob"] {
            _ = await desk.ask(.post, "session", ["user": .string(user), "password": "short"], as: nil)
        }
        #expect(try desk.log().map(\.target) == [nil, "bob"])
    }

    @Test func `a name that was typed is kept only if there is such a user`() async throws {
        let desk = try TestAdministration()
        for (method, path, body) in [
            (.post, "grants", ["who": "secret-word", "scope": "all", "access": "read"]),
            (.post, "shares", ["user": "secret-word", "thing": "table-lamp"]),
            (.post, "tokens", ["user": "secret-word", "name": "panel"]),
            (.patch, "users/secret-word", ["state": "off"]), (.delete, "users/secret-word", .null),
            (.put, "users/secret-word/password", ["password": "correct horse"]),
            (.post, "groups/all/members", ["members": ["secret-word"]]),
            (.delete, "groups/secret-word", .null), (.delete, "tokens/secret-word", .null),
            (.delete, "grants/secret-word", .null),
            (.post, "users", ["name": "secret-word", "group": "nobody-knows"]),
        ] as [(AccountsRequest.Method, String, JSONValue)] {
            let answer = await desk.ask(method, path, body, as: desk.owner)
            #expect((400..<500).contains(answer.status), "\(path)")
        }
        let grant: JSONValue = ["who": "bob", "scope": "all", "access": "read"]
        await desk.ask(.post, "grants", grant, as: desk.owner)
        await desk.ask(.post, "users", ["name": "eve"], as: desk.owner)
        await desk.ask(.delete, "users/eve", as: desk.owner)
        let rows = try desk.log()
        #expect(!"\(rows)".contains("secret-word"))
        #expect(rows.count == 14)
        #expect(rows.suffix(3).map(\.target) == ["bob", "eve", "eve"])
    }

    @Test func `refusals of strangers never push out what users did`() async throws {
        let desk = try TestAdministration()
        for number in 0..<9000 { desk.registry.log(order(number)) }
        // More addresses, and more refusals, than there are rows.
        for number in 0..<30_000 {
            let address = "2001:db8:\(String(number % 5000, radix: 16))::1"
            desk.registry.log(refusal(number, from: address))
        }
        try desk.registry.flush()
        #expect(desk.registry.droppedRows == 0)
        var query = LogQuery()
        (query.caller, query.limit) = ("user:bob", 10_000)
        #expect(try desk.home.store.log(query).count == 9000)
        query.caller = nil
        let strangers = try desk.home.store.log(query).filter { $0.code != nil }
        #expect(strangers.count <= 257)
        #expect(strangers.reduce(0) { $0 + $1.times } == 30_000)
        #expect(strangers.allSatisfy { $0.actions == nil && $0.slug == nil && $0.tx == nil })
    }

    @Test func `whoever makes up names pushes out no refusals of others`() throws {
        let registry = try TestAccounts().registry()
        let earlier = TestAdministration.start - 60_000
        try registry.write((0..<20).map { refusal($0, from: "192.0.2.\($0)", at: earlier) })
        for batch in 0..<20 {
            let rows = (0..<600).map { number in
                var entry = refusal(number, from: nil)
                entry.caller = "thing:m-\(batch)-\(number)"
                return entry
            }
            try registry.write(rows)
        }
        var query = LogQuery()
        query.limit = 1000
        let rows = try registry.store.log(query)
        #expect(rows.count { $0.caller == "nobody" } == 20)
        #expect(rows.count { $0.caller.hasPrefix("thing:") } == 256)
        let others = rows.filter { $0.caller == "others" }
        #expect(others.map(\.times) == [12_000 - 256] && others.first?.source == "others")
    }

    @Test func `rows of strangers have a limit of their own, and go with the days`() throws {
        var settings = AccountsRegistry.Settings()
        (settings.log.rows, settings.log.days) = (5, 1)
        let registry = try TestAccounts().registry(settings)
        let store = registry.store
        try registry.write((0..<5).map(order))
        for number in 0..<50 {
            let row = refusal(number, from: "192.0.2.\(number)", at: TestAdministration.start + Int64(number))
            try registry.write([row])
        }
        let rows = try store.log()
        #expect(rows.count { $0.caller == "user:bob" } == 5)
        #expect(rows.suffix(5).map(\.source) == (45..<50).map { "192.0.2.\($0)" })
        var later = order(1)
        later.at += 90_000_000
        try registry.write([later])
        #expect(try store.log().count == 1)
    }

    @Test func `refusals without an address are one row together, as those over the broker`() throws {
        let desk = try TestAdministration()
        for number in 0..<100 { desk.registry.log(refusal(number, from: "node/things/x\(number)/set")) }
        let rows = try desk.log()
        #expect(rows.map(\.times) == [100])
        #expect(rows.first?.source == nil)
    }

    private func refusedOrder(
        _ number: Int,
        at now: Int64 = TestAdministration.start,
        by user: String = "eve"
    )
        -> CommandLogEntry
    {
        var entry = refusal(number, from: "192.0.2.7", at: now)
        (entry.caller, entry.code, entry.isOfStranger) = ("user:\(user)", "not_allowed", false)
        return entry
    }

    @Test func `very many refusals of one user in a minute are counted`() throws {
        let desk = try TestAdministration()
        for number in 0..<30_000 { desk.registry.log(refusedOrder(number)) }
        desk.registry.log(refusedOrder(1, by: "ann"))
        desk.registry.log(refusedOrder(30_000, at: TestAdministration.start + 60_000))
        var query = LogQuery()
        query.limit = 1000
        try desk.registry.flush()
        let rows = try desk.home.store.log(query)
        #expect(desk.registry.droppedRows == 0)
        #expect(rows.count == 103)
        #expect(rows.filter { $0.caller == "user:eve" }.reduce(0) { $0 + $1.times } == 30_001)
        #expect(rows.first { $0.times > 1 }?.times == 29_900)
        #expect(rows.last?.slug == "thing-30000")
    }

    @Test func `refusals of one user never push out what others did`() throws {
        var settings = AccountsRegistry.Settings()
        settings.log.rows = 100
        let registry = try TestAccounts().registry(settings)
        let store = registry.store
        try registry.write((0..<70).map(order) + [refusedOrder(1, by: "ann")])
        // One a second: more in a minute are counted instead.
        for start in stride(from: 0, to: 1000, by: 10) {
            try registry.write(
                (start..<start + 10).map { refusedOrder($0, at: TestAdministration.start + Int64($0) * 1000) }
            )
        }
        var query = LogQuery()
        query.limit = 1000
        let rows = try store.log(query)
        #expect(rows.count { $0.caller == "user:bob" } == 70)
        #expect(rows.count { $0.caller == "user:ann" } == 1)
        #expect(rows.count <= 100 && rows.last?.slug == "thing-999")
        // What is done still pushes out the oldest.
        try registry.write((0..<200).map(order))
        #expect(try store.log(query).count == 99)
        #expect(try store.log(query).count { $0.code != nil } == 0)
    }

    @Test func `refusals of users are kept as they are`() throws {
        let desk = try TestAdministration()
        for number in 0..<3 {
            var entry = order(number)
            (entry.state, entry.code, entry.slug) = ("refused", "not_allowed", "thing-\(number)")
            desk.registry.log(entry)
        }
        #expect(try desk.log().map(\.slug) == ["thing-0", "thing-1", "thing-2"])
    }
}
