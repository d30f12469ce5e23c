package import Bindings
package import Controller

/// What must hold when a rule is to fire.
/// - Source: contrib/contract/rules.md, "A rule", `if`.
package enum RuleCondition: Sendable, Hashable {
    case state(RuleReference, StateClause)
    /// Inside the range of a schedule.
    indirect case during(Schedule)
    /// At one of the levels.
    case level([LifecycleLevel])
    /// In one of the zones.
    case zone([RuleReference], of: RuleDevice = .own)
    /// Near one of the things.
    case near([RuleReference], of: RuleDevice = .own)

    /// Whose place it looks at; `nil` of any other condition.
    package var who: RuleDevice? {
        switch self {
        case .zone(_, let who), .near(_, let who): who
        case .state, .during, .level: nil
        }
    }
}
