package import Sensors
package import Settings

/// The accelerometer of this machine, and whether it is read.
package struct AccelerometerConfiguration: Sendable, Hashable {
    package var isEnabled = true
    /// The folder of the kernel's sensors is that of the compass.
    package var own = AccelerometerSettings()
}

extension ConfigurationDefaults {
    package var accelerometer: AccelerometerConfiguration { AccelerometerConfiguration() }
}

extension TrilateralConfiguration {
    /// How the accelerometer is read; `nil` where nobody asks it.
    package var accelerometerSettings: AccelerometerSettings? {
        guard self.accelerometer.isEnabled, positioning.estimator == .grid else { return nil }
        var settings = self.accelerometer.own
        settings.folder = self.compass.own.folder
        return settings
    }
}

extension ConfigurationSection {
    static let accelerometerKeys = ConfigurationKey.table([
        .init("sensors.accelerometer.enabled", \.accelerometer.isEnabled, .flag):
            "Whether it is read, a few times a second, while the Bluetooth of this machine gives positions.",
        .init("sensors.accelerometer.device", \.accelerometer.own.device, .optional(.text(upTo: 64))):
            "Its name, label or folder, such as kxcjk1013 or iio:device0; null uses the first that is not in the base of a "
            + "laptop.",
    ])
}
