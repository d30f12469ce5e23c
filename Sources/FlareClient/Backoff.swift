/// How long to wait before the next attempt: twice as long each time, with chance in it.
///
/// Chance spreads the clients of a server that comes back.
package struct Backoff: Sendable, Hashable {
    private let minimum: Double
    private let maximum: Double
    private var failures = 0
    /// How many links in a row were lost again soon.
    private var shortLinks = 0

    package init(minimumSeconds: Double, maximumSeconds: Double) {
        minimum = min(max(0.002, minimumSeconds), 3600)
        maximum = min(max(minimum, maximumSeconds), 3600)
    }

    /// Milliseconds to the next attempt: between a half and the whole of the current step.
    /// - Parameter chance: 0 to 1.
    package mutating func next(chance: Double) -> Int {
        let step = min(minimum * Double(1 << min(failures, 20)), maximum)
        failures += 1
        return Int(step * 1000 * (1 + min(max(chance, 0), 1)) / 2)
    }

    /// A link was lost after some time: the pauses begin with the shortest again, unless such links are lost one
    /// after the other.
    /// - Parameter wasSteady: Whether it had held for a while.
    package mutating func linkLost(wasSteady: Bool) {
        shortLinks = wasSteady ? 0 : min(shortLinks + 1, 20)
        failures = shortLinks
    }
}
