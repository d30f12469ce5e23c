import Text

/// The time format of Flare: ISO 8601 in UTC with milliseconds.
/// - Source: contrib/contract/flare-protocol.md, "1. Objects".
package enum FlareTime {
    /// The text for milliseconds since 1970-01-01 UTC; years 0 to 9999.
    package static func text(wallMilliseconds: Int64) -> String {
        CivilTime.text(milliseconds: min(max(wallMilliseconds, range.lowerBound), range.upperBound))
    }
}
