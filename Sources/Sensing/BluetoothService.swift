import Controller
package import Logging
package import OperatingSystem
package import Positioning
package import Sensors
import Threading

/// The Bluetooth scanner, its switch, and the reports about its state.
package struct BluetoothService: Sendable {
    package let scanner: BeaconScanner
    /// Switches it on and off.
    package let power: ScanSwitch
    private let conditions: AsyncStream<ScanCondition>
    private let address: Locked<DeviceAddress?>
    private let isReceiver: Bool
    private let logger: Logger

    private static let alert = "bluetooth"

    /// `nil` if no adapter is to scan.
    ///
    /// - Parameter isReceiver: Whether others rely on what this machine hears.
    package init?(
        _ settings: ScanSettings,
        ephemerals: EphemeralBeacons?,
        feed: PacketFeed? = nil,
        isOn: Bool,
        isReceiver: Bool = false,
        clocks: SensorClocks,
        logger: Logger
    ) throws(ResourceError) {
        guard settings.adapter != .off else { return nil }
        let (conditions, port) = AsyncStream.makeStream(of: ScanCondition.self)
        self.conditions = conditions
        (self.isReceiver, self.logger) = (isReceiver, logger)
        do { power = try ScanSwitch(isOn: isOn) } catch {
            throw ResourceError("cannot open a descriptor for the Bluetooth scanner: \(error)")
        }
        let address = Locked<DeviceAddress?>(nil)
        self.address = address
        scanner = BeaconScanner(
            settings: settings,
            power: power,
            ephemerals: ephemerals,
            feed: feed,
            clocks: clocks,
            logger: logger
        ) { condition in
            if let chosen = condition.address { address.withLock { $0 = chosen } }
            port.yield(condition)
        }
    }

    /// The address of the adapter that scans, or scanned last.
    package var adapterAddress: String? { address.withLock { $0?.description } }

    /// For the health message.
    package var counters: [String: Int] {
        let counters = scanner.counters
        return [
            "adverts_heard": counters.packets, "adverts_damaged": counters.damaged,
            "beacons_heard": counters.beacons, "readings_dropped": counters.dropped,
        ]
    }

    /// Reports the scanner's state until the task is cancelled.
    package func run(_ report: SensorLinkReport) async {
        var last = ScanCondition()
        for await condition in conditions {
            log(condition, after: last)
            last = condition
            // There may be no beacons at all.
            let severity: Alert.Severity = condition.state == .deaf ? .warning : .error
            report.send(.alert(Self.alert, severity, condition.problem))
            await report.linkChanged("bluetooth", condition.isLinkUp)
        }
    }

    /// What the log says where there is no adapter: a device has other sources, a receiver has none.
    package static func absence(isReceiver: Bool) -> (level: Logger.Level, text: String) {
        isReceiver
            ? (.warning, "no adapter found; as a receiver this machine hears nothing until it has one")
            : (.info, "no adapter found; beacons are still received from other sources")
    }

    private func log(_ condition: ScanCondition, after last: ScanCondition) {
        if let problem = condition.problem {
            if problem != last.problem { logger.warning("\(problem)") }
            return
        }
        if condition.restarts > last.restarts, condition.state == .scanning {
            logger.info("bluetooth: scanning restarted")
        }
        guard condition.state != last.state else { return }
        switch condition.state {
        case .absent:
            let (level, text) = Self.absence(isReceiver: isReceiver)
            logger.log(level: level, "bluetooth: \(text)")
        case .scanning:
            let kind = condition.isExtended ? "extended" : "legacy"
            logger.notice(
                "bluetooth: scanning",
                metadata: ["adapter": "\(condition.adapter ?? "")", "advertising": "\(kind)"]
            )
        case .off: logger.info("bluetooth: scanning ended")
        case .waiting, .starting, .deaf: break
        }
    }
}

extension ScanCondition {
    /// For the health message; `nil` while scanning is switched off.
    fileprivate var isLinkUp: Bool? {
        switch state {
        case .off, .absent: nil
        case .waiting, .deaf: false
        case .starting, .scanning: problem == nil
        }
    }
}

extension EphemeralBeacons {
    /// `nil` if there are none.
    package init?(_ beacons: [EphemeralBeacon]) {
        guard !beacons.isEmpty else { return nil }
        self.init(beacons, cipher: AESBlock.cipher)
    }
}
