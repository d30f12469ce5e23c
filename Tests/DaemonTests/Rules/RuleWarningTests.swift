import Accounts
import Daemon
import Flare
import JSON
import People
import Profiles
import Rules
import Testing
import Things
import Threading

/// Warnings about a rule that is legal and probably a mistake.
@Suite(.timeLimit(.minutes(2)))
struct RuleWarningTests {
    private static func rule(
        when trigger: JSONValue = ["on": "cron", "cron": "0 7 * * *"],
        if condition: JSONValue? = nil,
        then action: JSONValue = ["notify": ["user:owner"]]
    ) -> JSONValue {
        var rule: JSONObject = ["title": "Rule", "when": [trigger], "then": [action]]
        rule["if"] = condition.map { [$0] }
        return .object(rule)
    }

    private static func warnings(_ answer: TestRules.Reply) -> [String] {
        answer.body["warnings"]?.array?.compactMap(\.string) ?? []
    }

    @Test func `a field that the thing does not have is a warning, since it may come`() async throws {
        try await withRules { (home, _) async throws in
            home.place.withLock { $0.data[TestRules.fan] = ["on": true] }
            func rule(_ field: String) -> JSONValue {
                [
                    "title": "Rule", "when": [["on": "state", "thing": "fan", "field": .string(field)]],
                    "then": [["notify": ["user:owner"]]],
                ]
            }
            let made = await home.ask("POST", "", rule("onn"), as: home.owner)
            #expect(made.status == 201, "\(made.body)")
            #expect(made.body["warnings"] == ["fan has no field \"onn\" now; did you mean \"on\"?"])
            let right = await home.ask("POST", "", rule("on"), as: home.owner)
            #expect(right.status == 201 && right.body["warnings"] == nil, "\(right.body)")
        }
    }

