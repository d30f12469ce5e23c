/// What somebody else does with the scanning of our adapter: bluetoothd, or the system itself.
///
/// Others must not be disturbed between two of their commands, and what they look for they shall find; but they
/// filter duplicates, so scanning is taken back after a while.
struct OtherScanners: Sendable {
    /// Whether the last that was heard of them is that they scan.
    private(set) var isScanning = false
    /// When to switch scanning on again; `nil` while nobody has touched it.
    private(set) var next: Double?

    private static let pause = 1.0
    /// A search of bluetoothd takes 10.24 s.
    private static let patience = 15.0

    /// Scanning was on before we came.
    mutating func foundScanning() { isScanning = true }

    mutating func gave(_ command: HCICommand, at time: Double) {
        if let isOn = command.switchesScan {
            isScanning = isOn
        } else if command.opcode == HCICommand.Opcode.reset {
            isScanning = false
        } else {
            return
        }
        next = time + (isScanning ? Self.patience : Self.pause)
    }

    /// Scanning is ours again.
    mutating func settled() { next = nil }
}

/// When silence lasts too long, and what to do next.
struct SilenceMonitor: Sendable {
    enum Step: Sendable, Hashable {
        case enable, restart
        /// The adapter itself.
        case reset
    }

    private(set) var next = Double.infinity
    /// When something was heard last, or listening began.
    private(set) var since = 0.0
    private var steps = 0
    private var pause = SilenceMonitor.firstPause

    private static let firstPause = 5.0
    private static let longestPause = 300.0

    mutating func heard(at time: Double) {
        since = time
        steps = 0
        pause = Self.firstPause
        next = time + pause
    }

    /// Listening has begun, not for the first time in this silence.
    mutating func goOn(at time: Double) { next = time + pause }

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
