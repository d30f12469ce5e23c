import Controller
import Glibc

/// The machine's clocks.
enum RuntimeClock {
    @Sendable static func now() -> Moment {
        Moment(
            wallMilliseconds: milliseconds(CLOCK_REALTIME),
            steadyMilliseconds: milliseconds(CLOCK_BOOTTIME)
        )
    }

    /// Seconds on the steady clock.
    @Sendable static func steadySeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static func milliseconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
