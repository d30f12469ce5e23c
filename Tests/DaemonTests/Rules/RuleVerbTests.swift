import Accounts
import Daemon
import Flare
import GRDB
import JSON
import People
import Rules
import Testing
import Threading

/// Imports, exports, tests and explanations of rules, and the start.
@Suite(.timeLimit(.minutes(2)))
struct RuleVerbTests {
    private static func wrapped(_ rule: JSONValue, _ form: String = "rule") -> JSONValue {
        ["rule": rule, "form": .string(form), "original": ["password": "s3cret", "name": "as it was"]]
    }

    // MARK: Files

    @Test func `rules of a file are added together, with what they came in as`() async throws {
        try await withRules { (home, _) async throws in
            let body: JSONValue = [
                "rules": [
                    Self.wrapped(TestRules.simple("One"), "schedule"), Self.wrapped(TestRules.simple("Two")),
                ],
                "as": "bob",
            ]
            let made = await home.ask("POST", "import", body)
            #expect(made.status == 201, "\(made.body)")
            #expect(made.body["rules"]?.array?.map { $0["slug"] } == ["one", "two"])
            let stored = try #require(try home.store.accounts.rule(slug: "one"))
            #expect(stored.form == "schedule" && stored.maker == home.bob)
            let original = await home.ask("GET", "one", query: ["original": "1"])
            #expect(original.body == ["name": "as it was"])
        }
    }

    @Test func `of a file with a problem nothing is added, and all problems are told`() async throws {
        try await withRules { (home, _) async throws in
            let rules: JSONValue = [
                Self.wrapped(TestRules.simple(on: "nothing")), Self.wrapped(TestRules.simple()),
                Self.wrapped([
                    "when": [["on": "cron", "cron": "* * * * *"]],
                    "then": [["set": ["room_temp": 1], "target": "thing:radiator"]],
                ]),
            ]
            let answer = await home.ask("POST", "import", ["rules": rules])
            let problems = answer.body["problems"]?.array ?? []
            #expect(answer.status == 200 && problems.map { $0["index"] } == [0, 2], "\(answer.body)")
            #expect(problems.map { $0["code"] } == ["unknown_thing", "not_schedulable"])
            #expect(try home.store.accounts.rules().isEmpty)
        }
    }

