import Glibc
package import Logging
package import Positioning
import SystemPackage
import Threading

/// Hears beacons with a Bluetooth adapter of this machine.
///
/// A thread of its own waits for the adapter's socket and does what ``ScanSession`` decides.
package struct BeaconScanner: Sendable {
    /// What was counted since the scanner was made.
    package struct Counters: Sendable, Hashable {
        /// Advertising packets, of beacons or not.
        package var packets = 0
        /// Packets of beacons, of ours or not.
        package var beacons = 0
        package var damaged = 0
        /// Readings that nobody took in time.
        package var dropped = 0
    }

    private let settings: ScanSettings
    private let power: ScanSwitch
    private let host: HCIHost
    private let ephemerals: EphemeralBeacons?
    private let clocks: Clocks
    private let logger: Logger
    private let counted = Locked(Counters())
    private let report: @Sendable (ScanCondition) -> Void

    /// The machine's clocks, seconds.
    package struct Clocks: Sendable {
        let steady: @Sendable () -> Double
        /// Since 1970.
        let wall: @Sendable () -> Double

        package init(steady: @escaping @Sendable () -> Double, wall: @escaping @Sendable () -> Double) {
            self.steady = steady
            self.wall = wall
        }
    }

    /// - Parameters:
    ///   - ephemerals: The beacons that change their identifiers.
    ///   - report: Told how scanning fares, at each change, on the scanner's thread.
    package init(
        settings: ScanSettings,
        power: ScanSwitch,
        host: HCIHost = .kernel,
        ephemerals: EphemeralBeacons? = nil,
        clocks: Clocks,
        logger: Logger,
        report: @escaping @Sendable (ScanCondition) -> Void
    ) {
        self.settings = settings
        self.power = power
        self.host = host
        self.ephemerals = ephemerals
        self.clocks = clocks
        self.logger = logger
        self.report = report
    }

    package static let name = "bluetooth"

    package var counters: Counters { counted.withLock { $0 } }

    package var source: SensorSource {
        SensorSource(name: Self.name) { take async throws(SensorError) in try await run(take) }
    }

    /// Batches that may wait to be taken; one holds what came while the thread slept.
    private static let mostWaiting = 256

    private func run(_ take: @escaping SensorSource.Take) async throws(SensorError) {
        let (batches, port) = AsyncStream.makeStream(
            of: [SensorReading].self,
            bufferingPolicy: .bufferingOldest(Self.mostWaiting)
        )
        power.begin()
        let thread = ScanThread(
            session: ScanSession(settings: settings, isOn: power.read().isOn),
            receiver: BeaconReceiver(ephemerals: ephemerals),
            power: power,
            host: host,
            clocks: clocks,
            logger: logger
        ) { [report] in
            report($0)
        } tell: { [counted] readings, packets, damaged in
            let isTaken: Bool
            if readings.isEmpty {
                isTaken = true
            } else if case .enqueued = port.yield(readings) {
                isTaken = true
            } else {
                isTaken = false
            }
            let beacons = readings.count { if case .beacon = $0 { true } else { false } }
            counted.withLock {
                $0.packets = packets
                $0.beacons += beacons
                $0.damaged = damaged
                if !isTaken { $0.dropped += readings.count }
            }
        }
        // The task waits for the thread to have left the adapter as it was, also when it is cancelled.
        let failure: Errno? = await withTaskCancellationHandler {
            await withDiscardingTaskGroup { group in
                group.addTask {
                    for await batch in batches { await take(batch) }
                }
                return await withCheckedContinuation { ended in
                    do throws(Errno) {
                        try thread.start {
                            port.finish()
                            ended.resume(returning: nil)
                        }
                    } catch {
                        port.finish()
                        ended.resume(returning: error)
                    }
                }
            }
        } onCancel: {
            power.end()
        }
        if let failure { throw .cannotStart(source: Self.name, reason: "\(failure)") }
    }
}
