import JSON
import Text
package import Things

extension CommandPayload {
    /// The members of an object; an empty payload has none.
    package func membersOnly() throws(Refusal) -> CommandFields {
        switch self {
        case .empty: return CommandFields([:])
        case .object(let members): return CommandFields(members)
        case .plain(let text) where (try? JSONValue(parsing: text)) == nil:
            throw Refusal(
                .badJSON,
                "the payload is not JSON: \(QuotedValue.of(text)); an object or nothing is read here"
            )
        case .plain, .quoted, .list:
            throw Refusal(.wrongType, "the payload must be an object or empty (is \(quotation))")
        }
    }

    /// One word: plain, quoted, or the named member of an object.
    /// - Parameter others: Reads the other members of the object.
    package func word(
        named name: String,
        others: (inout CommandFields) throws(Refusal) -> Void = { _ in }
    ) throws(Refusal) -> String {
        switch self {
        case .empty: return ""
        case .plain(let text), .quoted(let text): return text.trimmingSpace
        case .list:
            throw Refusal(
                .wrongType,
                "the payload must be a plain word or {\"\(name)\":…} (is \(quotation))",
                field: name
            )
        case .object(let members):
            var fields = CommandFields(members)
            let word = try fields.text(name)
            try others(&fields)
            try fields.finish()
            guard let word else {
                throw Refusal(.invalidValue, "\"\(name)\" is missing", field: name)
            }
            return word.trimmingSpace
        }
    }
}
