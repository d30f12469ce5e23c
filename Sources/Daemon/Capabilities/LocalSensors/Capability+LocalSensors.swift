package import Controller
package import Logging
package import Positioning
package import Sensing
package import Sensors
package import Settings

extension Capability {
    /// This machine's own compass, its gpsd and its accelerometer.
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
        parts.positionsTracked = { sensors.setTracking($0) }
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
            "sensors.accelerometer":
                "Accelerometer of this machine: that it moves, or does not, makes the positions of its Bluetooth better.",
        ],
        keys: compassKeys + gpsKeys + accelerometerKeys,
        exchangeable: [.init(\.compass), .init(\.gps), .init(\.accelerometer)]
    )
}

extension LocalSensors {
    /// - Parameters:
    ///   - isTracking: Whether the accelerometer runs from the start, as for a recording.
    ///   - switchedOff: The sensors that start switched off.
    ///   - calibration: The stored calibration of a magnetometer, by its name.
    package init(
        _ configuration: TrilateralConfiguration,
        isTracking: Bool = false,
        switchedOff: Set<SensorKind>,
        calibration: @escaping @Sendable (String) -> MagnetometerCalibration?,
        clocks: SensorClocks = .ofThisMachine,
        logger: Logger
    ) {
        self.init(
            compass: configuration.compass.usesOwn ? configuration.compass.own : nil,
            gpsd: configuration.gps.gpsdSettings(wantsTrueNorth: configuration.compass.declination != nil),
            accelerometer: configuration.accelerometerSettings,
            isTracking: isTracking,
            switchedOff: switchedOff,
            calibration: calibration,
            clocks: clocks,
            logger: logger
        )
    }
}
