/// A point in time on two clocks: rules use the steady clock, messages the wall clock.
package struct Instant: Sendable, Hashable {
    /// Milliseconds since 1970-01-01 UTC.
    package var wallMilliseconds: Int64
    /// Milliseconds on a clock that never jumps and includes time in suspend.
    package var steadyMilliseconds: Int64

    package init(wallMilliseconds: Int64, steadyMilliseconds: Int64) {
        self.wallMilliseconds = wallMilliseconds
        self.steadyMilliseconds = steadyMilliseconds
    }

    /// The instant that is so many milliseconds later.
    package func later(by milliseconds: Int64) -> Instant {
        Instant(
            wallMilliseconds: wallMilliseconds + milliseconds,
            steadyMilliseconds: steadyMilliseconds + milliseconds
        )
    }

    /// Milliseconds on the steady clock since an earlier instant.
    package func milliseconds(since earlier: Instant) -> Int64 {
        steadyMilliseconds - earlier.steadyMilliseconds
    }
}
