/// One run of a schedule.
package struct Occurrence: Sendable, Hashable {
    /// Milliseconds since 1970 UTC.
    package let start: Int64
    /// Milliseconds since 1970 UTC, not before the start; `nil` for a run without an end.
    ///
    /// The end is not within the run. It equals the start if clocks skip the whole range.
    package let end: Int64?

    package init(start: Int64, end: Int64? = nil) {
        (self.start, self.end) = (start, end)
    }
}
