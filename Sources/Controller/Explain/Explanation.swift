package import JSON

/// An explanation of the current state: one or more sentences, and the facts behind them.
package struct Explanation: Sendable, Hashable {
    /// What can be explained.
    package enum Subject: Sendable, Hashable {
        /// Why the device is in its zone, or in none.
        case zone
        /// Why a thing (slug or identifier, as received) is near or not; `nil` for the nearby thing.
        case nearby(thing: String?)
        /// What happened to the command with this `tx`; `nil` for the last command.
        case command(tx: JSONValue?)
    }

    package var text: String
    /// Lengths in metres (`…_m`), times in seconds (`…_s`).
    package var facts: JSONObject

    /// `{"text", …facts}`.
    package var json: JSONValue { .object(facts.merging(["text": .string(text)]) { $1 }) }

    // MARK: Formatting

    /// A length, such as `0.73 m`.
    static func metres(_ value: Double) -> String { "\(rounded(value).text) m" }

    /// A JSON number with at most two decimals; null if not finite.
    static func rounded(_ value: Double) -> JSONValue {
        value.isFinite ? .number((value * 100).rounded() / 100) : .null
    }

    /// A time, such as `0.8 s`, `40 s`, `3 min` or `5 h`.
    static func duration(_ milliseconds: Int64) -> String {
        let seconds = Double(max(0, milliseconds)) / 1000
        return switch seconds {
        case ..<10: "\(JSONValue.number((seconds * 10).rounded() / 10).text) s"
        case ..<120: "\(Int64(seconds)) s"
        case ..<7200: "\(Int64(seconds / 60)) min"
        default: "\(Int64(seconds / 3600)) h"
        }
    }

    /// A number of things, such as `1 update` or `2 updates`.
    static func count(_ number: Int, _ noun: String) -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
    }
}
