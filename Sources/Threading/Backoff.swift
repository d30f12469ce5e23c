/// Exponential back-off with jitter, so that the clients of a restarted server do not all reconnect at once.
package struct Backoff: Sendable, Hashable {
    private let minimum: Duration
    private let maximum: Duration
    private var failures = 0
    /// The number of successive links that were lost soon after they were made.
    private var shortLinks = 0

    /// - Parameters:
    ///   - minimumSeconds: The maximum of the first pause; 1 ms to 1 hour.
    ///   - maximumSeconds: The maximum of all pauses; `minimumSeconds` to 1 hour.
    package init(minimumSeconds: Double, maximumSeconds: Double) {
        let shortest = min(max(0.001, minimumSeconds), 3600)
        minimum = .seconds(shortest)
        maximum = .seconds(min(max(shortest, maximumSeconds), 3600))
    }

    /// The pause before the next attempt: between half and all of the current step.
    /// - Parameter chance: A random number from 0 to 1.
    package mutating func next(chance: Double = .random(in: 0...1)) -> Duration {
        let step = min(minimum * (1 << min(failures, 20)), maximum)
        failures += 1
        return step * ((1 + min(max(chance, 0), 1)) / 2)
    }

    /// Starts with short pauses again after a link was lost, unless it is one of several short-lived links in a row.
    ///
    /// - Parameter wasSteady: Whether the link had lasted for a while.
    package mutating func linkLost(wasSteady: Bool) {
        shortLinks = wasSteady ? 0 : min(shortLinks + 1, 20)
        failures = shortLinks
    }
}
