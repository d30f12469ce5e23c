import Bindings
import Controller
import JSON

extension RuleAction {
    /// What all actions do, one after the other: `lamp goes on, and off at the end`.
    ///
    /// What several do alike is said once.
    static func words(_ actions: [RuleAction]) -> [String] {
        let steps = actions.reduce(into: [Step]()) { steps, action in
            let step = Step(action)
            if let joined = steps.last?.joined(with: step) {
                steps[steps.count - 1] = joined
            } else {
                steps.append(step)
            }
        }
        var words: [String] = []
        var rest = steps[...]
        while let step = rest.popFirst() {
            if let next = rest.first, let pair = step.words(andBackBy: next) {
                words.append(pair)
                rest = rest.dropFirst()
            } else {
                words.append(step.words)
            }
        }
        return words
    }
}

/// Actions that do the same, to several targets or for several recipients.
private struct Step {
    private enum Work {
        case drive(RuleAction.Drive, [RuleTarget])
        case notify(RuleNotification)
        /// A sentence without its time.
        case other(String)
    }

    private let work: Work
    private let timing: RuleAction.Timing

    private init(_ work: Work, _ timing: RuleAction.Timing) { (self.work, self.timing) = (work, timing) }

    init(_ action: RuleAction) {
        timing = action.timing
        switch action.work {
        case .drive(let drive, let target): work = .drive(drive, [target])
        case .notify(let notification): work = .notify(notification)
        case .ceiling(let level?): work = .other("the lifecycle level stays at \(level.stateName) or below")
        case .ceiling(nil): work = .other("its limit on the lifecycle level ends")
        case .publish: work = .other("a message is published on its topic")
        }
    }

    /// Both as one; `nil` if they do not do the same.
    func joined(with next: Step) -> Step? {
        guard timing == next.timing else { return nil }
        switch (work, next.work) {
        case (.drive(let drive, let targets), .drive(let other, let others)) where drive == other:
            let new = others.filter { !targets.contains($0) }
            return Step(.drive(drive, targets + new), timing)
        case (.notify(let first), .notify(let second))
        where first.channels == second.channels && first.text == second.text
            && first.subject == second.subject:
            let new = second.recipients.filter { !first.recipients.contains($0) }
            let both = RuleNotification(
                to: first.recipients + new,
                by: first.channels,
                subject: first.subject,
                text: first.text
            )
            return Step(.notify(both), timing)
        default: return nil
        }
    }

    var words: String {
        let time =
            switch timing {
            case .start: ""
            case .end: " at the end"
            case .range: " at the start or later"
            }
        switch work {
        case .drive(let drive, let targets):
            let (who, isPlural) = Self.subject(targets)
            return "\(who) \(drive.words(isPlural: isPlural))\(time)"
        case .notify(let notification): return notification.words + time
        case .other(let words): return words + time
        }
    }

    /// What goes on, and off at the end, or the other way round; `nil` if it is anything else.
    func words(andBackBy next: Step) -> String? {
        guard case .drive(let drive, let targets) = work, case .drive(let other, let others) = next.work,
            timing == .start, next.timing == .end, targets == others,
            let isOn = drive.turning, let isOnAtEnd = other.turning, isOn != isOnAtEnd
        else { return nil }
        let (who, isPlural) = Self.subject(targets)
        let words = RuleAction.Drive.switching(isOn, isPlural: isPlural)
        return "\(who) \(words), and \(isOnAtEnd ? "on" : "off") at the end"
    }

    private static func subject(_ targets: [RuleTarget]) -> (words: String, isPlural: Bool) {
        let isZone = if case .zone? = targets.first { true } else { false }
        return (Words.list(targets.map(\.words), "and"), isZone || targets.count > 1)
    }
}

extension RuleTarget {
    fileprivate var words: String {
        switch self {
        case .thing(let thing): thing.words
        case .zone(let zone): "all lights of \(zone.words)"
        case .nearby: "the thing that is near"
        }
    }
}

extension RuleAction.Drive {
    fileprivate static func switching(_ isOn: Bool, isPlural: Bool) -> String {
        "\(isPlural ? "go" : "goes") \(isOn ? "on" : "off")"
    }

    /// Whether it switches something on or off, and does nothing else.
    fileprivate var turning: Bool? {
        switch self {
        case .set(let values):
            values.count == 1 ? values.first.flatMap { Self.turning($0.key, $0.value) } : nil
        case .action(let name): name == "on" ? true : name == "off" ? false : nil
        case .command: nil
        }
    }

    private static func turning(_ name: String, _ value: JSONValue) -> Bool? {
        switch (name, value) {
        case ("on", .bool(let isOn)): isOn
        case ("state", .string("ON")): true
        case ("state", .string("OFF")): false
        default: nil
        }
    }

    /// What is done with a target: `goes on and gets level 40`.
    fileprivate func words(isPlural: Bool) -> String {
        if let turning { return Self.switching(turning, isPlural: isPlural) }
        let gets = isPlural ? "get" : "gets"
        switch self {
        case .set(let values):
            var words: [String] = []
            var others: [String] = []
            for (name, value) in values {
                if let isOn = Self.turning(name, value) {
                    words.append(Self.switching(isOn, isPlural: isPlural))
                } else if name == "state", value == "TOGGLE" {
                    words.append("\(isPlural ? "go" : "goes") on if off, and off if on")
                } else {
                    others.append("\(Words.name(name)) \(Words.value(value))")
                }
            }
            if !others.isEmpty || words.isEmpty { words.append("\(gets) \(Words.list(others, "and"))") }
            return Words.list(words, "and")
        case .action(let name): return "\(isPlural ? "do" : "does") \(Words.value(.string(name)))"
        case .command(let command):
            let names = command.request.actions.map { Words.value(.string($0.name)) }
            return "\(gets) the command\(names.count == 1 ? "" : "s") \(Words.list(names, "and"))"
        }
    }
}

extension RuleNotification {
    fileprivate var words: String {
        let who = Words.list(recipients.map(\.words), "and")
        let how = channels.isEmpty ? "" : " by \(Words.list(channels.map(\.words), "and"))"
        let isOne = recipients.count == 1 && recipients != [.allDisplays]
        return "\(who) \(isOne ? "gets" : "get") a message\(how)"
    }
}

extension RuleNotification.Channel {
    fileprivate var words: String {
        switch self {
        case .email: "e-mail"
        case .sms: "SMS"
        case .push: "push"
        }
    }
}

extension NotificationRecipient {
    fileprivate var words: String {
        switch self {
        case .user(let name): Words.name(name)
        case .contact(let id): "contact \(Words.name(id))"
        case .installation(let id): "installation \(Words.name(id))"
        case .display(let id): "display \(Words.name(id))"
        case .allDisplays: "all displays"
        case .email(let address): Words.name(address)
        case .sms(let number): Words.name(number)
        }
    }
}
