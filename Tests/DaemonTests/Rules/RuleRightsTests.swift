import Accounts
import Daemon
import Flare
import JSON
import People
import Rules
import Testing
import Threading

/// Who may make which rule, and see it.
@Suite(.timeLimit(.minutes(2)))
struct RuleRightsTests {
    private static func rule(_ when: JSONValue, _ then: JSONValue) -> JSONValue {
        ["title": "Rule", "when": [when], "then": [then]]
    }

    private static let setFan: JSONValue = ["set": ["on": true], "target": "thing:fan"]
    private static let atSeven: JSONValue = ["on": "cron", "cron": "0 7 * * *"]
    private static let fanIsOn: JSONValue = ["on": "state", "thing": "fan", "field": "on"]

    /// What bob asks, who may write in the kitchen and nothing else, and what he is answered.
    private static let asked: [(rule: JSONValue, status: Int, code: String?)] = [
        (rule(fanIsOn, setFan), 201, nil), (rule(atSeven, setFan), 201, nil),
        (rule(["on": "device", "thing": "fan", "event": "on_connect"], setFan), 201, nil),
        (rule(atSeven, ["set": ["brightness": 1], "target": "zone:kitchen"]), 201, nil),
        (rule(fanIsOn, ["notify": ["user:bob", "display:all"]]), 201, nil),
        (rule(fanIsOn, ["publish": ["hello": true]]), 201, nil),
        // What is not his to see is not there.
        (rule(["on": "state", "thing": "pump", "field": "on"], setFan), 404, "unknown_thing"),
        (rule(fanIsOn, ["set": ["on": true], "target": "thing:pump"]), 404, "unknown_thing"),
        (rule(fanIsOn, ["set": ["on": true], "target": "zone:garden"]), 404, "unknown_thing"),
        // Places, levels and ceilings are those of a person.
        (rule(["on": "near", "thing": "fan"], setFan), 403, "not_allowed"),
        (rule(["on": "enter", "zone": "kitchen"], setFan), 403, "not_allowed"),
        (rule(["on": "lifecycle", "level": "Active"], setFan), 403, "not_allowed"),
        (rule(fanIsOn, ["set": ["on": true], "target": "nearby"]), 403, "not_allowed"),
        (rule(fanIsOn, ["ceiling": "NONE"]), 403, "not_allowed"),
        (rule(fanIsOn, ["notify": ["user:bob"], "text": "{thing} in {zone}"]), 403, "not_allowed"),
        // Others are notified by who owns everything.
        (rule(fanIsOn, ["notify": ["user:carol"]]), 403, "not_allowed"),
        (rule(fanIsOn, ["notify": ["user:nobody-here"]]), 403, "not_allowed"),
        (rule(fanIsOn, ["notify": [["email": "x@example.org"]]]), 403, "not_allowed"),
        (rule(fanIsOn, ["notify": [["sms": "+49 30 1234"]]]), 403, "not_allowed"),
    ]

    @Test(arguments: asked.indices)
    func `a rule needs the rights to what it looks at and drives`(index: Int) async throws {
        let (rule, status, code) = Self.asked[index]
        try await withRules { (home, _) async throws in
            let answer = await home.ask("POST", "", rule, as: home.bob)
            #expect(answer.status == status && answer.body["error"]?.string == code, "\(answer.body)")
            #expect(!answer.body.text.contains("\(home.carol)"))
            // Who owns everything makes it, if its recipients are there.
            guard !rule.text.contains("nobody-here") else { return }
            #expect(await home.ask("POST", "", rule, as: home.owner).status == 201)
        }
    }

    private static let sunny: [JSONValue] = [
        rule(["on": "schedule", "startTimeEachDay": "sunrise", "utc": true], ["publish": 1]),
        rule(
            ["on": "schedule", "startTimeEachDay": "06:00:00", "endTimeEachDay": "sunset+01:00:00"],
            ["publish": 1]
        ),
        [
            "when": [atSeven], "then": [setFan],
            "if": [["during": ["startTimeEachDay": "sunset", "endTimeEachDay": "sunrise"]]],
        ],
    ]

