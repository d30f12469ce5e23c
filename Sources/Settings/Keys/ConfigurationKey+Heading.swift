import Sensors

extension ConfigurationKey {
    /// Where we are on the earth, and where we look.
    static let heading: [ConfigurationKey] = [
        .init(
            "sensors.compass.enabled",
            \.sensors.compassEnabled,
            .flag,
            "Whether a compass is used for the angle."
        ),
        .init(
            "sensors.compass.source",
            \.sensors.compassSource,
            .choice(),
            "Which compass is used: this machine's own, one at the gpsd, or one that publishes on MQTT; auto uses the first of "
                + "these that reports."
        ),
        .init(
            "sensors.compass.device",
            \.sensors.compass.device,
            .optional(.text(upTo: 64)),
            "The magnetometer's name, label or folder, such as ak8963 or iio:device1; null uses the first."
        ),
        .init(
            "sensors.compass.rate_hz",
            \.sensors.compass.rate,
            .number(1...200),
            "How often it is read, times a second."
        ),
        .init(
            "sensors.compass.declination",
            \.sensors.declination,
            .optional(.declination),
            "Degrees by which a compass points east of true north; or auto, to compute it with the World Magnetic Model 2025 "
                + "(valid until 2029) for the location of the GPS or the environment's geofence; null leaves headings magnetic."
        ),
        .init(
            "sensors.compass.mount_matrix",
            \.sensors.compass.mount,
            .optional(.matrix),
            "How the sensors are mounted: the rows of a matrix such as \"0, 1, 0; -1, 0, 0; 0, 0, 1\" that turns the kernel's "
                + "axes into x right, y front and z up; null leaves them as they are."
        ),
        .init(
            "sensors.compass.rotation_scale",
            \.sensors.compass.rotationScale,
            .optional(.number(1e-6...360)),
            "Degrees for one step of a sensor hub that computes headings itself; null finds out in one turn of the device."
        ),
        .init(
            "sensors.compass.iio_folder",
            \.sensors.compass.folder,
            .path,
            "Where the kernel lists its sensors."
        ),
        .init("sensors.gps.enabled", \.sensors.gpsEnabled, .flag, "Whether GPS chooses the environment."),
        .init(
            "sensors.gps.gpsd",
            \.sensors.gpsd,
            .optional(.hostAndPort),
            "Where gpsd is, HOST:PORT; its compass is used too, if it has one. null uses none."
        ),
        .init(
            "sensors.gps.max_error_m",
            \.sensors.gpsErrorMetres,
            .number(1...100_000),
            "A location whose error may be larger is ignored, metres."
        ),
    ]
}
