package import Controller
package import JSON
import Text
import Things

/// Switches a rule, or does its actions now, as a message on the broker says.
///
/// The service of rules knows who may, so the policies are not asked.
/// - Source: contrib/contract/rules.md, "MQTT".
package struct RuleTopicCommand: SliceCommand {
    package enum Work: Sendable, Hashable {
        case turn(isOn: Bool)
        case run
    }

    /// As received: a slug or a number.
    let rule: String
    let work: Work

    package var permission: ChangeRequest.Kind? { nil }
    package var logName: String {
        switch work {
        case .turn(isOn: true): RuleService.Act.turnOn.rawValue
        case .turn(isOn: false): RuleService.Act.turnOff.rawValue
        case .run: RuleService.Act.run.rawValue
        }
    }
    package var logTarget: String? { QuotedValue.clipped(rule, to: 60) }
    package var logValues: JSONValue? { nil }
    package var summary: CommandSummary? {
        let verb =
            switch work {
            case .turn(isOn: true): "switch on rule"
            case .turn(isOn: false): "switch off rule"
            case .run: "run rule"
            }
        return CommandSummary(verb, of: .target(QuotedValue.clipped(rule, to: 60)))
    }

    /// The fields that an answer has.
    var accepted: JSONObject {
        switch work {
        case .turn(let isOn): ["state": isOn ? "ON" : "OFF"]
        case .run: [:]
        }
    }
}

extension CommandDescriptor {
    /// Over HTTP rules are switched and run below `/api/rules`.
    package static let ruleSet = CommandDescriptor("rules/{rule}/set", isOnWeb: false) {
        topic,
        payload throws(Refusal) in
        RuleTopicCommand(rule: topic.name, work: .turn(isOn: try payload.isOn(named: "state")))
    }

    package static let ruleRun = CommandDescriptor("rules/{rule}/run", isOnWeb: false) {
        topic,
        payload throws(Refusal) in
        try payload.membersOnly().finish()
        return RuleTopicCommand(rule: topic.name, work: .run)
    }
}
