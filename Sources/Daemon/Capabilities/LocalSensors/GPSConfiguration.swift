import Sensors
package import Settings

/// The GPS receiver of this machine.
package struct GPSConfiguration: Sendable, Hashable {
    private static let usual = HostAndPort(host: GPSDSettings().host, port: GPSDSettings().port)

    package var isEnabled = true
    /// `nil` uses no gpsd.
    package var gpsd: HostAndPort? = Self.usual
    /// Locations with a larger error are ignored.
    package var maximumErrorMetres = 100.0

    /// How gpsd is used; `nil` when it is not.
    func gpsdSettings(wantsTrueNorth: Bool) -> GPSDSettings? {
        guard let gpsd else { return nil }
        var settings = GPSDSettings()
        settings.host = gpsd.host
        settings.port = gpsd.port
        settings.isConfigured = gpsd != Self.usual
        settings.wantsTrueNorth = wantsTrueNorth
        return settings
    }
}

extension ConfigurationDefaults {
    package var gps: GPSConfiguration { GPSConfiguration() }
}

extension ConfigurationSection {
    static let gpsKeys = ConfigurationKey.table([
        .init("sensors.gps.enabled", \.gps.isEnabled, .flag):
            "Whether GPS chooses the environment.",
        .init("sensors.gps.gpsd", \.gps.gpsd, .optional(.server)):
            "Where gpsd is, HOST:PORT; its compass is used too, if it has one. null uses none.",
        .init("sensors.gps.max_error_m", \.gps.maximumErrorMetres, .number(1...100_000)):
            "A location whose error may be larger is ignored, metres.",
    ])
}
