/// When readings that come all the time are written to a disk: soon after a rest, and together while they go on.
///
/// A memory card bears only so many writes, and the next reading replaces this one. What a crash may lose is limited by the
/// spacing. What people change does not wait.
package struct StoringPace: Sendable, Hashable {
    /// How long the first readings after a rest wait for others.
    private static let first = Duration.milliseconds(250)

    private let spacing: Duration
    private var last: ContinuousClock.Instant?

    /// - Parameter spacing: The least between two writes.
    package init(spacing: Duration = .seconds(60)) { self.spacing = spacing }

    /// How long what came now waits to be written.
    package func delay(at now: ContinuousClock.Instant) -> Duration {
        guard let last else { return Self.first }
        return max(Self.first, now.duration(to: last + spacing))
    }

    /// All that had waited was written.
    package mutating func wrote(at now: ContinuousClock.Instant) { last = now }
}
