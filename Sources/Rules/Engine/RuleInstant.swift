import Text

/// One moment on the two clocks of a machine.
///
/// Schedules follow the wall clock. Holds, pauses and thresholds follow the steady one, which nobody sets.
package struct RuleInstant: Sendable, Hashable {
    /// Milliseconds since 1970 UTC.
    package let wall: Int64
    /// Milliseconds of a clock that only goes forward; its zero means nothing.
    package let steady: Int64

    package init(wall: Int64, steady: Int64) {
        // Within the years 1 to 9999 no sum of them overflows.
        self.wall = CivilTime(milliseconds: wall).milliseconds
        self.steady = min(max(steady, 0), Self.latest)
    }

    private static let latest: Int64 = 1 << 53

    /// How far the wall clock is ahead of the steady one.
    var offset: Int64 { wall - steady }
}