    @Test func `a connection that nothing reports is a warning`() async throws {
        try await withRules { (home, _) async throws in
            let rule: JSONValue = [
                "title": "Lost",
                "when": [["on": "device", "thing": "fan", "event": "on_connection_lost"]],
                "then": [["notify": ["user:owner"]]],
            ]
            let made = await home.ask("POST", "", rule, as: home.owner)
            let warning = made.body["warnings"]?.array?.first?.string
            #expect(
                made.status == 201 && warning?.contains("whether fan is connected") == true,
                "\(made.body)"
            )
        }
    }

    @Test(
        arguments: [
            // The tests are in March 2030.
            ("2026-12-20", "2027-01-06", true), (nil, "2029-12-31", true), (nil, "2031-01-01", false),
            ("2026-12-20", nil, false),
        ] as [(String?, String?, Bool)]
    )
    func `a schedule whose dates are over is a warning`(from: String?, until: String?, isOver: Bool)
        async throws
    {
        try await withRules { (home, _) async throws in
            var schedule: JSONObject = ["on": "schedule", "startTimeEachDay": "08:00:00"]
            schedule["startDate"] = from.map { .string($0) }
            schedule["endDate"] = until.map { .string($0) }
            let rule: JSONValue = [
                "title": "Dates", "when": [.object(schedule)], "then": [["notify": ["user:owner"]]],
            ]
            let made = await home.ask("POST", "", rule, as: home.owner)
            let warning = made.body["warnings"]?.array?.first?.string
            #expect(made.status == 201, "\(made.body)")
            #expect((warning?.contains("the schedule is never due") ?? false) == isOver, "\(made.body)")
        }
    }

    // MARK: Fields

    @Test func `a field that a thing at the edge has never reported is a warning`() async throws {
        try await withRules { (home, _) async throws in
            home.place.withLock { place in
                place.edge = [TestRules.fan]
                place.data[TestRules.fan] = ["speed": 3]
            }
            let trigger: JSONValue = ["on": "state", "thing": "fan", "field": "sped"]
            let made = await home.ask("POST", "", Self.rule(when: trigger), as: home.owner)
            #expect(
                Self.warnings(made) == ["fan has not reported a field \"sped\" yet; did you mean \"speed\"?"]
            )
            // Before its first report nothing is known.
            home.place.withLock { $0.data[TestRules.fan] = [:] }
            _ = await home.ask("DELETE", "rule", as: home.owner)
            let early = await home.ask("POST", "", Self.rule(when: trigger), as: home.owner)
            #expect(early.status == 201 && early.body["warnings"] == nil, "\(early.body)")
        }
    }

    @Test func `a property that the profile has may have no value yet`() async throws {
        try await withRules { (home, _) async throws in
            let trigger: JSONValue = ["on": "state", "thing": "radiator", "field": "target"]
            let made = await home.ask("POST", "", Self.rule(when: trigger), as: home.owner)
            #expect(made.status == 201 && made.body["warnings"] == nil, "\(made.body)")
            let other: JSONValue = ["on": "state", "thing": "radiator", "field": "targt"]
            let wrong = await home.ask("POST", "", Self.rule(when: other), as: home.owner)
            let warning = "radiator has no field \"targt\" now; did you mean \"target\"?"
            #expect(Self.warnings(wrong) == [warning], "\(wrong.body)")
        }
    }

    // MARK: Comparisons

    private static let profile: ThingKind = {
        var mode = ProfileProperty(name: "mode")
        mode.control = .select
        mode.actions = ["auto", "heat"].map { ProfileAction(name: $0, value: .string($0)) }
        var target = ProfileProperty(name: "target")
        (target.control, target.minimum, target.maximum) = (.slider, 5, 30)
        (mode.notifies, target.notifies) = (true, true)
        var profile = Profile(name: "heating", model: nil, origin: .builtIn)
        profile.properties = [mode, target]
        return ThingKind(profile)
    }()

    private static let comparisons: [(thing: String, comparison: String, warning: String?)] = [
        (
            "desk-lamp", "brightness>=2",
            "it is never true that desk-lamp's brightness is at least 2: brightness is a number from 0 to 1"
        ),
        (
            "desk-lamp", "brightness>=0",
            "it is always true that desk-lamp's brightness is at least 0: brightness is a number from 0 to 1"
        ),
        ("desk-lamp", "brightness>0", nil), ("desk-lamp", "brightness==50%", nil),
        (
            "desk-lamp", "brightness==bright",
            "it is never true that desk-lamp's brightness is \"bright\": brightness is a number from 0 to 1"
        ),
        (
            "desk-lamp", "on==ON",
            "it is never true that desk-lamp's on is \"ON\": on is true or false"
        ),
        ("desk-lamp", "on==true", nil), ("desk-lamp", "color==red", nil),
        (
            "desk-lamp", "color>=3", "it is never true that desk-lamp's color is at least 3: color is a text"
        ),
        ("desk-lamp", "watts>=2000", nil),
        (
            "radiator", "mode==cool",
            "it is never true that radiator's mode is \"cool\": mode is one of \"auto\", \"heat\""
        ),
        (
            "radiator", "mode!=cool",
            "it is always true that radiator's mode is not \"cool\": mode is one of \"auto\", \"heat\""
        ),
        ("radiator", "mode==heat", nil),
        (
            "radiator", "target>30",
            "it is never true that radiator's target is above 30: target is a number from 5 to 30"
        ),
        ("radiator", "target>=30", nil),
    ]

    private func withThings(_ body: (TestRules) async throws -> Void) async throws {
        try await withRules { (home, _) async throws in
            home.place.withLock { place in
                place.kinds = [TestRules.radiator: Self.profile]
                place.data[TestRules.lamp] = [
                    "on": true, "brightness": 0.5, "color": "red", "watts": 4, "readonly": ["watts"],
                ]
                place.data[TestRules.radiator] = ["mode": "auto"]
            }
            try await body(home)
        }
    }

    @Test(arguments: comparisons.indices)
    func `a comparison that no value can change is a warning`(index: Int) async throws {
        let (thing, comparison, warning) = Self.comparisons[index]
        try await withThings { home in
            var options = RuleOptions()
            (options.title, options.thing, options.when) = ("Rule", thing, [comparison])
            options.steps = [.notify("user:owner")]
            let made = try await home.addAsVerb(options)
            #expect(made.status == 201, "\(made.body)")
            #expect(Self.warnings(made) == [warning].compactMap(\.self))
        }
    }

    @Test func `a condition is compared, too`() async throws {
        try await withThings { home in
            let condition: JSONValue = [
                "thing": "desk-lamp",
                "clause": ["type": "range", "field": "brightness", "lowerLimit": 50],
            ]
            let made = await home.ask("POST", "", Self.rule(if: condition), as: home.owner)
            #expect(
                Self.warnings(made).first?.hasPrefix("it is never true that desk-lamp's brightness") == true
            )
        }
    }

    @Test func `a thing that is beyond its range now has no range`() async throws {
        try await withThings { home in
            home.place.withLock { $0.data[TestRules.radiator] = ["target": 40] }
            var options = RuleOptions()
            (options.thing, options.when) = ("radiator", ["target>30"])
            options.steps = [.notify("user:owner")]
            let made = try await home.addAsVerb(options)
            #expect(made.status == 201 && made.body["warnings"] == nil, "\(made.body)")
        }
    }

    // MARK: Targets

    private static let nearby: [(step: JSONObject, words: String?)] = [
        (["set": ["brightness": "40%"]], nil), (["set": ["on": true]], nil),
        (["set": ["target": 20]], nil), (["action": "nextColor"], nil), (["action": "heat"], nil),
        (["set": ["brightness": "150%"]], "brightness must be"), (["set": ["target": 50]], "5 to 30"),
        (["set": ["onn": true]], "none has onn"), (["action": "fly"], "none has the action \"fly\""),
    ]

    @Test(arguments: nearby.indices)
    func `what no thing takes that can be near is a warning, since others may come`(index: Int) async throws {
        let (step, words) = Self.nearby[index]
        try await withThings { home in
            // Another one that may take all would say nothing.
            home.place.withLock { place in
                for thing in [TestRules.fan, TestRules.pump] { place.data[thing] = ["minor": 7] }
            }
            var action = step
            action["target"] = "nearby"
            let made = await home.ask("POST", "", Self.rule(then: .object(action)), as: home.owner)
            #expect(made.status == 201, "\(made.body)")
            let warnings = Self.warnings(made)
            #expect(warnings.isEmpty == (words == nil), "\(warnings)")
            if let words {
                let start = "no thing in this place can do this now when it is nearby: "
                #expect(warnings.first?.hasPrefix(start) == true, "\(warnings)")
                #expect(warnings.first?.contains(words) == true, "\(warnings)")
            }
        }
    }

    @Test func `a warning does not tell what a thing takes that the maker may not see`() async throws {
        try await withThings { home in
            try home.allow(home.bob, .read, .devices)
            home.place.withLock { place in
                place.zones[TestRules.radiator] = TestRules.garden
                for thing in [TestRules.fan, TestRules.pump] { place.data[thing] = ["minor": 7] }
            }
            let action: JSONValue = ["set": ["target": 50], "target": "nearby"]
            let made = await home.ask("POST", "", Self.rule(then: action), as: home.bob)
            #expect(made.status == 201, "\(made.body)")
            #expect(Self.warnings(made).first?.hasSuffix("none has target") == true, "\(made.body)")
        }
    }

    @Test func `a zone without lights is a warning, since one may come`() async throws {
        try await withThings { home in
            let action: JSONValue = ["set": ["on": true], "target": "zone:garden"]
            let made = await home.ask("POST", "", Self.rule(then: action), as: home.owner)
            #expect(
                Self.warnings(made) == [
                    "zone garden has no light now: the rule sets nothing there until it has one"
                ]
            )
            let lit: JSONValue = ["set": ["on": true], "target": "zone:kitchen"]
            let right = await home.ask("POST", "", Self.rule(then: lit), as: home.owner)
            #expect(right.status == 201 && right.body["warnings"] == nil, "\(right.body)")
        }
    }

    @Test func `a display that is not attached is a warning, since it may come`() async throws {
        try await withRules { (home, _) async throws in
            home.place.withLock { $0.displays = ["hall", "kitchen"] }
            let all: JSONValue = ["notify": ["display:hall", "display:hal", "display:all"]]
            let made = await home.ask("POST", "", Self.rule(then: all), as: home.owner)
            #expect(
                Self.warnings(made) == [
                    "no display \"hal\" is attached now; did you mean \"hall\"? there are hall, kitchen"
                ]
            )
            // Who may not read devices does not learn which displays are there.
            let other = await home.ask(
                "POST",
                "",
                Self.rule(then: ["notify": ["display:hal"]]),
                as: home.bob
            )
            #expect(Self.warnings(other) == ["no display \"hal\" is attached now"], "\(other.body)")
        }
    }

    // MARK: Ways

    @Test func `each of two requests that replace one rule at a time gets its own warnings`() async throws {
        try await withThings { home in
            home.meanwhile.withLock { $0 = { await Task.yield() } }
            let made = await home.ask("POST", "", Self.rule(), as: home.owner)
            #expect(made.status == 201, "\(made.body)")
            await withTaskGroup(of: Void.self) { group in
                for field in ["onn", "offf", "brightnes"] {
                    group.addTask {
                        let trigger: JSONValue = [
                            "on": "state", "thing": "desk-lamp", "field": .string(field),
                        ]
                        for _ in 0..<50 {
                            let rule = Self.rule(when: trigger)
                            let answer = await home.ask("PUT", "rule", rule, as: home.owner)
                            let warnings = Self.warnings(answer)
                            #expect(
                                warnings.count == 1 && warnings.first?.contains("\"\(field)\"") == true,
                                "\(answer.body)"
                            )
                        }
                    }
                }
            }
        }
    }

    @Test func `each way of making a rule gives the same warnings`() async throws {
        try await withThings { home in
            var rule = try #require(
                Self.rule(when: ["on": "state", "thing": "desk-lamp", "field": "onn"]).object
            )
            rule["colour"] = "red"
            let added = await home.ask("POST", "", .object(rule), as: home.owner)
            #expect(added.status == 201 && Self.warnings(added).count == 2, "\(added.body)")
            let edited = await home.ask("PUT", "rule", .object(rule), as: home.owner)
            #expect(edited.status == 200 && Self.warnings(edited) == Self.warnings(added), "\(edited.body)")
            rule["title"] = "Other"
            let wrapped: JSONValue = ["rule": .object(rule), "form": "rule"]
            let field = Self.warnings(added).last
            for check in [true, false] {
                let body: JSONValue = ["rules": [wrapped], "check": .bool(check)]
                let imported = await home.ask("POST", "import", body)
                // The reader of the file has warned of unknown members.
                let warning = imported.body["warnings"]?.array?.first
                #expect(imported.body["warnings"]?.array?.count == 1, "\(imported.body)")
                #expect(warning?["index"] == 0 && warning?["field"] == "when[0].field", "\(imported.body)")
                #expect(warning?["code"] == "unknown_attribute" && warning?["message"]?.string == field)
            }
        }
    }

    @Test func `an imported rule with the title of another one, and other content, is a warning`()
        async throws
    {
        try await withRules { (home, _) async throws in
            func wrapped(_ title: String, pause: Int) -> JSONValue {
                var rule = TestRules.simple(title).object ?? [:]
                rule["pause"] = JSONValue(pause)
                return ["rule": .object(rule), "form": "rule"]
            }
            _ = await home.ask("POST", "import", ["rules": [wrapped("One", pause: 1)]])
            let more: JSONValue = [
                wrapped("One", pause: 1), wrapped("One", pause: 2), wrapped("Two", pause: 1),
                wrapped("Two", pause: 2),
            ]
            let answer = await home.ask("POST", "import", ["rules": more])
            #expect(answer.body["rules"]?.array?.map { $0["slug"] } == ["one", "one-2", "two", "two-2"])
            let warnings = answer.body["warnings"]?.array ?? []
            #expect(warnings.map { $0["index"] } == [1, 3] && warnings.allSatisfy { $0["field"] == "title" })
            let texts = warnings.compactMap { $0["message"]?.string }
            #expect(texts.first?.hasPrefix("the rule one has the same title and other content") == true)
            #expect(texts.last?.hasPrefix("an earlier rule of this import has the same title") == true)
            // Another maker's rules are other rules.
            let others = await home.ask("POST", "import", ["rules": more, "as": "bob"])
            #expect(others.body["warnings"]?.array?.map { $0["index"] } == [1, 3], "\(others.body)")
        }
    }

    @Test func `a rule like one of its maker is added with a warning`() async throws {
        try await withRules { (home, _) async throws in
            let one = TestRules.simple("One")
            let first = await home.ask("POST", "", one, as: home.owner)
            #expect(first.status == 201 && first.body["warnings"] == nil, "\(first.body)")
            let second = await home.ask("POST", "", one, as: home.owner)
            #expect(second.status == 201 && second.body["slug"] == "one-2", "\(second.body)")
            let warning = Self.warnings(second).first
            #expect(warning?.hasPrefix("the rule one has the same title and content") == true)
            var other = one.object ?? [:]
            other["pause"] = 7
            let third = await home.ask("POST", "", .object(other), as: home.owner)
            #expect(third.status == 201 && third.body["warnings"] == nil, "\(third.body)")
        }
    }
}
