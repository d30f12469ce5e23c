import Accounts
import Daemon
import JSON
import People
import Rules
import Testing

/// What the page of rules asks for: lists with all that rules say, and tests of rules that are not stored.
@Suite(.timeLimit(.minutes(2)))
struct RuleListTests {
    private static let daily: JSONValue = [
        "title": "Daily", "when": [["on": "schedule", "startTimeEachDay": "07:00:00"]],
        "then": [["set": ["on": true], "target": "thing:fan"]],
    ]

    @Test func `a list with details has what each rule says, but only its next time`() async throws {
        try await withRules { (home, _) async throws in
            #expect(await home.ask("POST", "", Self.daily, as: home.owner).status == 201)
            #expect(await home.ask("POST", "", TestRules.simple(), as: home.owner).status == 201)
            let rows = await home.ask("GET", "", as: home.owner, query: ["details": "1"]).body["rules"]?.array
            let daily = try #require(rows?.first)
            #expect(daily["then"]?.array?.first?["target"] == "thing:fan")
            var alone = try #require(await home.ask("GET", "daily", as: home.owner).body.object)
            let times = try #require(alone["next"]?.array)
            #expect(times.count == 5)
            alone["next"] = .array(Array(times.prefix(1)))
            #expect(daily.object == alone)
            let simple = try #require(rows?.last)
            #expect(simple["next"]?.array == [] && simple["when"]?.array?.first?["thing"] == "fan")
            // Without, there is the next time only.
            let short = await home.ask("GET", "", as: home.owner).body["rules"]?.array?.first
            #expect(short?["next"]?.string == daily["next"]?.array?.first?.string)
            #expect(short?["when"] == nil)
        }
    }

    @Test func `a list shows so many rules whole as a page can bear, and the others as rows`() async throws {
        try await withRules { (home, _) async throws in
            let step: JSONValue = ["publish": .string(String(repeating: "x", count: 4_000))]
            let steps = [JSONValue](repeating: step, count: 12)
            let rule: JSONValue = [
                "title": "Long", "when": [["on": "cron", "cron": "0 7 * * *"]], "then": .array(steps),
            ]
            for _ in 0..<30 {
                #expect(await home.ask("POST", "", rule, as: home.owner).status == 201)
            }
            let rows = await home.ask("GET", "", as: home.owner, query: ["details": "1"]).body["rules"]?.array
            let whole = (rows ?? []).filter { $0["when"] != nil }
            #expect(rows?.count == 30 && (10..<30).contains(whole.count), "\(whole.count)")
            #expect(rows?.last?["sentence"] != nil && rows?.last?["next"]?.string != nil)
        }
    }

    @Test func `a rule without a title is called by the names of its things, however it names them`()
        async throws
    {
        try await withRules { (home, _) async throws in
            for thing in ["fan", "\(TestRules.fan)"] {
                var rule = try #require(TestRules.simple(on: thing).object)
                rule["title"] = nil
                #expect(await home.ask("POST", "", .object(rule), as: home.owner).status == 201)
            }
            let rows = await home.ask("GET", "", as: home.owner).body["rules"]?.array ?? []
            let titles = rows.map { $0["title"]?.string ?? "" }
            #expect(titles.count == 2 && Set(titles).count == 1 && titles.first?.contains("fan") == true)
        }
    }

    @Test func `a rule says whether its title was made by the program, and what it says can be sent again`()
        async throws
    {
        try await withRules { (home, _) async throws in
            for title in [nil, "Sunday"] as [JSONValue?] {
                var rule = try #require(Self.daily.object)
                rule["title"] = title
                #expect(await home.ask("POST", "", .object(rule), as: home.owner).status == 201)
            }
            let query = ["details": "1"]
            let rows = await home.ask("GET", "", as: home.owner, query: query).body["rules"]?.array ?? []
            #expect(rows.map { $0["untitled"] } == [true, nil], "\(rows)")
            let slug = try #require(rows.first?["slug"]?.string)
            let alone = await home.ask("GET", slug, as: home.owner).body
            #expect(alone["untitled"] == true)
            let again = await home.ask("PUT", slug, alone, as: home.owner)
            #expect(again.status == 200 && again.body["warnings"] == nil, "\(again.body)")
        }
    }

    @Test func `a rule whose only moment is over is off, in the list, an export and a test`() async throws {
        try await withRules { (home, _) async throws in
            let made = await home.ask("POST", "", TestRules.simple(), as: home.owner)
            let id = try #require(made.body["id"]?.integer)
            home.engine.change { $0.things[TestRules.fan] = ["on": true] }
            #expect(await home.ask("POST", "simple/test", as: home.owner).body["wouldFire"] == true)
            // The engine does this by itself when the moment is over.
            home.engine.handle(.ruleSwitched(id, isOn: false))
            #expect(await home.ask("POST", "simple/test", as: home.owner).body["wouldFire"] == false)
            let exported = await home.ask("POST", "export", ["rules": ["simple"]]).body["rules"]?.array
            #expect(exported?.first?["enabled"] == false)
            let row = await home.ask("GET", "", as: home.owner).body["rules"]?.array?.first
            #expect(row?["state"] == "off" && row?["enabled"] == false)
        }
    }

    @Test func `a list with details has only the rules of who asks`() async throws {
        try await withRules { (home, _) async throws in
            #expect(await home.ask("POST", "", Self.daily, as: home.owner).status == 201)
            #expect(await home.ask("POST", "", TestRules.simple(), as: home.bob).status == 201)
            let rows = await home.ask("GET", "", as: home.bob, query: ["details": "1"]).body["rules"]?.array
            #expect(rows?.map { $0["slug"]?.string } == ["simple"])
        }
    }

    @Test func `a rule that is not stored is tested, and nothing comes of it`() async throws {
        try await withRules { (home, _) async throws in
            let rule = TestRules.simple()
            let answer = await home.ask("POST", "", rule, as: home.bob, query: ["test": "1"])
            #expect(answer.status == 200 && answer.body["lines"]?.array?.count == 1, "\(answer.body)")
            #expect(answer.body["lines"]?.array?.first?["path"] == "when[0]")
            #expect(try home.store.accounts.rules().isEmpty)
            #expect(home.engine.changes.allSatisfy { if case .added = $0 { false } else { true } })
        }
    }

    @Test func `a test needs the rights of a rule that is made, and names what is wrong`() async throws {
        try await withRules { (home, _) async throws in
            let garden = TestRules.simple(on: "pump")
            let refused = await home.ask("POST", "", garden, as: home.bob, query: ["test": "1"])
            #expect(refused.status == 404 && refused.body["error"] == "unknown_thing")
            #expect(refused.body["field"] == "when[0].thing", "\(refused.body)")
            let readOnly = await home.ask(
                "POST",
                "",
                TestRules.simple(),
                as: home.bob,
                ceiling: .read,
                query: ["test": "1"]
            )
            #expect(readOnly.status == 403)
        }
    }
}
