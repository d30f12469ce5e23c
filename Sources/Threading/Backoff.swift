/// How long to wait before the next attempt: twice as long after each failure, randomized.
///
/// The random part spreads the clients of a server that comes back.
package struct Backoff: Sendable, Hashable {
    private let minimum: Duration
    private let maximum: Duration
    private var failures = 0
    /// Links in a row that were lost soon after they were made.
    private var shortLinks = 0

    /// - Parameters:
    ///   - minimumSeconds: The longest first pause; at least 1 ms, at most an hour.
    ///   - maximumSeconds: The longest pause of all; at least `minimumSeconds`, at most an hour.
    package init(minimumSeconds: Double, maximumSeconds: Double) {
        let shortest = min(max(0.001, minimumSeconds), 3600)
        minimum = .seconds(shortest)
        maximum = .seconds(min(max(shortest, maximumSeconds), 3600))
    }

    /// The pause before the next attempt: between a half and the whole of the current step.
    /// - Parameter chance: A random number from 0 to 1.
    package mutating func next(chance: Double = .random(in: 0...1)) -> Duration {
        let step = min(minimum * (1 << min(failures, 20)), maximum)
        failures += 1
        return step * ((1 + min(max(chance, 0), 1)) / 2)
    }

    /// A link was lost: the pauses begin with the shortest again, unless several links in a row did not hold.
    /// - Parameter wasSteady: Whether it had held for a while.
    package mutating func linkLost(wasSteady: Bool) {
        shortLinks = wasSteady ? 0 : min(shortLinks + 1, 20)
        failures = shortLinks
    }
}
