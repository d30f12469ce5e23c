import Accounts
import Administration
import Bindings
import Flare
import JSON
import People
import Rules
import Text
import Things

/// What is legal in a rule and probably a mistake: what it looks at or drives is not there, and may come later.
///
/// - Source: contrib/contract/rules.md, "Actions" and "Faces".
extension RuleService {
    /// The warnings of a rule as it was stored, without anything that its maker may not read.
    ///
    /// Somebody else may have replaced it since.
    func warnings(of known: Known) async -> [RuleWarning] {
        await warnings(of: known.rule, for: .user(known.stored.maker))
    }

    /// - Parameters:
    ///   - rule: With identifiers.
    ///   - caller: Its maker.
    func warnings(of rule: Rule, for caller: Caller) async -> [RuleWarning] {
        let isAnywhere = rule.uses.writes.contains { $0.target == .nearby }
        let place = await sight(of: [rule], isWhole: isAnywhere).place
        let zones = await ports.place.slugs(rule.drivenZones.map { ObjectReference(.zone, $0) })
        var all: [RuleWarning] = []
        for (index, trigger) in rule.triggers.enumerated() {
            let path = "when[\(index)]"
            all += warnings(of: trigger, in: place).map {
                RuleWarning("\(path)\($0.path)", $0.message, $0.code)
            }
        }
        for (index, condition) in rule.conditions.enumerated() {
            guard case .state(let reference, let clause) = condition,
                let thing = reference.id.flatMap({ place.things[$0] })
            else { continue }
            all += thing.warnings(of: clause, at: "if[\(index)].clause")
        }
        for (index, action) in rule.actions.enumerated() {
            let path = "then[\(index)]"
            switch action.work {
            case .drive(let drive, let target):
                all += warning(of: drive, target, at: path, for: caller, in: place) { zone in
                    zones[ObjectReference(.zone, zone)] ?? "\(zone)"
                }
            case .notify(let notification):
                all += warnings(of: notification, at: path, for: caller, in: place)
            case .ceiling, .publish: break
            }
        }
        all += rule.pastSchedules(at: now, in: calendar).map { RuleWarning("when", $0, .invalidValue) }
        // A rule that looks at something twice gets one warning.
        var told: Set<String> = []
        return Array(all.filter { told.insert($0.message).inserted }.prefix(RuleLimits.warnings))
    }

    // MARK: What it looks at

    /// - Returns: Warnings whose paths begin in the trigger.
    private func warnings(of trigger: RuleTrigger, in place: RuleSurroundings) -> [RuleWarning] {
        switch trigger {
        case .state(let state):
            guard let thing = state.thing.id.flatMap({ place.things[$0] }) else { return [] }
            switch state.subject {
            case .clause(let clause): return thing.warnings(of: clause, at: ".clause")
            case .field(let field): return [thing.missing(field, at: ".field")].compactMap(\.self)
            }
        case .device(let device):
            guard let thing = device.thing.id.flatMap({ place.things[$0] }), !thing.isConnectionTold else {
                return []
            }
            let text =
                "nothing reports whether \(thing.name) is connected: it has no connection of its own now"
            return [RuleWarning(".thing", text, .invalidValue)]
        case .time, .enter, .exit, .near, .far, .call, .level: return []
        }
    }

    // MARK: What it drives

    private func warning(
        of drive: RuleAction.Drive,
        _ target: RuleTarget,
        at path: String,
        for caller: Caller,
        in place: RuleSurroundings,
        _ name: (FlareID) -> String
    ) -> [RuleWarning] {
        switch target {
        // Checked when the rule was made.
        case .thing: return []
        case .zone(let reference):
            guard let zone = reference.id, lights(of: zone, for: caller, in: place).isEmpty else { return [] }
            let text = "zone \(name(zone)) has no light now: the rule sets nothing there until it has one"
            return [RuleWarning("\(path).target", text, .unknownThing)]
        case .nearby:
            guard let refusal = refusalOfAll(drive, for: caller, in: place) else { return [] }
            let text = "no thing in this place can do this now when it is nearby: \(refusal.message)"
            return [RuleWarning(path, text, refusal.code)]
        }
    }

