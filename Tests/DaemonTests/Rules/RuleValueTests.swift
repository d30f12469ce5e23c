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
        // The radiator is a wardrobe here, which has nothing but a beacon.
        (["set": ["on": true]], "thing:radiator", "unknown_attribute"),
        (["set": ["minor": 8]], "thing:radiator", "not_settable"),
        (["action": "on"], "thing:radiator", "unknown_action"),
        (["set": ["transition": 2]], "thing:fan", "invalid_value"),
        (["action": "lighter"], "zone:kitchen", "unknown_action"),
    ]

    /// A light with a connection of its own, which reports some of what it has.
    private static let edge: [(step: JSONValue, target: String, code: String?)] = [
        (["set": ["on": true]], "thing:pump", nil), (["set": ["speed": 3]], "thing:pump", nil),
        (["action": "spin"], "thing:pump", nil), (["set": ["warmth": 3]], "zone:garden", nil),
        (["set": ["brightness": "500%"]], "thing:pump", "out_of_range"),
        (["set": ["brightness": "500%", "speed": 3]], "thing:pump", "out_of_range"),
        (["set": ["brightness": "500%"]], "zone:garden", "out_of_range"),
        (["set": ["watts": 3]], "thing:pump", "not_settable"),
    ]

    /// A blind with a profile that knows its properties, but not yet of which type the tilt is.
    private static let blind: [(step: JSONValue, code: String?)] = [
        (["set": ["tilt": 3]], nil), (["set": ["position": 3]], nil),
        (["set": ["position": 300]], "out_of_range"),
        (["set": ["heat": 3]], "unknown_attribute"), (["action": "blink"], "unknown_action"),
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
                place.data[TestRules.radiator] = ["minor": 7]
            }
            reply = await home.ask("POST", "", Self.rule(step, target), as: home.owner)
        }
        return reply
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

    @Test(arguments: edge.indices)
    func `what a thing at the edge has told is checked, and the rest may come`(index: Int) async throws {
        let (step, target, code) = Self.edge[index]
        try await withRules { (home, _) async throws in
            home.place.withLock { place in
                place.edge = [TestRules.pump]
                place.data[TestRules.pump] = [
                    "on": true, "brightness": 0.5, "watts": 4, "readonly": ["watts"],
                ]
            }
            let answer = await home.ask("POST", "", Self.rule(step, target), as: home.owner)
            #expect(answer.body["error"]?.string == code, "\(answer.body)")
        }
    }

    @Test(arguments: blind.indices)
    func `what a profile does not have is refused, though it does not say all of the rest`(index: Int)
        async throws
    {
        let (step, code) = Self.blind[index]
        try await withRules { (home, _) async throws in
            home.place.withLock { place in
                var profile = Profile(name: "blind", model: nil, origin: .builtIn)
                var position = ProfileProperty(name: "position")
                (position.control, position.minimum, position.maximum) = (.slider, 0, 100)
                var tilt = ProfileProperty(name: "tilt")
                (position.isScheduled, tilt.isScheduled) = (true, true)
                profile.properties = [position, tilt]
                place.kinds[TestRules.fan] = ThingKind(profile)
            }
            let answer = await home.ask("POST", "", Self.rule(step, "thing:fan"), as: home.owner)
            #expect(answer.body["error"]?.string == code, "\(answer.body)")
        }
    }

    @Test func `a refusal of what cannot be set says what can`() async throws {
        let wardrobe = try await ask(["set": ["on": true]], "thing:radiator").body["message"]?.string
        #expect(wardrobe == "\"radiator\" has no attribute \"on\"; nothing of it can be set")
        let zone = try await ask(["action": "lighter"], "zone:kitchen").body["message"]?.string
        #expect(zone?.contains("its lights can be set") == true, "\(zone ?? "")")
    }
}
