package import Controller
import Foundation

/// The machine's clocks.
package enum RuntimeClock {
    /// Where the steady clock begins: with the process.
    private static let origin = ContinuousClock.now

    @Sendable package static func now() -> Instant {
        Instant(
            wallMilliseconds: Int64(Date().timeIntervalSince1970 * 1000),
            steadyMilliseconds: Int64(steadySeconds() * 1000)
        )
    }

    /// Seconds on the steady clock.
    @Sendable package static func steadySeconds() -> Double {
        (ContinuousClock.now - origin) / .seconds(1)
    }
}
