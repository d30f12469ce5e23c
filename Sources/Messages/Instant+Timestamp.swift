package import Controller
import Text

extension Instant {
    /// RFC 3339, UTC, with milliseconds: `2026-11-21T10:12:13.456Z`.
    package var timestamp: String { CivilTime(milliseconds: wallMilliseconds).description }
}
