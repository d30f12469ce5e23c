import Accounts
import Controller
import Flare
import JSON
import Messages
import People
import Rules
import Text
import Things

/// A firing whose actions have not all ended.
struct OpenFiring: Sendable {
    let number: Int64
    /// The daemon's epoch; it keeps the number unique after a damaged database, when numbers start again.
    let epoch: String
    let firing: RuleFiring
    /// The rule as it was when it fired.
    let rule: LoadedRule
    /// What is done, in this order.
    let actions: [RuleAction]
    /// The thing that was near when it fired.
    let nearby: FlareID?
    /// What its texts have places for.
    let words: [RuleText.Placeholder: String]
    /// When it fired.
    let began: Instant
    var isStarted = false
    /// What came of the actions that have ended.
    private(set) var results: [JSONValue] = []
    private(set) var hasFailed = false
    /// What went wrong first, with the number of the action from 1.
    private(set) var failure: String?
    /// Whether no further action begins.
    private var isStopped = false
    /// Characters that the messages of further results may have, since many firings are kept.
    private var room = 4000
    /// How long after a firing its actions may begin, milliseconds: later, nobody expects them any more.
    private static let patience: Int64 = 60_000

    init(
        _ number: Int64,
        _ firing: RuleFiring,
        of rule: LoadedRule,
        in core: ControllerState,
        _ calendar: RuleCalendar,
        at now: Instant
    ) {
        (self.number, self.firing, self.rule) = (number, firing, rule)
        epoch = core.epoch
        actions = rule.entry.rule.actions.filter { firing.timings.contains($0.timing) }
        (nearby, began) = (core.nearbyID, now)
        let isTold = actions.contains { if case .notify = $0.work { true } else { false } }
        words = isTold ? Self.words(of: firing, rule, core, calendar) : [:]
    }

    /// The next action; `nil` after the last one.
    var next: RuleAction? {
        !isStopped && actions.indices.contains(results.count) ? actions[results.count] : nil
    }

    /// The number of the next action.
    var nextIndex: Int { results.count }

    /// The next action has ended.
    mutating func end(_ refusal: Refusal?) {
        guard let refusal else { return results.append(["ok": true]) }
        hasFailed = true
        if failure == nil {
            failure = "action \(results.count + 1): \(QuotedValue.clipped(refusal.message, to: 500))"
        }
        var result: JSONObject = ["ok": false, "code": .string(refusal.code.rawValue)]
        if room > 0 {
            let message = QuotedValue.clipped(refusal.message, to: room)
            room -= message.utf8.count
            result["message"] = .string(message)
        }
        results.append(.object(result))
    }

    /// How it ends after its last action.
    var outcome: StoredFiring.Outcome {
        results.count < actions.count ? .interrupted : hasFailed ? .failed : .done
    }

    /// The rule was removed or switched off: no further action begins, unless it ends what was begun.
    mutating func stop() { isStopped = !firing.timings.contains(.end) }

    /// Gives up a firing that could not be stored in time; the end of a run is carried out however late.
    mutating func endIfTooLate(at now: Instant) {
        guard now.milliseconds(since: began) > Self.patience, !firing.timings.contains(.end) else { return }
        let refusal = Refusal(.timeout, "the firing could not be stored in time, so this was not done")
        while next != nil { end(refusal) }
    }

    /// What a text has places for.
    private static func words(
        of firing: RuleFiring,
        _ rule: LoadedRule,
        _ core: ControllerState,
        _ calendar: RuleCalendar
    ) -> [RuleText.Placeholder: String] {
        var words: [RuleText.Placeholder: String] = [
            .rule: rule.entry.rule.title, .why: firing.why,
            .time: calendar.usual.local(at: firing.at).description,
        ]
        words[.thing] = firing.cause.thing.map { core.slugs[.thing, $0] ?? "\($0)" }
        var zone = core.zoneID
        if let device = firing.cause.device {
            words[.device] = core.deviceName(device.node)
            if let node = device.node { zone = core.nodes[node]?.zoneID }
        }
        switch firing.cause {
        case .state(_, let field, let before, let after):
            words[.field] = field
            // No text has more of them.
            words[.before] = before.map { QuotedValue.clipped($0.words, to: RuleLimits.text) }
            words[.value] = after.map { QuotedValue.clipped($0.words, to: RuleLimits.text) }
        case .enter(.zone(let reference), _), .exit(.zone(let reference), _): zone = reference.id ?? zone
        default: break
        }
        words[.zone] = zone.map { core.slugs[.zone, $0] ?? "\($0)" }
        return words
    }
}

/// An action that was begun.
struct GivenAction: Sendable, Hashable {
    /// The number of the firing.
    let firing: Int64
    /// The number of the action in it.
    let index: Int
    /// The command that it is; `nil` for none.
    var operation: Command.Operation?
    /// The things that it may change.
    var things: [FlareID] = []
    let began: Instant
    /// The event in which it was begun.
    let event: Int
}

extension JSONValue {
    /// As people read it: a text without quotation marks.
    fileprivate var words: String { string ?? text }
}
