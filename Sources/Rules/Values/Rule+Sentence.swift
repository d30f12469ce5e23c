import Bindings
import Controller
import Flare
import JSON
import Text

extension Rule {
    /// The rule as an English sentence; with names if it was ``named(by:)``.
    ///
    /// When radiator's room_temp is at least 30, but only if it is between 08:00 and 20:00: fan does "fan_high",
    /// and alice gets a message.
    package var sentence: String {
        let start = Words.clauses(triggers.map { $0.lead + $0.words }, "or")
        let parts = conditions.map { $0.words(isPart: conditions.count > 1) }
        let only = parts.isEmpty ? "" : ", but only if \(Words.list(parts, "and"))"
        let pause = pause == 0 ? "" : ", at most once in \(Words.duration(pause))"
        let done = Words.clauses(RuleAction.words(actions), "and")
        return "\(Words.capitalized("\(start)\(only)\(pause)")): \(done)."
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
    /// What happens: `radiator's room_temp is at least 30`, `at 08:00 every day`.
    package var words: String {
        switch self {
        case .state(let trigger): trigger.words
        case .time(let trigger): trigger.words
        case .enter(let place, let who): "\(who.words) enters \(place.words)"
        case .exit(let place, let who): "\(who.words) leaves \(place.words)"
        case .near(let thing, let who): "\(who.words) comes near \(thing.words)"
        case .far(let thing, let who): "\(who.words) moves away from \(thing.words)"
        case .call(let call): "the lifecycle calls \(call.rawValue)"
        case .level(let level): "the lifecycle level becomes \(level.stateName)"
        case .device(let trigger): trigger.words
        }
    }

    /// What stands before the words in a sentence.
    fileprivate var lead: String {
        switch self {
        case .time: ""
        case .state(let trigger) where trigger.edge == .isTrue: "each time "
        case .state, .enter, .exit, .near, .far, .call, .level, .device: "when "
        }
    }
}

extension StateTrigger {
    fileprivate var words: String {
        let subject = StateClause.Subject(thing.words)
        switch (self.subject, edge) {
        case (.field(let field), .isTrue): return "\(subject.name) reports \(Words.name(field))"
        case (.field("on"), _): return "\(subject.name) goes on or off"
        case (.field(let field), _): return "\(subject.field(field)) changes"
        case (.clause(let clause), .isTrue):
            return "\(subject.name) reports and \(words(of: clause, about: .it, ends: "until it is"))"
        case (.clause(let clause), .becomesTrue):
            return words(of: clause, about: subject, ends: "again only after it was")
        case (.clause(let clause), .changes):
            let words = words(of: clause, about: subject, ends: "until it is")
            return "\(words)\(clause.isSimple ? " or no longer is" : ", or this is no longer so")"
        }
    }

    private func words(of clause: StateClause, about subject: StateClause.Subject, ends: String) -> String {
        let words = clause.words(about: subject, hold == 0 ? .present : .lasting)
        let time = hold == 0 ? "" : " for \(Words.duration(hold))"
        guard margin != 0 else { return words + time }
        let end = clause.end(beyond: margin) ?? "\(Words.number(margin)) beyond the limit"
        return "\(words)\(time) (\(ends) \(end))"
    }
}

extension TimeTrigger {
    fileprivate var words: String {
        let late =
            missed == Self.defaultMissed(of: due)
            ? "" : missed == .run ? ", or later if that was missed" : ", but not later if that was missed"
        let zone = timeZone.map { " (\(Words.name($0)))" } ?? ""
        return switch due {
        case .schedule(let schedule): schedule.dueWords + late
        case .cron(let cron): "at the times of cron \(Words.value(.string(cron.text)))\(zone)\(late)"
        case .once(let time): "on \(Words.moment(time))\(late)"
        }
    }
}

extension DeviceTrigger {
    fileprivate var words: String {
        let name = thing.words
        guard seconds > 0 else {
            switch event {
            case .connected: return "\(name) connects"
            case .addressChanged: return "\(name) gets another address"
            case .connectionLost: return "\(name) goes offline"
            case .connectionRestored: return "\(name) is online again"
            }
        }
        let what =
            switch event {
            case .connected: "been connected"
            case .addressChanged: "had another address"
            case .connectionLost: "been offline"
            case .connectionRestored: "been online again"
            }
        return "\(name) has \(what) for \(Words.duration(seconds))"
    }
}

extension RulePlace {
    fileprivate var words: String {
        switch self {
        case .circle(let circle):
            "the circle of \(Words.number(circle.radius)) m around "
                + "\(Words.number(circle.centre.latitude)), \(Words.number(circle.centre.longitude))"
        case .beacon(let beacon): beacon.words
        case .zone(let zone): zone.words
        }
    }
}

extension RuleBeacon {
    fileprivate var words: String {
        var details = rssi.map { ["\($0) dBm or stronger"] } ?? []
        if gone != Self.defaultGone { details.append("left after \(Words.duration(gone)) without it") }
        let brackets = details.isEmpty ? "" : " (\(details.joined(separator: ", ")))"
        return "the range of beacon \(name.text)\(brackets)"
    }
}

// MARK: - Conditions

extension RuleCondition {
    /// What must hold: `it is between 08:00 and 20:00`.
    package var words: String { words(isPart: false) }

    /// - Parameter isPart: Whether others must hold, too.
    fileprivate func words(isPart: Bool) -> String {
        switch self {
        case .state(let thing, let clause):
            clause.words(about: StateClause.Subject(thing.words), isPart: isPart)
        case .during(let schedule): schedule.rangeWords
        case .level(let levels): "the lifecycle level is \(Words.list(levels.map(\.stateName), "or"))"
        case .zone(let zones, let who): "\(who.words) is in \(Words.list(zones.map(\.words), "or"))"
        case .near(let things, let who): "\(who.words) is near \(Words.list(things.map(\.words), "or"))"
        }
    }
}
