package import Controller
import Foundation
package import Sensors

/// The clocks of this machine.
package enum RuntimeClock {
    /// The steady clock starts with the process.
    private static let origin = ContinuousClock.now

    @Sendable package static func now() -> Instant {
        let (seconds, attoseconds) = (ContinuousClock.now - origin).components
        return Instant(
            wallMilliseconds: Int64(Date().timeIntervalSince1970 * 1000),
            steadyMilliseconds: seconds * 1000 + attoseconds / 1_000_000_000_000_000
        )
    }

    /// Seconds on the steady clock.
    @Sendable package static func steadySeconds() -> Double {
        (ContinuousClock.now - origin) / .seconds(1)
    }
}

extension SensorClocks {
    package static let ofThisMachine = SensorClocks(
        steady: RuntimeClock.steadySeconds,
        wall: { Double(RuntimeClock.now().wallMilliseconds) / 1000 }
    )
}
