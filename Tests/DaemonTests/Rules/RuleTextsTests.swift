import Accounts
import Daemon
import Flare
import GRDB
import JSON
import People
import Rules
import Testing
import Things
import Threading

/// The texts of rules, which are in the database only.
@Suite(.timeLimit(.minutes(2)))
struct RuleTextsTests {
    /// Does something while the stored rules cannot be read.
    private static func withoutTable(_ home: TestRules, _ body: () async throws -> Void) async throws {
        let database = try DatabaseQueue(path: home.store.path)
        try await database.write { try $0.execute(sql: "ALTER TABLE rule RENAME TO hidden") }
        try await body()
        try await database.write { try $0.execute(sql: "ALTER TABLE hidden RENAME TO rule") }
        try database.close()
    }

    @Test func `what a rule came in as is refused while the database cannot be read`() async throws {
        try await withRules { (home, _) async throws in
            let made = await home.ask("POST", "", TestRules.simple(), as: home.bob)
            #expect(made.status == 201, "\(made.body)")
            try await Self.withoutTable(home) {
                #expect(await home.ask("GET", "simple", as: home.bob).status == 200)
                let original = await home.ask("GET", "simple", as: home.bob, query: ["original": "1"])
                #expect(original.status == 500 && original.body["error"] == "internal", "\(original)")
            }
            let original = await home.ask("GET", "simple", as: home.bob, query: ["original": "1"])
            #expect(original.body["when"]?.array?.first?["thing"] == "fan", "\(original)")
        }
    }

    @Test func `a rule whose thing is removed is refused while nobody can read its name`() async throws {
        try await withRules { (home, _) async throws in
            let made = await home.ask("POST", "", TestRules.simple(), as: home.bob)
            #expect(made.status == 201, "\(made.body)")
            home.place.withLock { $0.slugs[.init(.thing, TestRules.fan)] = nil }
            try await Self.withoutTable(home) {
                #expect(await home.ask("GET", "simple", as: home.bob).status == 500)
            }
            let shown = await home.ask("GET", "simple", as: home.bob).body
            #expect(shown["when"]?.array?.first?["thing"] == "fan", "\(shown)")
        }
    }

    @Test func `a missing recipient keeps its name while the database cannot be read`() async throws {
        try await withRules { (home, _) async throws in
            func missed() -> [[String]] {
                home.engine.changes.compactMap {
                    if case .missed(_, let recipients) = $0 { recipients } else { nil }
                }
            }
            let rule: JSONValue = [
                "title": "Tell", "when": [["on": "state", "thing": "fan", "field": "on"]],
                "then": [["notify": ["user:carol", "user:bob"]]],
            ]
            #expect(await home.ask("POST", "", rule, as: home.owner).status == 201)
            try home.accounts.change { try $0.removeUser("carol", by: .program(at: 1)) }
            await home.service.follow()
            #expect(missed() == [["user:carol"]])
            try await Self.withoutTable(home) { await home.service.follow() }
            #expect(missed() == [["user:carol"]])
        }
    }
}
