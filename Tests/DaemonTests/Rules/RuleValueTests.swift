import Accounts
import Daemon
import Flare
import JSON
import People
import Rules
import Testing
import Threading

/// What a rule sets and does is checked when it is made, as far as its things have told what they have.
@Suite(.timeLimit(.minutes(2)))
struct RuleValueTests {
    private static let right: [(step: JSONValue, target: String)] = [
        (["set": ["on": false]], "thing:fan"), (["set": ["brightness": "40%"]], "thing:fan"),
        (["set": ["state": "OFF", "transition": 2]], "zone:kitchen"),
        (["set": ["on": false]], "zone:kitchen"),
        (["action": "lighter"], "thing:fan"),
        // The pump has told nothing yet, and the garden has no light.
        (["set": ["speed": 3]], "thing:pump"), (["set": ["speed": 3]], "zone:garden"),
        (["action": "blink"], "thing:pump"), (["set": ["onn": 1]], "nearby"),
    ]

    private static let wrong: [(step: JSONValue, target: String, code: String)] = [
        (["set": ["onn": false]], "thing:fan", "unknown_attribute"),
        (["set": ["brightness": "500%"]], "thing:fan", "out_of_range"),
        (["set": ["on": "perhaps"]], "thing:fan", "invalid_value"),
        (["set": ["warmth": 3]], "zone:kitchen", "unknown_attribute"),
        (["set": ["on": "perhaps"]], "zone:kitchen", "invalid_value"),
        (["action": "opn"], "thing:fan", "unknown_action"),
    ]

    private static func rule(_ step: JSONValue, _ target: String) -> JSONValue {
        var action = step.object ?? [:]
        action["target"] = .string(target)
        return [
            "title": "Rule", "when": [["on": "cron", "cron": "0 7 * * *"]],
            "then": [["notify": ["user:owner"]], .object(action)],
        ]
    }

    private func ask(_ step: JSONValue, _ target: String) async throws -> TestRules.Reply {
        var reply: TestRules.Reply = (0, .null)
        try await withRules { (home, _) async throws in
            home.place.withLock { place in
                place.kinds = [:]
                place.data[TestRules.fan] = ["on": true, "brightness": 0.5]
                place.data[TestRules.lamp] = ["brightness": 0.5]
            }
            reply = await home.ask("POST", "", Self.rule(step, target), as: home.owner)
        }
        return reply
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

    @Test func `a connection that nothing tells is a warning`() async throws {
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

    @Test(arguments: right.indices)
    func `what a thing takes, or has not told yet, is accepted`(index: Int) async throws {
        let (step, target) = Self.right[index]
        let answer = try await ask(step, target)
        #expect(answer.status == 201, "\(answer.body)")
    }

    @Test(arguments: wrong.indices)
    func `what a thing would refuse is refused when the rule is made, with its part`(index: Int)
        async throws
    {
        let (step, target, code) = Self.wrong[index]
        let answer = try await ask(step, target)
        #expect(answer.body["error"]?.string == code, "\(answer.body)")
        #expect(answer.body["field"] == "then[1]", "\(answer.body)")
    }
}
