/// What the log has as the source of a command that a rule has given.
///
/// Other sources are addresses and topics, and begin otherwise.
/// - Source: contrib/contract/rules.md, "Firing", 9.
package struct RuleSource: Sendable, Hashable, CustomStringConvertible {
    private static let prefix = "rule:"

    /// The number of the rule, which may have been removed since.
    package let rule: Int

    package init(_ rule: Int) { self.rule = rule }

    /// `nil` for anything else.
    package init?(_ source: String) {
        guard source.hasPrefix(Self.prefix), let rule = Int(source.dropFirst(Self.prefix.count)) else {
            return nil
        }
        self.rule = rule
        guard description == source else { return nil }
    }

    package var description: String { "\(Self.prefix)\(rule)" }

    /// The rule as programs for Thing-IF name it.
    package var triggerID: String { "\(rule)" }
}
