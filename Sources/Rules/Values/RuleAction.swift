package import Bindings
package import Controller
package import JSON

/// What a rule does.
/// - Source: contrib/contract/rules.md, "A rule", the table of `then`.
package struct RuleAction: Sendable, Hashable {
    /// When in the run of a schedule; every other trigger has a start only.
    package enum Timing: String, Sendable, Hashable, CaseIterable {
        case start, end, range
    }

    package enum Work: Sendable, Hashable {
        case drive(Drive, RuleTarget)
        case notify(RuleNotification)
        /// The highest automatic level; `nil` ends it.
        case ceiling(LifecycleLevel?)
        /// To the rule's own topic.
        case publish(JSONValue)
    }

    /// What a thing is to do.
    package enum Drive: Sendable, Hashable {
        /// What `set` takes.
        case set(JSONObject)
        /// The name of an action.
        case action(String)
        /// For things only. Apart, since it is several times as large as the others.
        indirect case command(RuleCommand)
    }

    package let work: Work
    package let timing: Timing

    package init(_ work: Work, at timing: Timing = .start) { (self.work, self.timing) = (work, timing) }
}

/// What a rule drives.
package enum RuleTarget: Sendable, Hashable {
    case thing(RuleReference)
    /// What of a zone takes the values.
    case zone(RuleReference)
    /// The thing that is nearest when the rule fires.
    case nearby

    /// What a text may be, for messages.
    package static let rule = "thing: or zone: with a slug or an identifier, or nearby"

    /// `thing:fan`, `zone:kitchen` or `nearby`.
    package var text: String {
        switch self {
        case .thing(let thing): "thing:\(thing.text)"
        case .zone(let zone): "zone:\(zone.text)"
        case .nearby: "nearby"
        }
    }
}

/// A command with results, as over Thing-IF.
/// - Source: contrib/contract/bindings.md, "Commands".
package struct RuleCommand: Sendable, Hashable {
    package let request: CommandRequest
    /// Whom a client named as issuer; kept for its answer only, as the rule's maker issues the command.
    package let issuer: String?

    package init(_ request: CommandRequest, issuer: String? = nil) {
        (self.request, self.issuer) = (request, issuer)
    }
}
