/// The speed of a replay.
package enum ReplaySpeed: Sendable, Hashable, CustomStringConvertible {
    /// A multiple of real time.
    case times(Double)
    /// As fast as the readings are consumed.
    case maximum

    package static let legal = "a number from 0.01 to 1000, or max"

    /// Parses `max` or a number from 0.01 to 1000; `nil` for any other text.
    package init?(_ text: String) {
        switch (text, Double(text)) {
        case ("max", _): self = .maximum
        case (_, let number?) where (0.01...1000).contains(number): self = .times(number)
        default: return nil
        }
    }

    package var description: String {
        switch self {
        case .times(let number): "\(number)"
        case .maximum: "max"
        }
    }
}
