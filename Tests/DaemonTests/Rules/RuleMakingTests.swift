import Accounts
import Daemon
import JSON
import People
import Rules
import Testing

/// Rules that are made, edited, switched and removed.
@Suite(.timeLimit(.minutes(2)))
struct RuleMakingTests {
    private static var bright: RuleOptions {
        var options = RuleOptions()
        (options.title, options.thing, options.when) = ("Bright", "desk-lamp", ["brightness>=0.5"])
        options.steps = [.notify("user:bob")]
        return options
    }

    @Test func `a rule of the command line has a short name from its title, and identifiers`() async throws {
        try await withRules { (home, _) async throws in
            let made = try await home.addAsVerb(Self.bright)
            #expect(made.status == 201 && made.body["slug"] == "bright", "\(made.body)")
            #expect(try await home.addAsVerb(Self.bright).body["slug"] == "bright-2")
            let stored = try #require(try home.store.accounts.rule(slug: "bright"))
            #expect(stored.maker == home.owner && stored.form == "rule")
            #expect(stored.body.contains("\(TestRules.lamp)") && !stored.body.contains("desk-lamp"))
            #expect(stored.original?.contains("desk-lamp") == true)
            let told = home.engine.changes.compactMap { change -> Int? in
                if case .added(let rule, _) = change { rule.entry.id } else { nil }
            }
            #expect(told.first == stored.id && told.count == 2)
        }
    }

    @Test func `a schedule does not set what a profile keeps from schedules`() async throws {
        try await withRules { (home, _) async throws in
            var options = RuleOptions()
            (options.cron, options.thing, options.steps) = (["* * * * *"], "radiator", [.set("room_temp=1")])
            let refused = try await home.addAsVerb(options)
            #expect(refused.status == 409 && refused.body["error"] == "not_schedulable", "\(refused.body)")
            #expect(refused.body["message"]?.string?.contains("radiator") == true)
            // What is set by something else, what is for schedules, and what has no profile is free.
            options.steps = [.set("target=21")]
            #expect(try await home.addAsVerb(options).status == 201)
            (options.thing, options.steps) = ("fan", [.set("speed=1")])
            #expect(try await home.addAsVerb(options).status == 201)
            (options.cron, options.when) = ([], ["speed>1"])
            options.steps = [.target("radiator"), .set("room_temp=1")]
            #expect(try await home.addAsVerb(options).status == 201)
            // A zone has what its things have.
            (options.cron, options.when) = (["0 7 * * *"], [])
            options.steps = [.target("zone:kitchen"), .set("room_temp=1")]
            #expect(try await home.addAsVerb(options).body["error"] == "not_schedulable")
        }
    }

    @Test func `a rule does not notify of what a profile keeps from notifications`() async throws {
        try await withRules { (home, _) async throws in
            var options = RuleOptions()
            (options.thing, options.when, options.steps) = (
                "radiator", ["room_temp>=30"], [.notify("user:owner")]
            )
            let refused = try await home.addAsVerb(options)
            #expect(refused.status == 409 && refused.body["error"] == "not_notifiable", "\(refused.body)")
            options.when = ["target>=30"]
            #expect(try await home.addAsVerb(options).status == 201)
        }
    }

    @Test(
        arguments: [
            ([], 400, "wrong_type"), ([:], 400, "invalid_value"), (["when": []], 400, "invalid_value"),
            (TestRules.simple(on: "nothing"), 404, "unknown_thing"),
            (TestRules.simple(target: "nothing"), 404, "unknown_thing"),
            (TestRules.simple(String(repeating: "x", count: 51)), 400, "invalid_value"),
            (
                [
                    "when": [["on": "once", "at": "2020-01-01T00:00:00Z"]],
                    "then": [["set": ["on": true], "target": "thing:fan"]],
                ], 400, "invalid_value"
            ),
            (
                [
                    "when": [["on": "cron", "cron": "0 7 * * *", "timeZone": "Nowhere/City"]],
                    "then": [["set": ["on": true], "target": "thing:fan"]],
                ], 400, "invalid_value"
            ),
            (
                [
                    "when": [["on": "schedule", "startTimeEachDay": "sunset"]],
                    "then": [["set": ["on": true], "target": "thing:fan"]],
                ], 400, "invalid_value"
            ),
            (
                ["when": [["on": "far", "thing": "fan"]], "then": [["notify": ["user:dave"]]]], 400,
                "invalid_value"
            ),
            (
                ["when": [["on": "far", "thing": "fan"]], "then": [["notify": ["contact:9"]]]], 400,
                "invalid_value"
            ),
            (
                ["when": [["on": "far", "thing": "fan"]], "then": [["notify": ["installation:i"]]]], 400,
                "invalid_value"
            ),
        ] as [(JSONValue, Int, String)]
    )
    func `what is not right is refused, and nothing is stored`(body: JSONValue, status: Int, code: String)
        async throws
    {
        try await withRules { (home, _) async throws in
            let answer = await home.ask("POST", "", body, as: home.owner)
            #expect(answer.status == status && answer.body["error"]?.string == code, "\(answer.body)")
            #expect(answer.body["message"]?.string?.isEmpty == false)
            #expect(try home.store.accounts.rules().isEmpty)
        }
    }

    @Test func `an edit keeps number and short name, and makes its user the maker`() async throws {
        try await withRules { (home, _) async throws in
            let made = await home.ask("POST", "", TestRules.simple(), as: home.bob)
            let id = try #require(made.body["id"]?.integer)
            let edited = await home.ask("PUT", "simple", TestRules.simple("Other"), as: home.owner)
            #expect(edited.status == 200 && edited.body["slug"] == "simple", "\(edited.body)")
            let stored = try #require(try home.store.accounts.rule(id))
            #expect(stored.title == "Other" && stored.maker == home.owner && stored.slug == "simple")
            // It is bob's no more.
            #expect(await home.ask("GET", "simple", as: home.bob).status == 404)
        }
    }

