import Glibc
package import Logging
package import Positioning
import SystemPackage
import Threading

/// Scans for beacons with a Bluetooth adapter of this machine.
///
/// A dedicated thread waits for the adapter's socket and carries out the decisions of ``ScanSession``.
package struct BeaconScanner: Sendable {
    /// Totals since the scanner was created.
    package struct Counters: Sendable, Hashable {
        /// Advertising packets, from beacons or other devices.
        package var packets = 0
        /// Packets of beacons, of this place or others.
        package var beacons = 0
        package var damaged = 0
        /// Readings dropped because the consumer was too slow.
        package var dropped = 0
    }

    let settings: ScanSettings
    let power: ScanSwitch
    let host: HCIHost
    let ephemerals: EphemeralBeacons?
    let feed: PacketFeed?
    let clocks: SensorClocks
    let logger: Logger
    private let counted = Locked(Counters())
    let report: @Sendable (ScanCondition) -> Void

    /// - Parameters:
    ///   - ephemerals: Beacons with rotating identifiers.
    ///   - feed: Is sent every packet, on the scanner's thread.
    ///   - report: Receives every change of the condition, on the scanner's thread.
    package init(
        settings: ScanSettings,
        power: ScanSwitch,
        host: HCIHost = .kernel,
        ephemerals: EphemeralBeacons? = nil,
        feed: PacketFeed? = nil,
        clocks: SensorClocks,
        logger: Logger,
        report: @escaping @Sendable (ScanCondition) -> Void
    ) {
        self.settings = settings
        self.power = power
        self.host = host
        self.ephemerals = ephemerals
        self.feed = feed
        self.clocks = clocks
        self.logger = logger
        self.report = report
    }

    package static let name = "bluetooth"

    package var counters: Counters { counted.withLock { $0 } }

    package var source: SensorSource {
        SensorSource(name: Self.name) { handler async throws(SensorError) in try await run(handler) }
    }

    /// Most batches in the queue; a batch contains what arrived while the thread slept.
    private static let mostWaiting = 256

    private func run(_ handler: @escaping SensorSource.Handler) async throws(SensorError) {
        let (batches, port) = AsyncStream.makeStream(
            of: [SensorReading].self,
            bufferingPolicy: .bufferingOldest(Self.mostWaiting)
        )
        power.begin()
        let thread = ScanThread(self) { [counted] readings, packets, damaged in
            var isDropped = false
            // What comes after the end is nobody's, and was not dropped because somebody was slow.
            if !readings.isEmpty, case .dropped = port.yield(readings) { isDropped = true }
            let beacons = readings.count { if case .beacon = $0 { true } else { false } }
            counted.withLock {
                $0.packets = packets
                $0.beacons += beacons
                $0.damaged = damaged
                if isDropped { $0.dropped += readings.count }
            }
        }
        // Also when cancelled, wait until the thread has restored the adapter.
        let failure: Errno? = await withTaskCancellationHandler {
            await withDiscardingTaskGroup { group in
                group.addTask {
                    for await batch in batches { await handler(batch) }
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
