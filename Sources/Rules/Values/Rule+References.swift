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

    /// The rule with other devices whose places it looks at.
    ///
    /// - Parameter replace: Has a device, and the path of its member.
    package func replacingDevices<Failure: Error>(
        by replace: (_ device: RuleDevice, _ path: String) throws(Failure) -> RuleDevice
    ) throws(Failure) -> Rule {
        var rule = self
        for (index, trigger) in triggers.enumerated() {
            guard let who = trigger.who else { continue }
            rule.triggers[index] = trigger.by(try replace(who, "when[\(index)].device"))
        }
        for (index, condition) in conditions.enumerated() {
            guard let who = condition.who else { continue }
            rule.conditions[index] = condition.of(try replace(who, "if[\(index)].device"))
        }
        return rule
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
    fileprivate func by(_ device: RuleDevice) -> Self {
        switch self {
        case .enter(let place, _): .enter(place, by: device)
        case .exit(let place, _): .exit(place, by: device)
        case .near(let thing, _): .near(thing, by: device)
        case .far(let thing, _): .far(thing, by: device)
        case .state, .time, .call, .level, .device: self
        }
    }

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
        case .enter(.zone(let zone), let who): .enter(.zone(try replace(zone, "\(path).zone")), by: who)
        case .exit(.zone(let zone), let who): .exit(.zone(try replace(zone, "\(path).zone")), by: who)
        case .near(let thing, let who): .near(try replace(thing, "\(path).thing"), by: who)
        case .far(let thing, let who): .far(try replace(thing, "\(path).thing"), by: who)
        case .device(let trigger):
            .device(
                DeviceTrigger(
                    try replace(trigger.thing, "\(path).thing"),
                    trigger.event,
                    threshold: trigger.threshold
                )
            )
        case .enter, .exit, .time, .call, .level: self
        }
    }
}

extension RuleCondition {
    fileprivate func of(_ device: RuleDevice) -> Self {
        switch self {
        case .zone(let zones, _): .zone(zones, of: device)
        case .near(let things, _): .near(things, of: device)
        case .state, .during, .level: self
        }
    }

    fileprivate func replacing(_ replace: Rule.Replacement, at path: String) throws(Refusal) -> Self {
        switch self {
        case .state(let thing, let clause): .state(try replace(thing, "\(path).thing"), clause)
        case .zone(let zones, let who):
            .zone(try Self.replacing(zones, replace, at: "\(path).zone"), of: who)
        case .near(let things, let who):
            .near(try Self.replacing(things, replace, at: "\(path).near"), of: who)
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
