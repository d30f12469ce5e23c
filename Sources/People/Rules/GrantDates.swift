import Text

/// Checks the dates of grants, tokens and questions as people write them.
package enum GrantDates {
    /// Why a date cannot be used, with what is legal.
    package enum Issue: Error, Sendable, Hashable, CustomStringConvertible {
        case unreadable(String)
        /// The end is not after the beginning.
        case reversed
        /// The end is over.
        case past(Int64)

        package var description: String {
            switch self {
            case .unreadable(let text):
                "a time must be like \(CivilTime.legalForms) (is \(QuotedValue.of(text)))"
            case .reversed: "the end must be after the beginning"
            case .past(let end):
                "the end must be in the future (is \(CivilTime(milliseconds: end).shortText))"
            }
        }
    }

    /// Milliseconds since 1970, UTC, of a date or an RFC 3339 time.
    package static func parse(_ text: String) throws(Issue) -> Int64 {
        guard let time = CivilTime(text) else { throw .unreadable(text) }
        return time.milliseconds
    }

    package static func check(starts: Int64?, ends: Int64?, at now: Int64) throws(Issue) {
        guard let ends else { return }
        if let starts, ends <= starts { throw .reversed }
        if ends <= now { throw .past(ends) }
    }
}
