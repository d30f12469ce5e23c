/// How fast a recording is played.
package enum ReplaySpeed: Sendable, Hashable, CustomStringConvertible {
    /// 1 is as it was.
    case times(Double)
    /// As fast as the readings are taken.
    case maximum

    package static let legal = "a number from 0.01 to 1000, or max"

    /// From `max` or a number from 0.01 to 1000; `nil` for any other text.
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
