import JSON
import Text
package import Things

/// Something in a rule that is legal and probably a mistake.
package struct RuleWarning: Sendable, Hashable, CustomStringConvertible {
    /// Where it is, such as `when[0].colour`.
    package let path: String
    /// A sentence.
    package let message: String
    /// A word for programs.
    package let code: RefusalCode

    package init(_ path: String, _ message: String, _ code: RefusalCode = .unknownKey) {
        (self.path, self.message, self.code) = (path, message, code)
    }

    package var description: String { message }
}

/// The first warnings of a rule.
struct RuleWarnings {
    private(set) var all: [RuleWarning] = []

    /// Names the members of an object that nobody reads.
    ///
    /// - Parameter known: The others, in camelCase.
    mutating func addUnknown(in object: RuleObject, known: [String]) {
        let spelled = known + known.map(RuleObject.snakeCase)
        for (key, _) in object.members where !spelled.contains(key) {
            // Names come from outside, and each is compared with all known ones.
            guard all.count < RuleLimits.warnings else { return }
            let path = object.path(of: key)
            let hint = NearestName.hint(for: key, among: known)
            all.append(RuleWarning(path, "\(path) is unknown; it is kept and means nothing\(hint)"))
        }
    }

    mutating func add(_ path: String, _ rest: String) {
        guard all.count < RuleLimits.warnings else { return }
        all.append(RuleWarning(path, "\(path) \(rest)"))
    }
}
