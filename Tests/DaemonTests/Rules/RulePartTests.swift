import Accounts
import Daemon
import JSON
import People
import Testing

/// A refusal names the part of a rule that it is about, so that a form can show it there.
@Suite(.timeLimit(.minutes(2)))
struct RulePartTests {
    private static let setFan: JSONValue = ["set": ["on": true], "target": "thing:fan"]
    private static let fanIsOn: JSONValue = ["on": "state", "thing": "fan", "field": "on"]
    private static let atSeven: JSONValue = ["on": "cron", "cron": "0 7 * * *"]
    private static let atSunset: JSONValue = [
        "during": ["startTimeEachDay": "sunset", "endTimeEachDay": "23:00:00"]
    ]
    private static let isWarm: JSONValue = ["on": "state", "thing": "radiator", "field": "room_temp"]

    private static func rule(_ when: [JSONValue], if conditions: [JSONValue] = [], _ then: [JSONValue])
        -> JSONValue
    {
        ["title": "Rule", "when": .array(when), "if": .array(conditions), "then": .array(then)]
    }

    /// What bob asks, who may write in the kitchen and nothing else, and the part at fault.
    private static let ofBob: [(rule: JSONValue, part: String)] = [
        (rule([fanIsOn, ["on": "near", "thing": "fan"]], [setFan]), "when[1]"),
        (rule([fanIsOn], if: [["level": ["Active"]]], [setFan]), "if[0]"),
        (rule([fanIsOn], [setFan, ["ceiling": "NONE"]]), "then[1]"),
        (rule([fanIsOn], [setFan, ["set": ["on": true], "target": "nearby"]]), "then[1]"),
        (rule([fanIsOn], [["notify": ["user:bob"]], ["notify": ["user:carol"]]]), "then[1]"),
        (rule([fanIsOn], [setFan, ["set": ["on": true], "target": "thing:pump"]]), "then[1].target"),
    ]

    @Test(arguments: ofBob.indices)
    func `a right that is missing is missing for a part of the rule`(index: Int) async throws {
        let (rule, part) = Self.ofBob[index]
        try await withRules { (home, _) async throws in
            let answer = await home.ask("POST", "", rule, as: home.bob)
            #expect(answer.body["field"]?.string == part, "\(answer.body)")
        }
    }

    /// What the owner asks, who may do everything.
    private static let ofOwner: [(rule: JSONValue, code: String, part: String)] = [
        (
            rule([atSeven], [setFan, ["set": ["room_temp": 1], "target": "thing:radiator"]]),
            "not_schedulable", "then[1]"
        ),
        (rule([isWarm], [setFan, ["notify": ["user:owner"]]]), "not_notifiable", "then[1]"),
        (rule([atSeven], if: [atSunset], [setFan]), "invalid_value", "if[0]"),
        (
            rule([fanIsOn, ["on": "cron", "cron": "0 7 * * *", "timeZone": "Nowhere/Land"]], [setFan]),
            "invalid_value", "when[1]"
        ),
        (rule([fanIsOn], [setFan, ["notify": ["contact:nobody"]]]), "invalid_value", "then[1]"),
    ]

    @Test(arguments: ofOwner.indices)
    func `what a profile, the place or the contacts do not allow, they do not allow a part`(index: Int)
        async throws
    {
        let (rule, code, part) = Self.ofOwner[index]
        try await withRules { (home, _) async throws in
            let answer = await home.ask("POST", "", rule, as: home.owner)
            #expect(answer.body["error"]?.string == code, "\(answer.body)")
            #expect(answer.body["field"]?.string == part, "\(answer.body)")
        }
    }
}