    @Test func `what a rule shows can be sent back`() async throws {
        try await withRules { (home, _) async throws in
            _ = await home.ask("POST", "", TestRules.simple(), as: home.owner)
            let shown = await home.ask("GET", "simple", as: home.owner).body
            #expect(shown["state"] == "ready" && shown["maker"] == "owner")
            #expect(shown["when"]?.array?.first?["thing"] == "fan")
            #expect(shown["sentence"]?.string?.hasPrefix("When fan is on") == true)
            let edited = await home.ask("PUT", "simple", shown, as: home.owner)
            #expect(edited.status == 200 && edited.body["warnings"] == nil, "\(edited.body)")
        }
    }

    @Test func `recipients are stored by what nobody else can get, and shown by name`() async throws {
        try await withRules { (home, _) async throws in
            let contact = Contact(name: "mum", email: "mum@example.org", channels: [.email])
            let id = try home.store.accounts.addContact(contact, ofUser: "owner", by: .program(at: 1))
            let recipients: JSONValue = ["user:carol", .string("user:\(home.carol)"), "contact:mum"]
            let rule: JSONValue = [
                "title": "Tell", "when": [["on": "far", "thing": "fan"]], "then": [["notify": recipients]],
            ]
            #expect(await home.ask("POST", "", rule, as: home.owner).status == 201)
            let body = try #require(try home.store.accounts.rule(slug: "tell")?.body)
            let stored: JSONValue = [.string("user:\(home.carol)"), .string("contact:\(id)")]
            #expect(try JSONValue(parsing: body)["then"]?.array?.first?["notify"] == stored, "\(body)")
            let shown = await home.ask("GET", "tell", as: home.owner).body
            #expect(shown["then"]?.array?.first?["notify"] == ["user:carol", "contact:mum"], "\(shown)")
            #expect(shown["sentence"]?.string?.contains("carol and contact mum get a message") == true)
            #expect(await home.ask("PUT", "tell", shown, as: home.owner).status == 200)
            // Another carol is not the one who was meant.
            try home.accounts.change { store in
                try store.removeUser("carol", by: .program(at: 1))
                _ = try store.addUser(NewUser("carol"), by: .program(at: 1))
            }
            let later = await home.ask("GET", "tell", as: home.owner).body
            #expect(later["then"]?.array?.first?["notify"]?.array?.first == stored.array?.first, "\(later)")
            #expect(await home.ask("PUT", "tell", later, as: home.owner).status == 400)
        }
    }

    @Test func `a rule is switched, run and removed by number or short name`() async throws {
        try await withRules { (home, _) async throws in
            let made = await home.ask("POST", "", TestRules.simple(), as: home.bob)
            let id = try #require(made.body["id"]?.integer)
            #expect(await home.ask("POST", "\(id)/off", as: home.bob).status == 204)
            #expect(await home.ask("GET", "simple").body["state"] == "off")
            #expect(try home.store.accounts.rule(id)?.isEnabled == false)
            #expect(await home.ask("POST", "simple/on", as: home.bob).status == 204)
            #expect(await home.ask("POST", "simple/on", as: home.bob).status == 204)
            #expect(try home.store.accounts.rule(id)?.isEnabled == true)
            #expect(await home.ask("POST", "simple/run", [:], as: home.bob).status == 204)
            #expect(home.engine.outputs.contains { if case .fired = $0 { true } else { false } })
            #expect(await home.ask("POST", "simple/run", ["x": 1], as: home.bob).status == 400)
            #expect(await home.ask("DELETE", "simple", as: home.bob).status == 204)
            let gone = await home.ask("DELETE", "simple", as: home.bob)
            #expect(gone.status == 404 && gone.body["error"] == "unknown_rule")
            #expect(await home.ask("GET", "").body["rules"] == [])
        }
    }

    @Test func `a user has at most 200 rules`() async throws {
        try await withRules { (home, _) async throws in
            try home.store.accounts.atomically { store in
                for number in 0..<RuleLimits.rulesOfUser {
                    let slug = "rule-\(number)"
                    let new = NewRule(slug: slug, title: slug, maker: home.bob, form: "rule", body: "{}")
                    _ = try store.addRule(new, at: 1)
                }
            }
            let refused = await home.ask("POST", "", TestRules.simple(), as: home.bob)
            #expect(refused.status == 403 && refused.body["error"] == "not_allowed", "\(refused.body)")
            #expect(await home.ask("POST", "", TestRules.simple(), as: home.owner).status == 201)
        }
    }

    @Test func `the log says who did what with which rule`() async throws {
        try await withRules { (home, _) async throws in
            _ = await home.ask("POST", "", TestRules.simple(), as: home.bob)
            _ = await home.ask("POST", "simple/off", as: home.bob)
            _ = await home.ask("DELETE", "simple", as: home.carol)
            try home.accounts.flush()
            let rows = try home.store.accounts.log()
            let added = try #require(rows.first { $0.kind == "rule add" })
            #expect(added.caller == "user:bob" && added.slug == "simple" && added.state == "accepted")
            #expect(rows.contains { $0.kind == "rule off" && $0.interface == "kiosk" })
            // What she may not see has no name for her.
            let refused = try #require(rows.first { $0.kind == "rule rm" })
            #expect(refused.code == "unknown_rule" && refused.slug == nil)
        }
    }
}
