import People
import Text

/// Checks of texts from outside.
package enum AccountText {
    package static let longestDisplay = 128
    package static let longestEmail = 254
    package static let longestPhone = 32

    /// A name to be shown; may be empty.
    package static func display(_ text: String) throws(AccountsError) -> String {
        guard text.unicodeScalars.count <= longestDisplay, isHarmless(text) else {
            throw .badValue(
                "a display name must have at most \(longestDisplay) characters and no control characters"
            )
        }
        return text
    }

    /// An address of mail; may be empty.
    ///
    /// Only a message shows whether it works.
    package static func email(_ text: String) throws(AccountsError) -> String {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        let isAddress =
            text.utf8.count <= longestEmail && parts.count == 2
            // Programs that send mail take what begins like this for an option, a file or a program.
            && parts.allSatisfy { $0.first.map { !"-/|.".contains($0) } ?? false }
            && isHarmless(text) && !text.contains { $0.isWhitespace || ",;:<>()[]\\|`$\"".contains($0) }
        guard text.isEmpty || isAddress else {
            throw .badValue("an e-mail address must be like bob@example.org (is \(quoted(text)))")
        }
        return text
    }

    /// A number of a telephone; may be empty.
    package static func phone(_ text: String) throws(AccountsError) -> String {
        guard text.utf8.count <= longestPhone, text.utf8.allSatisfy({ "+0123456789 -/()".utf8.contains($0) })
        else {
            throw .badValue(
                "a phone number must have at most \(longestPhone) of '+', digits, ' ', '-', '/', '(' and ')'"
            )
        }
        return text
    }

    /// The name of a token or a contact.
    package static func label(_ text: String, of what: String) throws(AccountsError) -> String {
        guard (1...64).contains(text.unicodeScalars.count), isHarmless(text) else {
            throw .badValue("the name of a \(what) must have 1 to 64 characters and no control characters")
        }
        return text
    }

    private static func isHarmless(_ text: String) -> Bool {
        !text.unicodeScalars.contains { HarmfulCharacters.contain($0) }
    }
}

/// A received text for a message.
package func quoted(_ text: String) -> String { QuotedValue.of(text) }

/// `; did you mean "…"?` or nothing.
package func hint(_ name: String, _ candidates: [String]) -> String {
    NearestName.hint(for: name, among: candidates)
}

package func checkDates(starts: Int64?, ends: Int64?, at now: Int64) throws(AccountsError) {
    do { try GrantDates.check(starts: starts, ends: ends, at: now) } catch { throw .conflict("\(error)") }
}
