import Bindings
package import JSON

extension Rule {
    /// The rule as Kii's form has it, without `triggerID`; `nil` if that form cannot say it.
    ///
    /// It can say one trigger by a clause, cron or a time, without conditions, and one thing that is driven.
    /// - Parameter issuer: Who gives the command, such as `user:alice`, unless the command itself names somebody.
    /// - Source: contrib/contract/rules.md, "Faces", Kii.
    package func kiiTrigger(issuer: String) -> JSONObject? {
        guard conditions.isEmpty, pause == 0, triggers.count == 1, actions.count == 1,
            let predicate = triggers.first?.kiiPredicate, let action = actions.first, action.timing == .start,
            case .drive(let drive, .thing(let target)) = action.work
        else { return nil }
        var command = drive.kiiCommand
        command["target"] = .string("thing:\(target.text)")
        command["issuer"] = command["issuer"] ?? .string(issuer)
        // The SDKs do not read a command without them.
        command["schema"] = command["schema"] ?? ""
        command["schemaVersion"] = command["schemaVersion"] ?? 0
        var json: JSONObject = [
            "predicate": .object(predicate), "command": .object(command), "triggersWhat": "COMMAND",
            "title": .string(title), "disabled": .bool(!isEnabled),
        ]
        json["description"] = description.map { .string($0) }
        return json
    }
}

extension RuleTrigger {
    fileprivate var kiiPredicate: JSONObject? {
        switch self {
        case .state(let trigger):
            guard case .clause(let clause) = trigger.subject, trigger.hold == 0, trigger.margin == 0 else {
                return nil
            }
            return [
                "eventSource": "STATES", "condition": .object(clause.json),
                "triggersWhen": .string(trigger.edge.rawValue),
            ]
        case .time(let trigger):
            guard trigger == TimeTrigger(trigger.due) else { return nil }
            switch trigger.due {
            case .cron(let cron): return ["eventSource": "SCHEDULE", "schedule": .string(cron.text)]
            case .once(let time): return ["eventSource": "SCHEDULE_ONCE", "scheduleAt": JSONValue(Int(time))]
            case .schedule: return nil
            }
        case .enter, .exit, .near, .far, .call, .level, .device: return nil
        }
    }
}

extension RuleAction.Drive {
    fileprivate var kiiCommand: JSONObject {
        switch self {
        case .command(let command): command.json
        case .set(let values): ["actions": .array(values.map { .object([$0.key: $0.value]) })]
        case .action(let name): ["actions": [.object([name: true])]]
        }
    }
}
