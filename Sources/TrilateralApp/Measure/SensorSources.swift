import Daemon
import Foundation
import Logging
import MQTT
import Positioning
import Sensing
import Sensors
import Settings

/// The sensors as commands use them, beside a running daemon or without one.
struct SensorSources {
    var sources: [SensorSource]
    private var client: MQTTClient?
    private var local: LocalSensors?

    /// The Bluetooth adapter, or the recordings that stand in its place.
    ///
    /// - Parameter isAdapterOnly: Whether a recording that the configuration names does not count.
    init(
        radioOf configuration: TrilateralConfiguration,
        isAdapterOnly: Bool = false,
        logger: Logger
    ) throws {
        let beacons = configuration.beacons
        let ephemerals = EphemeralBeacons(beacons.ephemeralBeacons)
        sources =
            isAdapterOnly ? [] : try configuration.sensors.replays.map { try $0.source(ephemerals, logger) }
        guard sources.isEmpty, beacons.isEnabled || isAdapterOnly, beacons.scanning.adapter != .off else {
            return
        }
        let scanner = BeaconScanner(
            settings: beacons.scanning,
            power: try ScanSwitch(),
            ephemerals: ephemerals,
            clocks: .ofThisMachine,
            logger: logger
        ) { condition in
            if let problem = condition.problem { StandardError.report(problem) }
            if isAdapterOnly, condition.state == .absent {
                StandardError.report("there is no Bluetooth adapter; one that is plugged in now is used")
            }
        }
        sources = [scanner.source]
    }

    /// Readings that other programs publish on the broker.
    mutating func add(
        _ broker: BrokerOptions,
        _ settings: BrokerSettings,
        logger: Logger
    ) async throws {
        let espresense = settings.loaded.values.espresense
        let (link, root) = try await broker.daemon(settings, timeout: .seconds(10))
        let client = MQTTClient(link, logger: logger)
        self.client = client
        let raw = RawReadings(
            client: client,
            root: root,
            espresense: espresense.filter,
            clocks: .ofThisMachine,
            logger: logger
        )
        sources.append(raw.source)
        let more = espresense.filter.map { " and \($0)" } ?? ""
        StandardError.report("listening on \(root)/sensors/+/raw\(more)")
    }

    /// The compass and the gpsd, unless a recording stands in their place.
    mutating func add(
        localOf configuration: TrilateralConfiguration,
        _ state: StateOption,
        logger: Logger
    ) {
        guard configuration.sensors.replayFile == nil else { return }
        let folder = URL(
            filePath: Self.folder(state),
            directoryHint: .isDirectory
        )
        let isKept = FileManager.default.fileExists(atPath: folder.appending(path: "trilateral.db").path)
        let store = isKept ? try? StateStore(folder: folder) : nil
        let none: @Sendable (String) -> MagnetometerCalibration? = { _ in nil }
        let local = LocalSensors(
            configuration,
            isTracking: true,
            switchedOff: configuration.switchedOff(),
            calibration: store?.calibrations(logger: logger) ?? none,
            logger: logger
        )
        self.local = local
        sources += local.sources
    }

    /// Several daemons on one machine have no calibration in common; then it is none.
    private static func folder(_ state: StateOption) -> String {
        if let path = state.path { return path }
        let locator = DaemonLocator(ProcessInfo.processInfo.environment)
        return locator.only?.stateFolder ?? locator.standardFolder
    }

    /// Delivers their readings until the task is cancelled.
    func run(_ take: @escaping @Sendable (SensorReading) -> Void) async {
        await withTaskGroup(of: Void.self) { group in
            if let client { group.addTask { await client.run() } }
            group.addTask { await local?.watch { StandardError.report("\($0)") } }
            for source in sources {
                group.addTask {
                    do throws(SensorError) {
                        try await source.run { for reading in $0 { take(reading) } }
                    } catch {
                        // The other sources go on.
                        StandardError.report("\(error)")
                    }
                }
            }
            // Sources may end by themselves; the caller decides when it is over.
            while !Task.isCancelled, (try? await Task.sleep(for: .seconds(86_400))) != nil {}
            await client?.stop()
            group.cancelAll()
        }
    }
}
