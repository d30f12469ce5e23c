/// A point in time, from both clocks: rules measure spans on the steady one, messages tell the civil one.
package struct Instant: Sendable, Hashable {
    /// Milliseconds since 1970-01-01 UTC.
    package var wallMilliseconds: Int64
    /// Milliseconds of a clock that never jumps and goes on while the machine sleeps.
    package var steadyMilliseconds: Int64

    package init(wallMilliseconds: Int64, steadyMilliseconds: Int64) {
        self.wallMilliseconds = wallMilliseconds
        self.steadyMilliseconds = steadyMilliseconds
    }

    /// Milliseconds on the steady clock since an earlier moment.
    package func milliseconds(since earlier: Instant) -> Int64 {
        steadyMilliseconds - earlier.steadyMilliseconds
    }
}
