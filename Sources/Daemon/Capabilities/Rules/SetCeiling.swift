import Controller
import JSON

/// Lets a rule set the highest automatic level of the lifecycle, or end that.
struct SetCeiling: SliceCommand {
    /// The number of the rule.
    let rule: Int
    let level: LifecycleLevel?
    /// Whether it ends with the run of the rule's schedule.
    let isOfRange: Bool

    /// The level decides what a kiosk may do.
    var permission: ChangeRequest.Kind? { .level }
    var answerTarget: Answer.Target? { .init(kind: "lifecycle", slug: "ceiling") }
    var logName: String { "lifecycle" }
    var logTarget: String? { "ceiling" }
    var logValues: JSONValue? { ["ceiling": level.map { .string($0.hmiLevel) } ?? .null] }
    var summary: CommandSummary? { CommandSummary("set the ceiling of the lifecycle") }
}

/// The ceilings that rules have set and that have not ended, each by the number of its rule.
struct RuleCeilings: Sendable, Hashable {
    struct Ceiling: Sendable, Hashable {
        let level: LifecycleLevel
        let isOfRange: Bool
    }

    private var all: [Int: Ceiling] = [:]
    /// The one that the lifecycle has been told.
    var shown: LifecycleLevel?

    /// The lowest counts; `nil` if there is none.
    var lowest: LifecycleLevel? { all.values.map(\.level).min() }

    subscript(rule: Int) -> Ceiling? {
        get { all[rule] }
        set { all[rule] = newValue }
    }

    /// All of them end.
    mutating func removeAll() { all = [:] }
}

extension RuleCeilings.Ceiling {
    var json: JSONValue { ["level": .string(level.hmiLevel), "range": .bool(isOfRange)] }

    /// `nil` for what ``json`` does not write.
    init?(_ json: JSONValue?) {
        guard let json = json?.object,
            let level = json["level"]?.string.flatMap({ LifecycleLevel(hmiLevel: $0) })
        else { return nil }
        self.init(level: level, isOfRange: json["range"]?.bool ?? false)
    }
}

extension RulesSlice {
    /// Sets the ceiling of a rule, or ends it.
    mutating func set(_ change: SetCeiling) -> [SliceEffect] {
        setCeiling(
            change.level.map { RuleCeilings.Ceiling(level: $0, isOfRange: change.isOfRange) },
            ofRule: change.rule
        )
    }

    /// - Returns: Nothing if the rule has this one already.
    mutating func setCeiling(_ ceiling: RuleCeilings.Ceiling?, ofRule id: Int) -> [SliceEffect] {
        guard ceilings[id] != ceiling, rules[id] != nil || ceiling == nil else { return [] }
        ceilings[id] = ceiling
        var effects = showCeiling()
        if rules[id] != nil { effects.append(remember(id)) }
        return effects
    }

    /// The level follows the ceiling in this event, or in the next one if the lifecycle has followed this one already.
    mutating func showCeiling() -> [SliceEffect] {
        guard ceilings.lowest != ceilings.shown else { return [] }
        ceilings.shown = ceilings.lowest
        isLevelLate = true
        return [.event(SliceEvent(Lifecycle.Event.ceilingChanged(ceilings.lowest), of: Lifecycle.self))]
    }
}
