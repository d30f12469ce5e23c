import Sensors

extension ConfigurationKey {
    /// Where we are on the earth, and where we look.
    static let heading: [ConfigurationKey] = [
        .init("sensors.compass.enabled", \.sensors.compassEnabled, .flag, "Angle from a compass."),
        .init(
            "sensors.compass.source",
            \.sensors.compassSource,
            .choice(),
            "Whose headings count: this machine's own sensors, gpsd's, or those that come over MQTT; auto takes the first of "
                + "these that speaks."
        ),
        .init(
            "sensors.compass.device",
            \.sensors.compass.device,
            .optional(.text(upTo: 64)),
            "The magnetometer's name, label or folder, such as ak8963 or iio:device1; null takes the first."
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
            "Degrees that a compass points east of true north, or auto: from the place that GPS or the environment's geofence "
                + "tells, by the World Magnetic Model 2025 (until 2029); null leaves headings magnetic."
        ),
        .init(
            "sensors.compass.mount_matrix",
            \.sensors.compass.mount,
            .optional(.matrix),
            "The axes of the sensors in the device, as the rows of a matrix such as \"0, 1, 0; -1, 0, 0; 0, 0, 1\" that makes x "
                + "right, y front and z up of what the kernel gives; null leaves that as it is."
        ),
        .init(
            "sensors.compass.rotation_scale",
            \.sensors.compass.rotationScale,
            .optional(.number(1e-6...360)),
            "Degrees for one step of a sensor hub that makes headings itself; null finds out in a turn."
        ),
        .init(
            "sensors.compass.iio_folder",
            \.sensors.compass.folder,
            .path,
            "Where the kernel shows its sensors."
        ),
        .init("sensors.gps.enabled", \.sensors.gpsEnabled, .flag, "The choice of the environment by GPS."),
        .init(
            "sensors.gps.gpsd",
            \.sensors.gpsd,
            .optional(.hostAndPort),
            "Where gpsd is, HOST:PORT; its compass, if it has one, is heard too. null asks none."
        ),
        .init(
            "sensors.gps.max_error_m",
            \.sensors.gpsErrorMetres,
            .number(1...100_000),
            "A place whose error may be larger is not believed, metres."
        ),
    ]
}