    /// Why no thing takes what the nearby one is to do; `nil` if one takes it, or may do so later.
    private func refusalOfAll(
        _ drive: RuleAction.Drive,
        for caller: Caller,
        in place: RuleSurroundings
    ) -> Refusal? {
        var refusals: [Refusal] = []
        var isOpen = false
        for thing in place.things.values.sorted(by: { $0.thing.id < $1.thing.id })
        where mayRead(thing, caller) {
            do throws(Refusal) {
                if try thing.takes(drive) { return nil }
                isOpen = true
            } catch {
                refusals.append(error)
            }
        }
        // The refusal of a thing that has the attribute explains most.
        let strange: [RefusalCode] = [.unknownAttribute, .unknownAction, .notSettable]
        if let refusal = refusals.first(where: { !strange.contains($0.code) }) { return refusal }
        guard !isOpen, let refusal = refusals.first else { return nil }
        let words =
            switch drive {
            case .set(let values): "none has \(QuotedValue.list(values.keys))"
            case .action(let action): "none has the action \(QuotedValue.of(action))"
            case .command: refusal.message
            }
        return Refusal(refusal.code, words)
    }

    // MARK: Whom it notifies

    private func warnings(
        of notification: RuleNotification,
        at path: String,
        for caller: Caller,
        in place: RuleSurroundings
    ) -> [RuleWarning] {
        notification.recipients.enumerated().compactMap { index, recipient in
            guard case .display(let display) = recipient, !place.displays.contains(display) else {
                return nil
            }
            // Who is there is for those who may read that.
            let isReader = accounts.table.verdict(of: caller, .read, on: .devices, at: now).isGranted
            let others = isReader ? place.displays.sorted() : []
            let rest = others.isEmpty ? "" : NearestName.choice(for: display, among: others)
            let text = "no display \(QuotedValue.of(display)) is attached now\(rest)"
            return RuleWarning("\(path).notify[\(index)]", text, .unknownDisplay)
        }
    }
}

// MARK: - Fields of a thing

extension RuleSurroundings.Thing {
    fileprivate func warnings(of clause: StateClause, at path: String) -> [RuleWarning] {
        let missing = clause.fields.sorted().compactMap { self.missing($0, at: path) }
        let fixed = clause.fixedComparisons(of: name, values)
        return missing + fixed.map { RuleWarning(path, $0.sentence, .invalidValue) }
    }

    /// A warning of a field that it does not have, or has never reported.
    fileprivate func missing(_ field: String, at path: String) -> RuleWarning? {
        guard thing.data[field] == nil, !(shape.properties.contains { $0.name == field }) else { return nil }
        // Before its first report nothing is known.
        guard !isAtEdge || !thing.data.isEmpty else { return nil }
        let known = thing.data.keys + shape.properties.map(\.name)
        let hint = NearestName.hint(for: field, among: known)
        let text =
            isAtEdge
            ? "\(name) has not reported a field \(QuotedValue.of(field)) yet"
            : "\(name) has no field \(QuotedValue.of(field)) now"
        return RuleWarning(path, text + hint, .unknownAttribute)
    }

    /// What a field can be; `nil` if nothing says it, or if it is something else at the moment.
    private func values(of field: String) -> FieldValues? {
        let now = thing.data[field].flatMap { $0.isNull ? nil : $0 }
        let values =
            kind == nil ? now.flatMap { valuesWithoutProfile(of: field, $0) } : valuesOfProfile(of: field)
        guard let values, now.map(values.contains) ?? true else { return nil }
        return values
    }

    private func valuesWithoutProfile(of field: String, _ now: JSONValue) -> FieldValues? {
        switch now {
        case .bool: return .flag
        case .string: return .text
        case .number, .numeral:
            if field == "brightness" { return .number(from: 0, to: 1) }
            guard field == "colorTemperature" else { return .number() }
            let range = ColourTemperature.range
            return .number(from: Double(range.lowerBound), to: Double(range.upperBound))
        case .null, .array, .object: return nil
        }
    }

    private func valuesOfProfile(of field: String) -> FieldValues? {
        guard let property = shape.properties.first(where: { $0.name == field }) else { return nil }
        switch property.control {
        case .switch, .select, .button, .readonlyText:
            if !property.actions.isEmpty {
                return .choice(property.actions.map(\.value), names: property.actions.map(\.name))
            }
        case .slider, .dimmer, .decimalInput, .integerInput, .colourPicker, .textInput: break
        }
        switch property.type {
        case .boolean: return .flag
        case .text: return .text
        case .integer, .decimal:
            // The type may be that of the present value; the next one may have another.
            let isWhole = kind?.allProperties.contains { $0.name == field && $0.type == .integer } ?? false
            return .number(from: property.minimum, to: property.maximum, isWhole: isWhole)
        case .unknown: return nil
        }
    }
}
