import JSON
import Text

/// Parts of English sentences about rules.
enum Words {
    /// `a`, `a or b`, `a, b or c`.
    static func list(_ words: [String], _ conjunction: String) -> String {
        guard let last = words.last else { return "" }
        guard words.count > 1 else { return last }
        return "\(words.dropLast().joined(separator: ", ")) \(conjunction) \(last)"
    }

    /// `a`, `a or b`, `a, b, or c` of parts that have commas or conjunctions themselves.
    static func clauses(_ words: [String], _ conjunction: String) -> String {
        guard let last = words.last else { return "" }
        guard words.count > 1 else { return last }
        return "\(words.dropLast().joined(separator: ", ")), \(conjunction) \(last)"
    }

    /// A name as it is, shortened and without harmful characters.
    static func name(_ text: String) -> String {
        let short = QuotedValue.clipped(text, to: QuotedValue.limit)
        return HarmfulCharacters.escaped(in: short.utf8.count == text.utf8.count ? text : "\(short)…")
    }

    /// The text with a capital letter at its beginning, as a sentence has it.
    static func capitalized(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }

    static func value(_ value: JSONValue) -> String { QuotedValue.of(value) }

    /// `30`, not `30.0`.
    static func number(_ number: Double) -> String { JSONValue.number(number).text }

    /// `60 s`, `5 min`, `2 h`, `1 day`.
    static func duration(_ seconds: Int64) -> String {
        switch seconds {
        case 86_400: "1 day"
        case _ where seconds > 0 && seconds % 86_400 == 0: "\(seconds / 86_400) days"
        case _ where seconds > 0 && seconds % 3_600 == 0: "\(seconds / 3_600) h"
        case _ where seconds > 0 && seconds % 60 == 0: "\(seconds / 60) min"
        default: "\(seconds) s"
        }
    }
}
