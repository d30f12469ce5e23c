/// What a trigger that must last waits for, though what it looks at is so.
/// - Source: contrib/contract/rules.md, "Faces", `rule test`.
package enum RuleWait: Sendable, Hashable {
    /// It must stay so for this time until it counts.
    case seconds(Int64)
    /// It was so when the rule began, which is no edge.
    case ending
    /// Whether a beacon is in range, and whether it is so since the rule began, which is no coming in.
    case beacon(inside: RuleTruth, isStanding: Bool)

    /// What a test sees of a beacon; `nil` for anything else.
    func sight(for trigger: RuleTrigger) -> (RuleTruth, String)? {
        guard case .beacon(let inside, let isStanding) = self else { return nil }
        let isEntry = if case .enter = trigger { true } else { false }
        switch inside {
        case .unknown: return (.unknown, "not heard yet")
        case .no: return (isEntry ? .no : .yes, "out of range")
        case .yes where isEntry && isStanding:
            return (.no, "in range, and was so when the rule began; it must leave first")
        case .yes: return (isEntry ? .yes : .no, "in range")
        }
    }

    /// What a test says of it: `must stay so for 4 min more`.
    func words(for trigger: RuleTrigger) -> String {
        switch self {
        case .seconds(let seconds): return "must stay so for \(Words.duration(seconds)) more"
        case .beacon: return ""
        case .ending:
            if case .state(let state) = trigger, state.edge == .changes {
                return "was so when the rule began; it must change first"
            }
            if case .device(let device) = trigger, device.event == .connectionRestored {
                return "was not lost for \(Words.duration(device.seconds)) before"
            }
            return "was so when the rule began; it must end first"
        }
    }
}

extension RuleTrigger {
    /// For how long what it waits for must be so; `nil` if that counts at once.
    var lastingSeconds: Int64? {
        let seconds: Int64 =
            switch self {
            case .state(let trigger): trigger.hold
            case .device(let trigger): trigger.seconds
            case .time, .enter, .exit, .near, .far, .call, .level: 0
            }
        return seconds > 0 ? seconds : nil
    }
}
