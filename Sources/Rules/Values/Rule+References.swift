package import Flare
package import Things

extension Rule {
    /// The rule with identifiers in place of the names that it came in with.
    ///
    /// - Parameter find: Has the class of an object and a slug, an identifier, or `th.…` of a binding.
    /// - Throws: What `find` throws, with the path of the member, such as `when[0].thing`, before its
    ///   sentence.
    package func resolved(
        by find: (_ kind: FlareClass, _ text: String) throws(Refusal) -> FlareID
    ) throws(Refusal) -> Rule {
        try replacingReferences { reference, path throws(Refusal) in
            do throws(Refusal) {
                return RuleReference(reference.kind, try find(reference.kind, reference.text))
            } catch {
                throw Refusal(error.code, "\(path): \(error.message)", field: path)
            }
        }
    }

    /// The rule with the names of its objects, for people; what has none keeps its identifier.
    package func named(by name: (_ kind: FlareClass, _ id: FlareID) -> String?) -> Rule {
        let named = try? replacingReferences { reference, _ throws(Refusal) in
            guard let id = reference.id, let name = name(reference.kind, id) else { return reference }
            return RuleReference(reference.kind, name)
        }
        return named ?? self
    }

    /// The rule with other recipients in its messages, each once.
    package func replacingRecipients<Failure: Error>(
        by replace: (NotificationRecipient) throws(Failure) -> NotificationRecipient
    ) throws(Failure) -> Rule {
        var rule = self
        for index in actions.indices {
            guard case .notify(let old) = actions[index].work else { continue }
            var recipients: [NotificationRecipient] = []
            for recipient in old.recipients {
                let new = try replace(recipient)
                if !recipients.contains(new) { recipients.append(new) }
            }
            let new = RuleNotification(to: recipients, by: old.channels, subject: old.subject, text: old.text)
            rule.actions[index] = RuleAction(.notify(new), at: actions[index].timing)
        }
        return rule
    }

    typealias Replacement = (_ reference: RuleReference, _ path: String) throws(Refusal) -> RuleReference

    private func replacingReferences(_ replace: Replacement) throws(Refusal) -> Rule {
        var rule = self
        for index in triggers.indices {
            rule.triggers[index] = try triggers[index].replacing(replace, at: "when[\(index)]")
        }
        for index in conditions.indices {
            rule.conditions[index] = try conditions[index].replacing(replace, at: "if[\(index)]")
        }
        for index in actions.indices {
            rule.actions[index] = try actions[index].replacing(replace, at: "then[\(index)]")
        }
        return rule
    }
}

extension RuleTrigger {
    fileprivate func replacing(_ replace: Rule.Replacement, at path: String) throws(Refusal) -> Self {
        switch self {
        case .state(let trigger):
            .state(
                StateTrigger(
                    try replace(trigger.thing, "\(path).thing"),
                    trigger.subject,
                    edge: trigger.edge,
                    hold: trigger.hold,
                    margin: trigger.margin
                )
            )
        case .enter(.zone(let zone)): .enter(.zone(try replace(zone, "\(path).zone")))
        case .exit(.zone(let zone)): .exit(.zone(try replace(zone, "\(path).zone")))
        case .near(let thing): .near(try replace(thing, "\(path).thing"))
        case .far(let thing): .far(try replace(thing, "\(path).thing"))
        case .device(let trigger):
            .device(
                DeviceTrigger(
                    try replace(trigger.thing, "\(path).thing"),
                    trigger.event,
                    threshold: trigger.threshold
                )
            )
        case .enter(.circle), .enter(.beacon), .exit(.circle), .exit(.beacon), .time, .call, .level: self
        }
    }
}

extension RuleCondition {
    fileprivate func replacing(_ replace: Rule.Replacement, at path: String) throws(Refusal) -> Self {
        switch self {
        case .state(let thing, let clause): .state(try replace(thing, "\(path).thing"), clause)
        case .zone(let zones): .zone(try Self.replacing(zones, replace, at: "\(path).zone"))
        case .near(let things): .near(try Self.replacing(things, replace, at: "\(path).near"))
        case .during, .level: self
        }
    }

    private static func replacing(
        _ references: [RuleReference],
        _ replace: Rule.Replacement,
        at path: String
    ) throws(Refusal) -> [RuleReference] {
        var replaced: [RuleReference] = []
        for (index, reference) in references.enumerated() {
            replaced.append(try replace(reference, "\(path)[\(index)]"))
        }
        return replaced
    }
}

extension RuleAction {
    fileprivate func replacing(_ replace: Rule.Replacement, at path: String) throws(Refusal) -> Self {
        guard case .drive(let drive, let target) = work else { return self }
        let path = "\(path).target"
        switch target {
        case .thing(let thing):
            return RuleAction(.drive(drive, .thing(try replace(thing, path))), at: timing)
        case .zone(let zone): return RuleAction(.drive(drive, .zone(try replace(zone, path))), at: timing)
        case .nearby: return self
        }
    }
}
