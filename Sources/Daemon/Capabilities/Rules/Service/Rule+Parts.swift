import Rules
import Things

extension Rule {
    /// Does a check on the rule; what it refuses names the part that it is about, such as `then[0]`.
    ///
    /// A part is at fault if the check refuses it alike when it is alone. Actions may need what starts the rule.
    /// - Throws: What the check throws, with the part as its field, if there is one.
    func checkingParts(_ check: (Rule) throws(Refusal) -> Void) throws(Refusal) {
        let refusal: Refusal
        do throws(Refusal) {
            return try check(self)
        } catch {
            refusal = error
        }
        for (path, part) in parts {
            do throws(Refusal) {
                try check(part)
            } catch {
                guard error.message == refusal.message else { continue }
                throw Refusal(refusal.code, refusal.message, field: path)
            }
        }
        throw refusal
    }

    /// Rules with a single part each, and its path.
    var parts: [(path: String, rule: Rule)] {
        var parts: [(path: String, rule: Rule)] = []
        for (index, trigger) in triggers.enumerated() {
            parts.append(("when[\(index)]", Rule("", when: [trigger], then: [])))
        }
        for (index, condition) in conditions.enumerated() {
            parts.append(("if[\(index)]", Rule("", when: [], if: [condition], then: [])))
        }
        for starts in [[], triggers] {
            for (index, action) in actions.enumerated() {
                parts.append(("then[\(index)]", Rule("", when: starts, then: [action])))
            }
        }
        return parts
    }
}