    @Test func `all parts of a rule that are wrong are told, with their paths`() async throws {
        try await withRules { (home, _) async throws in
            let rule: JSONValue = [
                "when": [["on": "near", "thing": "radiator"], ["on": "near", "thing": "nothing"]],
                "if": [["zone": ["nowhere"]]],
                "then": [
                    ["publish": 1], ["set": ["on": true], "target": "thing:nobody"],
                    ["notify": ["user:nobody"]],
                ],
            ]
            let body: JSONValue = ["rules": [Self.wrapped(rule)], "check": true]
            let problems = (await home.ask("POST", "import", body)).body["problems"]?.array ?? []
            let paths = problems.map { $0["message"]?.string?.prefix { $0 != ":" } ?? "" }
            #expect(
                Set(paths) == ["when[1].thing", "if[0].zone[0]", "then[1].target", "then[2]"]
                    && paths.count == 4,
                "\(problems)"
            )
        }
    }

    @Test func `a rule that is imported again stays as it is, also one that was switched off`() async throws {
        try await withRules { (home, _) async throws in
            let rules: JSONValue = [
                Self.wrapped(TestRules.simple("One")), Self.wrapped(TestRules.simple("Two")),
            ]
            #expect(await home.ask("POST", "import", ["rules": rules]).status == 201)
            #expect(await home.ask("POST", "one/off").status == 204)
            let more: JSONValue = [
                Self.wrapped(TestRules.simple("Three")), Self.wrapped(TestRules.simple("One")),
                Self.wrapped(TestRules.simple("Two")),
            ]
            let unchanged: JSONValue = [["index": 1, "slug": "one"], ["index": 2, "slug": "two"]]
            let check = await home.ask("POST", "import", ["rules": more, "check": true])
            #expect(check.status == 200 && check.body == ["rules": [], "unchanged": unchanged])
            let again = await home.ask("POST", "import", ["rules": more])
            #expect(again.status == 201 && again.body["unchanged"] == unchanged, "\(again.body)")
            #expect(again.body["rules"]?.array?.map { $0["slug"] } == ["three", "one", "two"])
            let stored = try home.store.accounts.rules()
            #expect(stored.map(\.slug) == ["one", "two", "three"] && stored.first?.isEnabled == false)
            #expect(await home.ask("POST", "import", ["rules": more]).status == 200)
        }
    }

    @Test func `the same rule of another maker, and one with other content, become other rules`()
        async throws
    {
        try await withRules { (home, _) async throws in
            let rules: JSONValue = [Self.wrapped(TestRules.simple())]
            _ = await home.ask("POST", "import", ["rules": rules])
            let other = await home.ask("POST", "import", ["rules": rules, "as": "bob"])
            #expect(other.status == 201 && other.body["unchanged"] == nil, "\(other.body)")
            var edited = TestRules.simple().object ?? [:]
            edited["pause"] = 7
            let changed = await home.ask("POST", "import", ["rules": [Self.wrapped(.object(edited))]])
            #expect(changed.status == 201 && changed.body["unchanged"] == nil, "\(changed.body)")
            #expect(try home.store.accounts.rules().count == 3)
        }
    }

    @Test func `a check adds nothing`() async throws {
        try await withRules { (home, _) async throws in
            let body: JSONValue = ["rules": [Self.wrapped(TestRules.simple())], "check": true]
            let answer = await home.ask("POST", "import", body)
            #expect(answer.status == 200 && answer.body == ["rules": []])
            #expect(try home.store.accounts.rules().isEmpty)
        }
    }

    @Test(
        arguments: [
            [:], ["rules": []], ["rules": [[:]]], ["rules": [["rule": ["when": []]]]],
            ["rules": [["rule": TestRules.simple(), "form": "poem"]]],
        ] as [JSONValue]
    )
    func `what is no import is refused`(body: JSONValue) async throws {
        try await withRules { (home, _) async throws in
            #expect(await home.ask("POST", "import", body).status == 400)
        }
    }

    @Test func `what is exported can be imported`() async throws {
        try await withRules { (home, _) async throws in
            _ = await home.ask("POST", "", TestRules.simple("One"), as: home.bob)
            _ = await home.ask("POST", "", TestRules.simple("Two"), as: home.owner)
            let all = await home.ask("POST", "export", ["rules": []])
            #expect(all.body["rules"]?.array?.count == 2)
            let one = await home.ask("POST", "export", ["rules": ["one"]])
            let rule = try #require(one.body["rules"]?.array?.first)
            #expect(rule["then"]?.array?.first?["target"] == "thing:desk-lamp")
            #expect(await home.ask("POST", "import", ["rules": [Self.wrapped(rule)]]).status == 201)
            #expect(await home.ask("POST", "export", ["rules": ["three"]]).status == 404)
            let body = try #require(try home.store.accounts.rule(slug: "one")?.body)
            #expect(try home.store.accounts.rule(slug: "one-2")?.body == body)
        }
    }

    // MARK: Lists

    @Test func `a list has the rules of a thing, and when each is due`() async throws {
        try await withRules { (home, _) async throws in
            _ = await home.ask("POST", "", TestRules.simple("One"), as: home.owner)
            let due: JSONValue = [
                "title": "Due", "when": [["on": "cron", "cron": "0 7 * * *"]],
                "then": [["set": ["on": true], "target": "thing:pump"]],
            ]
            _ = await home.ask("POST", "", due, as: home.owner)
            func slugs(_ thing: String?) async -> [JSONValue?]? {
                let query = thing.map { ["thing": $0] } ?? [:]
                return await home.ask("GET", "", query: query).body["rules"]?.array?.map { $0["slug"] }
            }
            #expect(await slugs(nil) == ["one", "due"])
            #expect(await slugs("fan") == ["one"])
            #expect(await slugs("v-lamp") == ["one"])
            #expect(await slugs("pump") == ["due"])
            #expect(await slugs("radiator") == [])
            #expect(await home.ask("GET", "", query: ["thing": "nothing"]).status == 404)
            let rows = await home.ask("GET", "").body["rules"]?.array ?? []
            #expect(rows.map { $0["next"]?.string?.hasSuffix("T07:00:00Z") } == [nil, true], "\(rows)")
            #expect(await home.ask("GET", "due").body["next"]?.array?.count == 5)
        }
    }

    @Test func `a list of a light has what drives its zone, and that of another thing has not`() async throws
    {
        try await withRules { (home, _) async throws in
            home.place.withLock { place in
                place.kinds = [:]
                place.data[TestRules.lamp] = ["on": true]
                place.data[TestRules.radiator] = ["room_temp": 20]
            }
            let rule: JSONValue = [
                "title": "Dark", "when": [["on": "cron", "cron": "0 7 * * *"]],
                "then": [["set": ["on": false], "target": "zone:kitchen"]],
            ]
            #expect(await home.ask("POST", "", rule, as: home.owner).status == 201)
            func slugs(_ thing: String) async -> [JSONValue?]? {
                let answer = await home.ask("GET", "", query: ["thing": thing])
                return answer.body["rules"]?.array?.map { $0["slug"] }
            }
            #expect(await slugs("desk-lamp") == ["dark"])
            #expect(await slugs("radiator") == [])
            #expect(await slugs("pump") == [])
        }
    }

    @Test func `a name that nothing has gets a hint, of what the requester may see`() async throws {
        try await withRules { (home, _) async throws in
            func message(_ rule: JSONValue, as user: AccountID) async -> String {
                await home.ask("POST", "", rule, as: user).body["message"]?.string ?? ""
            }
            let near = await message(TestRules.simple(target: "desk-lmp"), as: home.owner)
            #expect(near.hasSuffix("there is no thing \"desk-lmp\"; did you mean \"desk-lamp\"?"), "\(near)")
            let zone = await message(TestRules.simple(target: "kitchen"), as: home.owner)
            #expect(zone.hasSuffix("; there is a zone of that name: zone:kitchen"), "\(zone)")
            let hidden = await message(TestRules.simple(target: "desk-lmp"), as: home.carol)
            #expect(!hidden.contains("desk-lamp"), "\(hidden)")
            _ = await home.ask("POST", "", TestRules.simple("Evening"), as: home.owner)
            let rule = await home.ask("POST", "evning/run", as: home.owner).body["message"]?.string
            #expect(rule == "there is no rule \"evning\"; did you mean \"evening\"?")
            let other = await home.ask("POST", "evning/run", as: home.bob).body["message"]?.string
            #expect(other?.contains("evening") == false, "\(other ?? "")")
            let list = await home.ask("GET", "", query: ["thing": "kitchen"]).body
            #expect(list["message"]?.string?.hasPrefix("there is no thing") == true, "\(list)")
        }
    }

    @Test func `what was stopped as a loop is not the last firing of a list`() async throws {
        try await withRules { (home, _) async throws in
            let made = await home.ask("POST", "", TestRules.simple(), as: home.bob)
            let id = try #require(made.body["id"]?.integer)
            let database = try DatabaseQueue(path: home.store.path)
            for (seq, outcome) in [(Int64(1), StoredFiring.Outcome.done), (2, .loop)] {
                let firing = StoredFiring(seq, epoch: "e", rule: id, at: seq, why: "cron", outcome: outcome)
                try await database.write { try AccountsStore.save(firing, $0) }
            }
            try database.close()
            let row = await home.ask("GET", "").body["rules"]?.array?.first
            #expect(row?["last"]?["outcome"] == "done", "\(row ?? .null)")
            #expect(await home.ask("GET", "simple").body["last"]?["outcome"] == "done")
        }
    }

    // MARK: What happened

    @Test func `a test says what each trigger sees, and does nothing`() async throws {
        try await withRules { (home, _) async throws in
            _ = await home.ask("POST", "", TestRules.simple(), as: home.bob)
            let before = await home.ask("POST", "simple/test", as: home.bob).body
            #expect(before["wouldFire"] == false)
            home.engine.change { $0.things[TestRules.fan] = ["on": true] }
            let after = await home.ask("POST", "simple/test", as: home.bob).body
            #expect(after["wouldFire"] == true)
            #expect(after["lines"]?.array?.first?["saw"] == "on true")
            #expect(home.engine.outputs.allSatisfy { if case .fired = $0 { false } else { true } })
            let file = await home.ask("POST", "test", Self.wrapped(TestRules.simple()))
            #expect(file.status == 200 && file.body["wouldFire"] == true)
            // A test tells what it looks at.
            let others = await home.ask(
                "POST",
                "test",
                Self.wrapped(TestRules.simple()),
                query: ["as": "carol"]
            )
            #expect(others.status == 404)
        }
    }

    @Test func `a test of a rule that is off or suspended says so, and that it would not fire`() async throws
    {
        try await withRules { (home, _) async throws in
            let id = await home.ask("POST", "", TestRules.simple(), as: home.owner).body["id"]?.integer
            home.engine.change { $0.things[TestRules.fan] = ["on": true] }
            let ready = await home.ask("POST", "simple/test").body
            #expect(ready["state"] == "ready" && ready["wouldFire"] == true, "\(ready)")
            _ = await home.ask("POST", "simple/off")
            let off = await home.ask("POST", "simple/test").body
            #expect(off["state"] == "off" && off["wouldFire"] == false, "\(off)")
            #expect(off["lines"]?.array?.first?["truth"] == "true")
            _ = await home.ask("POST", "simple/on")
            home.engine.handle(.ruleJudged(try #require(id), .rights))
            let suspended = await home.ask("POST", "simple/test").body
            #expect(suspended["suspended"] == "rights" && suspended["wouldFire"] == false, "\(suspended)")
        }
    }

    @Test func `an explanation has firings and why there were none, newest last`() async throws {
        try await withRules { (home, _) async throws in
            let made = await home.ask("POST", "", TestRules.simple(), as: home.bob)
            let id = try #require(made.body["id"]?.integer)
            let why = "state fan on false -> true"
            let outcomes: [(Int64, StoredFiring.Outcome?)] = [(1, .done), (2, nil)]
            // As the records of a turn are stored.
            let database = try DatabaseQueue(path: home.store.path)
            for (seq, outcome) in outcomes {
                let at = TestRules.now - 1000 + seq
                let firing = StoredFiring(seq, epoch: "e", rule: id, at: at, why: why, outcome: outcome)
                try await database.write { try AccountsStore.save(firing, $0) }
            }
            try database.close()
            home.engine.change { $0.things[TestRules.fan] = ["on": true] }
            let write = RuleWrite(TestRules.fan, before: [:], after: ["on": true], fields: ["on"])
            home.engine.handle(.written(write))
            let lines = await home.ask("GET", "simple/explain", as: home.bob).body["lines"]?.array ?? []
            #expect(lines.map { $0["result"] } == ["done", "running", "edge"], "\(lines)")
            #expect(lines.first?["why"]?.string == why)
            let one = await home.ask("GET", "simple/explain", query: ["limit": "1"]).body["lines"]?.array
            #expect(one?.map { $0["result"] } == ["running", "edge"])
            for limit in ["0", "1001", "x"] {
                #expect(await home.ask("GET", "simple/explain", query: ["limit": limit]).status == 400)
            }
            let row = await home.ask("GET", "simple").body["last"]
            #expect(row?["outcome"] == "running")
        }
    }

    // MARK: The start

    @Test func `rules begin again with what they remember, and a damaged one is left out`() async throws {
        try await withRules { (home, folder) async throws in
            let made = await home.ask("POST", "", TestRules.simple(), as: home.bob)
            let id = try #require(made.body["id"]?.integer)
            let damaged = NewRule(slug: "bad", title: "bad", maker: home.bob, form: "rule", body: "{}")
            let bad = try home.store.accounts.addRule(damaged, at: 1)
            home.store.close()
            let again = try await TestRules(in: folder)
            defer { again.store.close() }
            guard case .loaded(let load)? = again.engine.changes.first else {
                Issue.record("the engine was not started")
                return
            }
            #expect(load.rules.map(\.entry.id) == [id] && load.rules.first?.slug == "simple")
            #expect(await again.ask("GET", "bad").status == 404)
            #expect(await again.ask("DELETE", "\(bad.id)", as: again.bob).status == 404)
            #expect(await again.ask("DELETE", "\(bad.id)").status == 204)
            #expect(try again.store.accounts.rules().map(\.id) == [id])
        }
    }

    @Test func `stored names of users become identifiers at a start, and what is remembered stays`()
        async throws
    {
        try await withRules { (home, folder) async throws in
            var ids: [Int] = []
            for name in ["bob", "nobody"] {
                var rule = try #require(TestRules.simple(name).object)
                rule["then"] = [["notify": [.string("user:\(name)"), "display:hall"]]]
                // As an earlier version has stored it.
                let text = JSONValue.object(rule).text
                    .replacing("\"thing\":\"fan\"", with: "\"thing\":\"\(TestRules.fan)\"")
                let new = NewRule(slug: name, title: name, maker: home.bob, form: "rule", body: text)
                ids.append(try home.store.accounts.addRule(new, at: 1).id)
            }
            let (id, other) = (try #require(ids.first), try #require(ids.last))
            let database = try DatabaseQueue(path: home.store.path)
            try await database.write { try AccountsStore.setMemory("{}", ofRule: id, $0) }
            try database.close()
            home.store.close()
            let again = try await TestRules(in: folder)
            defer { again.store.close() }
            let rules = try again.store.accounts.rules()
            #expect(rules.first { $0.id == id }?.body.contains("user:\(home.bob)") == true, "\(rules)")
            #expect(rules.first { $0.id == other }?.body.contains("user:nobody") == true)
            #expect(try again.store.accounts.ruleMemories().keys.contains(id))
            // People see the name.
            let shown = await again.ask("GET", "bob").body["then"]?.array?.first?["notify"]?.array
            #expect(shown?.contains("user:bob") == true, "\(shown ?? [])")
        }
    }

    @Test func `the calendar follows the environment, and has the zones that rules name`() async throws {
        try await withRules { (home, _) async throws in
            let rule: JSONValue = [
                "title": "Sun",
                "when": [
                    ["on": "schedule", "startTimeEachDay": "sunset"],
                    ["on": "schedule", "startTimeEachDay": "08:00:00", "timeZone": "Europe/Berlin"],
                ],
                "then": [["set": ["on": true], "target": "thing:fan"]],
            ]
            #expect(await home.ask("POST", "", rule, as: home.owner).status == 400)
            home.place.withLock { $0.position = GeoPoint(latitude: 52.5, longitude: 13.4) }
            let made = await home.ask("POST", "", rule, as: home.owner)
            #expect(made.status == 201, "\(made.body)")
            home.place.withLock { $0.timeZone = "America/New_York" }
            await home.service.follow()
            guard case .calendar(let calendar)? = home.engine.changes.last else {
                Issue.record("the engine was not told")
                return
            }
            #expect(calendar.place?.latitude == 52.5 && Array(calendar.named.keys) == ["Europe/Berlin"])
            #expect(calendar.usual != .utc)
        }
    }
}
