import Bindings
import Controller
import Flare
import JSON
import Text

extension Rule {
    /// The rule as an English sentence; with names if it was ``named(by:)``.
    ///
    /// When radiator's room_temp is at least 30, between 08:00 and 20:00: fan does fan_high, and alice gets a
    /// message.
    package var sentence: String {
        let start = Words.clauses(triggers.map(\.words), "or")
        let conditions = conditions.map { ", \($0.words)" }.joined()
        let pause = pause == 0 ? "" : ", at most once in \(Words.duration(pause))"
        return "When \(start)\(conditions)\(pause): \(Words.clauses(actions.map(\.words), "and"))."
    }

    /// A title for a rule that has none: how its first trigger begins; with names if it was ``named(by:)``.
    package var titleOfParts: String {
        let words = triggers.first?.words ?? ""
        guard words.unicodeScalars.count > RuleLimits.title else { return words.isBlank ? "rule" : words }
        var clipped = QuotedValue.clipped(words, to: RuleLimits.title)[...]
        if let space = clipped.utf8.lastIndex(of: UInt8(ascii: " ")) { clipped = clipped[..<space] }
        return clipped.isEmpty ? "rule" : String(clipped)
    }
}

extension RuleReference {
    var words: String { Words.name(text) }
}

// MARK: - Triggers

extension RuleTrigger {
    /// What happens: `radiator's room_temp is at least 30`.
    package var words: String {
        switch self {
        case .state(let trigger): trigger.words
        case .time(let trigger): trigger.words
        case .enter(let place): "the device enters \(place.words)"
        case .exit(let place): "the device leaves \(place.words)"
        case .near(let thing): "\(thing.words) comes near"
        case .far(let thing): "\(thing.words) is no longer near"
        case .call(let call): "\(call.rawValue) is called"
        case .level(let level): "the level becomes \(level.stateName)"
        case .device(let trigger): trigger.words
        }
    }
}

extension StateTrigger {
    fileprivate var words: String {
        switch (subject, edge) {
        case (.field(let field), .isTrue): "\(thing.words) reports \(Words.name(field))"
        case (.field(let field), _): "\(StateClause.subject(thing.words, field)) changes"
        case (.clause(let clause), _): "\(edgeWords)\(clause.words(about: thing.words))\(limitWords)"
        }
    }

    private var edgeWords: String {
        switch edge {
        case .isTrue: "\(thing.words) reports and "
        case .becomesTrue: ""
        case .changes: "it changes whether "
        }
    }

    private var limitWords: String {
        (hold == 0 ? "" : " for \(Words.duration(hold))")
            + (margin == 0 ? "" : " (until \(Words.number(margin)) beyond the limit)")
    }
}

extension TimeTrigger {
    fileprivate var words: String {
        let zone = timeZone.map { " (\(Words.name($0)))" } ?? ""
        let late = missed == Self.defaultMissed(of: due) ? "" : missed == .run ? ", also late" : ", not late"
        switch due {
        case .schedule(let schedule): return "it is \(schedule.dueWords)\(zone)\(late)"
        case .cron(let cron): return "cron's \(Words.value(.string(cron.text))) is due\(zone)\(late)"
        case .once(let time): return "it is \(CivilTime(milliseconds: time).shortText)\(zone)\(late)"
        }
    }
}

extension DeviceTrigger {
    fileprivate var words: String {
        let time = seconds == 0 ? "" : " for \(Words.duration(seconds))"
        return switch event {
        case .connected: "\(thing.words) connects\(time)"
        case .addressChanged: "\(thing.words) changes its address\(time)"
        case .connectionLost: "\(thing.words) is offline\(time)"
        case .connectionRestored: "\(thing.words) is online again\(time)"
        }
    }
}

extension RulePlace {
    fileprivate var words: String {
        switch self {
        case .circle(let circle):
            "the circle of \(Words.number(circle.radius)) m around "
                + "\(Words.number(circle.centre.latitude)), \(Words.number(circle.centre.longitude))"
        case .beacon(let beacon): "the range of beacon \(beacon.name.text)"
        case .zone(let zone): zone.words
        }
    }
}

// MARK: - Conditions

extension RuleCondition {
    /// What must hold: `between 08:00 and 20:00`.
    package var words: String {
        switch self {
        case .state(let thing, let clause): "while \(clause.words(about: thing.words))"
        case .during(let schedule): schedule.rangeWords
        case .level(let levels): "at level \(Words.list(levels.map(\.stateName), "or"))"
        case .zone(let zones): "in \(Words.list(zones.map(\.words), "or"))"
        case .near(let things): "near \(Words.list(things.map(\.words), "or"))"
        }
    }
}

// MARK: - Actions

extension RuleAction {
    /// What is done: `fan does fan_high`.
    package var words: String {
        let time =
            switch timing {
            case .start: ""
            case .end: " at the end"
            case .range: " in the range"
            }
        switch work {
        case .drive(let drive, let target): return drive.words(target.words) + time
        case .notify(let notification): return notification.words + time
        case .ceiling(let level?): return "the level is at most \(level.stateName)\(time)"
        case .ceiling(nil): return "its ceiling of the level ends\(time)"
        case .publish: return "it publishes a message\(time)"
        }
    }
}

extension RuleTarget {
    fileprivate var words: String {
        switch self {
        case .thing(let thing): thing.words
        case .zone(let zone): "every light of \(zone.words)"
        case .nearby: "the nearby thing"
        }
    }
}

extension RuleAction.Drive {
    fileprivate func words(_ target: String) -> String {
        switch self {
        case .set(let values):
            let words = values.map { "\(Words.name($0.key)) \(Words.value($0.value))" }
            return "\(target) gets \(Words.list(words, "and"))"
        case .action(let name): return "\(target) does \(Words.name(name))"
        case .command(let command):
            let names = command.request.actions.map { Words.name($0.name) }
            return "\(target) gets the command \(Words.list(names, "and"))"
        }
    }
}

extension RuleNotification {
    fileprivate var words: String {
        let who = Words.list(recipients.map(\.words), "and")
        let how = channels.isEmpty ? "" : " by \(Words.list(channels.map(\.words), "and"))"
        return
            "\(who) \(recipients.count == 1 && recipients != [.allDisplays] ? "gets" : "get") a message\(how)"
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
