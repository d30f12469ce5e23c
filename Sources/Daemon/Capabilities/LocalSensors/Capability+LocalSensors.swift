package import Controller
package import Logging
package import Positioning
package import Sensing
package import Sensors
package import Settings

extension Capability {
    /// This machine's own compass and its gpsd.
    static let localSensors = Capability(
        name: "compass and gps",
        settings: .localSensors,
        switchedOff: { configuration in
            (configuration.compass.isEnabled ? [] : [.compass]) + (configuration.gps.isEnabled ? [] : [.gps])
        }
    ) { context in
        guard !context.isReplaying else { return nil }
        let sensors = LocalSensors(
            context.configuration,
            switchedOff: context.switchedOff,
            calibration: context.store.calibrations(logger: context.logger),
            clocks: context.clocks,
            logger: context.logger
        )
        var parts = CapabilityParts()
        parts.sources = sensors.sources
        parts.sensorSwitched = { sensors.set($0, on: $1) }
        parts.services = [
            DaemonService.untilShutdown("compass and gps") {
                await sensors.run(context.links, logger: context.logger)
            }
        ]
        return parts
    }
}

extension ConfigurationSection {
    fileprivate static let localSensors = ConfigurationSection(
        summaries: [
            "sensors.compass": "Compass: this machine's own, one at a gpsd, or one that publishes on MQTT.",
            "sensors.gps": "GPS: from gpsd, or over MQTT.",
        ],
        keys: compassKeys + gpsKeys,
        exchangeable: [.init(\.compass), .init(\.gps)]
    )
}

extension LocalSensors {
    /// - Parameters:
    ///   - switchedOff: The sensors that start switched off.
    ///   - calibration: The stored calibration of a magnetometer, by its name.
    package init(
        _ configuration: TrilateralConfiguration,
        switchedOff: Set<SensorKind>,
        calibration: @escaping @Sendable (String) -> MagnetometerCalibration?,
        clocks: SensorClocks = .ofThisMachine,
        logger: Logger
    ) {
        self.init(
            compass: configuration.compass.usesOwn ? configuration.compass.own : nil,
            gpsd: configuration.gps.gpsdSettings(wantsTrueNorth: configuration.compass.declination != nil),
            switchedOff: switchedOff,
            calibration: calibration,
            clocks: clocks,
            logger: logger
        )
    }
}
