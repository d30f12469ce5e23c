/// Whether something holds: a field that is missing makes it unknown.
/// - Source: contrib/contract/rules.md, "State and places"; the tables are Kleene's strong logic.
package enum RuleTruth: String, Sendable, Hashable, CaseIterable {
    case yes = "true"
    case no = "false"
    case unknown

    package init(_ holds: Bool) { self = holds ? .yes : .no }

    package static prefix func ! (truth: Self) -> Self {
        switch truth {
        case .yes: .no
        case .no: .yes
        case .unknown: .unknown
        }
    }

    /// Whether all hold; none fails.
    package static func all(_ truths: some Sequence<Self>) -> Self {
        var result = Self.yes
        for truth in truths {
            switch truth {
            case .no: return .no
            case .unknown: result = .unknown
            case .yes: break
            }
        }
        return result
    }

    /// Whether one holds; none of none does.
    package static func any(_ truths: some Sequence<Self>) -> Self {
        var result = Self.no
        for truth in truths {
            switch truth {
            case .yes: return .yes
            case .unknown: result = .unknown
            case .no: break
            }
        }
        return result
    }
}
