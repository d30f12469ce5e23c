/// Why a time zone cannot be used, as a sentence.
package struct TimeZoneError: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Cause: Sendable, Hashable {
        /// The name is not that of a time zone.
        case name
        /// This machine has no files of time zones.
        case noDatabase
        /// The file cannot be read, or is damaged.
        case file
    }

    package let cause: Cause
    package let description: String

    init(_ cause: Cause, _ description: String) {
        (self.cause, self.description) = (cause, description)
    }

    /// The same with what it is about before the sentence.
    func prefixed(by origin: String) -> TimeZoneError {
        TimeZoneError(cause, "\(origin): \(description)")
    }
}
