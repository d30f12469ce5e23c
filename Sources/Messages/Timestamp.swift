package import Controller
import Text

/// A civil time as messages write it: RFC 3339, UTC, milliseconds.
package struct Timestamp: Sendable, Hashable, CustomStringConvertible {
    private let time: CivilTime

    /// - Parameter milliseconds: Since 1970-01-01 UTC; what lies outside the years 1 to 9999 is moved to the border.
    package init(milliseconds: Int64) { time = CivilTime(milliseconds: milliseconds) }

    package init(_ moment: Instant) {
        self.init(milliseconds: moment.wallMilliseconds)
    }

    /// `2026-11-21T10:12:13.456Z`.
    package var description: String { time.description }
}

extension Instant {
    /// RFC 3339, UTC, with milliseconds.
    package var timestamp: String { Timestamp(self).description }
}
