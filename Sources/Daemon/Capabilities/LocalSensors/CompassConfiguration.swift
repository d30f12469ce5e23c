package import Positioning
package import Sensing
package import Sensors
package import Settings

/// The compass of this machine: where it is read, and how its readings are corrected.
package struct CompassConfiguration: Sendable, Hashable {
    package var isEnabled = true
    package var source = CompassSource.auto
    /// The compass of this machine.
    package var own = CompassSettings()
    /// `nil` leaves headings magnetic.
    package var declination: DeclinationSetting?

    /// Whether the kernel's own sensors may be used.
    var usesOwn: Bool { source == .auto || source == .iio }
}

extension ConfigurationDefaults {
    package var compass: CompassConfiguration { CompassConfiguration() }
}

extension ConfigurationSection {
    static let compassKeys = ConfigurationKey.table([
        .init("sensors.compass.enabled", \.compass.isEnabled, .flag):
            "Whether a compass is used for the angle.",
        .init("sensors.compass.source", \.compass.source, .choice()):
            "Which compass is used: this machine's own, one at the gpsd, or one that publishes on MQTT; auto uses the first of "
            + "these that reports.",
        .init("sensors.compass.device", \.compass.own.device, .optional(.text(upTo: 64))):
            "The magnetometer's name, label or folder, such as ak8963 or iio:device1; null uses the first.",
        .init("sensors.compass.rate_hz", \.compass.own.rate, .number(1...200)):
            "How often it is read, times a second.",
        .init(
            "sensors.compass.declination",
            \.compass.declination,
            .optional(.scalar("auto, or degrees from -180 to 180"))
        ):
            "Degrees by which a compass points east of true north; or auto, to compute it with the World Magnetic Model 2025 "
            + "(valid until 2029) for the location of the GPS or the environment's geofence; null leaves headings magnetic.",
        .init(
            "sensors.compass.mount_matrix",
            \.compass.own.mount,
            .optional(.scalar("nine numbers, as \"1, 0, 0; 0, 1, 0; 0, 0, 1\""))
        ):
            "How the sensors are mounted: the rows of a matrix such as \"0, 1, 0; -1, 0, 0; 0, 0, 1\" that turns the kernel's "
            + "axes into x right, y front and z up; null leaves them as they are.",
        .init("sensors.compass.rotation_scale", \.compass.own.rotationScale, .optional(.number(1e-6...360))):
            "Degrees for one step of a sensor hub that computes headings itself; null finds out in one turn of the device.",
        .init("sensors.compass.iio_folder", \.compass.own.folder, .path):
            "Where the kernel lists its sensors.",
    ])
}
