/// When readings that come all the time are written to a disk: soon after a rest, and together while they go on.
///
/// Each write wears out a memory card, and the next reading replaces this one. A crash loses at most the readings of one
/// spacing. What people change does not go through here.
package struct StoringPace: Sendable, Hashable {
    /// How long the first readings after a rest wait for others.
    private static let first = Duration.milliseconds(250)

    private let spacing: Duration
    private var last: ContinuousClock.Instant?

    /// - Parameter spacing: The least time between two writes.
    package init(spacing: Duration = .seconds(60)) { self.spacing = spacing }

    /// How long a reading that came now waits to be written.
    ///
    /// Ask only for the first of those that wait; the others are written with it.
    package func delay(at now: ContinuousClock.Instant) -> Duration {
        guard let last else { return Self.first }
        return max(Self.first, now.duration(to: last + spacing))
    }

    /// Call when everything that waited was written.
    package mutating func wrote(at now: ContinuousClock.Instant) { last = now }
}