    @Test(arguments: sunny.indices)
    func `who may not know where the home is makes no rule that follows the sun`(index: Int) async throws {
        let rule = Self.sunny[index]
        let queries: [[String: String]] = [[:], ["test": "1"]]
        try await withRules { (home, _) async throws in
            home.place.withLock { $0.position = GeoPoint(latitude: 48.2, longitude: 16.4) }
            for query in queries {
                let refused = await home.ask("POST", "", rule, as: home.bob, query: query)
                #expect(refused.status == 403 && refused.body["error"] == "not_allowed", "\(refused.body)")
                #expect(refused.body["lines"] == nil)
            }
            try home.allow(home.bob, .read, .devices)
            #expect(await home.ask("POST", "", rule, as: home.bob).status == 201)
            let grants = home.accounts.table.grants.filter { $0.grantee == .user(home.bob) }
            let grant = try #require(grants.first { $0.scope == .devices })
            try home.accounts.change { try $0.removeGrant(grant.id, by: .program(at: 1)) }
            await home.service.follow()
            #expect(home.judgements == [.rights])
        }
    }

    @Test func `who may only read looks, and drives nothing`() async throws {
        try await withRules { (home, _) async throws in
            try home.allow(home.carol, .read, .zone(TestRules.kitchen))
            let drives = await home.ask("POST", "", Self.rule(Self.fanIsOn, Self.setFan), as: home.carol)
            #expect(drives.status == 403, "\(drives.body)")
            let tells = Self.rule(Self.fanIsOn, ["notify": ["user:carol"]])
            #expect(await home.ask("POST", "", tells, as: home.carol).status == 201)
        }
    }

    @Test func `a token has no more rights in a rule than elsewhere`() async throws {
        try await withRules { (home, _) async throws in
            let rule = TestRules.simple()
            let refused = await home.ask("POST", "", rule, as: home.owner, ceiling: .read)
            #expect(refused.status == 403)
            #expect(await home.ask("POST", "", rule, as: home.bob, ceiling: .write).status == 201)
            #expect(await home.ask("GET", "", as: home.bob, ceiling: .read).status == 200)
            for path in ["simple/off", "simple/run"] {
                #expect(await home.ask("POST", path, as: home.bob, ceiling: .read).status == 403)
            }
            #expect(await home.ask("DELETE", "simple", as: home.bob, ceiling: .read).status == 403)
        }
    }

    @Test func `a rule is there for its maker and for who owns everything`() async throws {
        try await withRules { (home, _) async throws in
            _ = await home.ask("POST", "", TestRules.simple(), as: home.bob)
            _ = await home.ask("POST", "", TestRules.simple("Other"), as: home.owner)
            func slugs(_ user: AccountID) async -> [String?] {
                (await home.ask("GET", "", as: user).body["rules"]?.array ?? []).map { $0["slug"]?.string }
            }
            #expect(await slugs(home.owner) == ["simple", "other"])
            #expect(await slugs(home.bob) == ["simple"])
            #expect(await slugs(home.carol) == [])
            let acts: [(String, String, JSONValue?)] = [
                ("GET", "other", nil), ("PUT", "other", TestRules.simple()), ("DELETE", "other", nil),
                ("POST", "other/on", nil), ("POST", "other/off", nil), ("POST", "other/run", nil),
                ("POST", "other/test", nil), ("GET", "other/explain", nil),
            ]
            for (method, path, body) in acts {
                let answer = await home.ask(method, path, body, as: home.bob)
                #expect(answer.status == 404 && answer.body["error"] == "unknown_rule", "\(method) \(path)")
            }
        }
    }

    @Test func `only who owns everything makes rules for others, who must have the rights`() async throws {
        try await withRules { (home, _) async throws in
            let rule = TestRules.simple()
            #expect(await home.ask("POST", "", rule, as: home.bob, query: ["as": "carol"]).status == 403)
            let made = await home.ask("POST", "", rule, as: home.owner, query: ["as": "bob"])
            #expect(made.status == 201)
            #expect(try home.store.accounts.rule(slug: "simple")?.maker == home.bob)
            #expect(await home.ask("POST", "", rule, query: ["as": "carol"]).status == 404)
            #expect(await home.ask("POST", "", rule, query: ["as": "nobody"]).status == 400)
        }
    }

