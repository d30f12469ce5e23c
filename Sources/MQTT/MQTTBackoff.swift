/// How long to wait before the next attempt: twice as long each time, with chance in it.
///
/// Chance spreads the clients of a broker that comes back.
package struct MQTTBackoff: Sendable, Equatable {
    package var minimum: Duration = .milliseconds(500)
    package var maximum: Duration = .seconds(60)
    private var failures = 0

    package init(minimum: Duration = .milliseconds(500), maximum: Duration = .seconds(60)) {
        self.minimum = minimum
        self.maximum = maximum
    }

    /// The pause before the next attempt: between a half and the whole of the current step.
    package mutating func next(using random: inout some RandomNumberGenerator) -> Duration {
        let steps = min(failures, 20)
        failures += 1
        let step = min(max(minimum, .milliseconds(1)) * (1 << steps), max(maximum, minimum))
        return step * Double.random(in: 0.5...1, using: &random)
    }

    package mutating func reset() { failures = 0 }
}
