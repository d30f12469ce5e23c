/// Tracks what other processes, such as bluetoothd, do with our adapter's scanning.
///
/// Their command sequences must not be interrupted, and their searches should succeed. But they filter
/// duplicates, so scanning is restarted after a while.
struct OtherScanners: Sendable {
    /// Whether they are scanning, according to their last command.
    private(set) var isScanning = false
    /// When to restart scanning; `nil` while no other process has changed it.
    private(set) var next: Double?

    private static let pause = 1.0
    /// A search by bluetoothd takes 10.24 s.
    private static let patience = 15.0

    /// Scanning was already on when we started.
    mutating func foundScanning() { isScanning = true }

    mutating func record(_ command: HCICommand, at time: Double) {
        if let isOn = command.switchesScan {
            isScanning = isOn
        } else if command.opcode == HCICommand.Opcode.reset {
            isScanning = false
        } else {
            return
        }
        next = time + (isScanning ? Self.patience : Self.pause)
    }

    /// Scanning has been restarted.
    mutating func scanningRestarted() { next = nil }
}

/// Detects silence, and chooses the next attempt to end it.
struct SilenceMonitor: Sendable {
    enum Step: Sendable, Hashable {
        case enable, restart
        /// Resets the adapter itself.
        case reset
    }

    private(set) var next = Double.infinity
    /// When the last report arrived, or listening began.
    private(set) var since = 0.0
    private var steps = 0
    private var pause = SilenceMonitor.firstPause

    private static let firstPause = 5.0
    private static let longestPause = 300.0

    mutating func reportReceived(at time: Double) {
        since = time
        steps = 0
        pause = Self.firstPause
        next = time + pause
    }

    /// Listening continues in the same silence.
    mutating func resume(at time: Double) { next = time + pause }

    mutating func step(at time: Double) -> Step {
        steps += 1
        if steps > 1 { pause = min(pause * 2, Self.longestPause) }
        next = time + pause
        switch steps {
        case 1: return .enable
        case 2: return .restart
        default: return .reset
        }
    }
}