    @Test func `nobody gets the history of a rule that somebody else made`() async throws {
        try await withRules { (home, _) async throws in
            let rule = TestRules.simple()
            #expect(await home.ask("POST", "", rule, as: home.owner).status == 201)
            for maker in ["bob", "\(home.bob)"] {
                let refused = await home.ask("PUT", "simple", rule, as: home.owner, query: ["as": maker])
                #expect(refused.status == 403 && refused.body["field"] == "as", "\(refused.body)")
                #expect(await home.ask("PUT", "simple", rule, query: ["as": maker]).status == 403)
            }
            #expect(await home.ask("GET", "simple", as: home.bob).status == 404)
            let own = await home.ask("PUT", "simple", rule, as: home.owner, query: ["as": "owner"])
            #expect(own.status == 200)
            // A rule of his may be edited for him.
            let his = TestRules.simple("His")
            #expect(await home.ask("POST", "", his, as: home.bob).status == 201)
            let edited = await home.ask("PUT", "his", his, as: home.owner, query: ["as": "bob"])
            #expect(edited.status == 200, "\(edited.body)")
            #expect(try home.store.accounts.rule(slug: "his")?.maker == home.bob)
        }
    }

    @Test func `what users may send at this machine's socket only is nothing over HTTP`() async throws {
        try await withRules { (home, _) async throws in
            for path in ["import", "add", "export"] {
                #expect(await home.ask("POST", path, [:], as: home.owner).status == 404)
            }
        }
    }

    // MARK: Later

    @Test func `a rule is suspended while its maker has lost a right, or is off`() async throws {
        try await withRules { (home, _) async throws in
            _ = await home.ask("POST", "", TestRules.simple(), as: home.bob)
            let grant = try #require(home.accounts.table.grants.first { $0.grantee == .user(home.bob) })
            try home.accounts.change { try $0.removeGrant(grant.id, by: .program(at: 1)) }
            await home.service.follow()
            await home.service.follow()
            #expect(home.judgements == [.rights])
            let row = await home.ask("GET", "simple").body
            #expect(row["state"] == "suspended" && row["suspended"] == "rights")
            try home.allow(home.bob, .write, .zone(TestRules.kitchen))
            await home.service.follow()
            #expect(home.judgements == [.rights, nil])
            try home.accounts.change { try $0.removeUser("bob", by: .program(at: 1)) }
            await home.service.follow()
            #expect(home.judgements == [.rights, nil, .maker])
        }
    }

    @Test func `a maker who may not read any more learns nothing by a test`() async throws {
        try await withRules { (home, _) async throws in
            _ = await home.ask("POST", "", TestRules.simple(), as: home.bob)
            #expect(await home.ask("POST", "simple/test", as: home.bob).status == 200)
            let grant = try #require(home.accounts.table.grants.first { $0.grantee == .user(home.bob) })
            try home.accounts.change { try $0.removeGrant(grant.id, by: .program(at: 1)) }
            let refused = await home.ask("POST", "simple/test", as: home.bob)
            #expect(refused.status == 403 && refused.body["lines"] == nil, "\(refused.body)")
            #expect(await home.ask("POST", "simple/test", as: home.owner).status == 200)
        }
    }

    @Test func `a rule that is switched all the time is suspended as any other`() async throws {
        try await withRules { (home, _) async throws in
            _ = await home.ask("POST", "", TestRules.simple(), as: home.bob)
            let grant = try #require(home.accounts.table.grants.first { $0.grantee == .user(home.bob) })
            try home.accounts.change { try $0.removeGrant(grant.id, by: .program(at: 1)) }
            let isOn = Locked(true)
            home.meanwhile.withLock { meanwhile in
                meanwhile = {
                    let next = isOn.withLock { isOn in
                        isOn.toggle()
                        return isOn
                    }
                    _ = await home.ask("POST", next ? "simple/on" : "simple/off", as: home.bob)
                }
            }
            await home.service.follow()
            home.meanwhile.withLock { $0 = nil }
            #expect(home.judgements == [.rights])
        }
    }

    @Test func `a rule is suspended while a profile does not allow it`() async throws {
        try await withRules { (home, _) async throws in
            _ = await home.ask("POST", "", Self.rule(Self.atSeven, Self.setFan), as: home.bob)
            home.place.withLock { $0.kinds[TestRules.fan] = TestRules.kind("fan", ["on": (true, false)]) }
            await home.service.follow()
            #expect(home.judgements == [.notSchedulable])
            home.place.withLock { $0.kinds[TestRules.fan] = nil }
            await home.service.follow()
            #expect(home.judgements == [.notSchedulable, nil])
        }
    }

    @Test func `what is gone takes no right away: the engine knows`() async throws {
        try await withRules { (home, _) async throws in
            _ = await home.ask("POST", "", TestRules.simple(), as: home.bob)
            home.place.withLock { $0.slugs[.init(.thing, TestRules.fan)] = nil }
            await home.service.follow()
            #expect(home.judgements.isEmpty)
        }
    }
}
