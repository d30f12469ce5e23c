package import JSON
import Text
package import Things

/// A command's payload, parsed as far as possible without its topic.
package enum CommandPayload {
    case empty
    case object(JSONObject)
    /// A text that is no JSON object, list or string, trimmed.
    case plain(String)
    /// A quoted text.
    case quoted(String)
    case list([JSONValue])

    /// - Throws: `bad_json` with the place, for what is no UTF-8 and for what begins like JSON and is none.
    package init(_ bytes: [UInt8]) throws(Refusal) {
        // An object, as most payloads are, needs no text. Everything else is parsed again, which tells the reason.
        if bytes.first == UInt8(ascii: "{"), case .object(let members)? = try? JSONValue(parsing: bytes) {
            self = .object(members)
            return
        }
        guard let text = String(validating: ByteOrderMark.skipped(in: bytes), as: UTF8.self) else {
            throw Refusal(.badJSON, "the payload is not UTF-8 at byte \(Self.firstInvalid(in: bytes))")
        }
        let word = text.trimmingSpace
        switch word.utf8.first {
        case nil: self = .empty
        case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\""):
            switch try Self.json(text) {
            case .object(let members): self = .object(members)
            case .array(let elements): self = .list(elements)
            case .string(let text): self = .quoted(text)
            case .null, .bool, .number, .numeral: self = .plain(word)
            }
        default: self = .plain(word)
        }
    }

    /// The payload as a JSON value: a plain form is a number, true, false or null if it can be, else a text.
    package var value: JSONValue? {
        switch self {
        case .empty: nil
        case .object(let members): .object(members)
        case .list(let elements): .array(elements)
        case .quoted(let text): .string(text)
        case .plain(let text): (try? JSONValue(parsing: text)) ?? .string(text)
        }
    }

    /// The text of a plain form whose value would not be written like that: `1.50`, `null`.
    package var plainText: String? {
        guard case .plain(let text) = self, let value, value.string == nil else { return nil }
        return value.isNull || value.text != text ? text : nil
    }

    /// The payload as quoted in a message.
    package var quotation: String {
        switch self {
        case .plain(let text): QuotedValue.of(text)
        case .empty, .object, .list, .quoted: value.map { QuotedValue.of($0) } ?? "empty"
        }
    }

    private static func firstInvalid(in bytes: [UInt8]) -> Int {
        do throws(UTF8.ValidationError) {
            return try UTF8Span(validating: bytes.span).count
        } catch {
            return error.byteOffsets.lowerBound
        }
    }

    private static func json(_ text: String) throws(Refusal) -> JSONValue {
        do throws(JSONError) {
            return try JSONValue(parsing: text)
        } catch {
            throw Refusal(.badJSON, "the payload is not JSON: \(error)")
        }
    }
}
