/// The state of this machine's accelerometer.
package struct AccelerometerCondition: Sendable, Hashable {
    /// The driver's name; `nil` while there is none, or it is not needed.
    package var device: String?
    /// Why it cannot be used; `nil` while it can.
    package var obstacle: String?

    package init() {}
}

/// Which accelerometer to read, and how.
package struct AccelerometerSettings: Sendable, Hashable {
    /// The kernel's directory of IIO devices.
    package var folder = "/sys/bus/iio/devices"
    /// Its name, label or folder; `nil` uses the first that is not in the base of a laptop.
    package var device: String?
    /// Readings per second: twice the frequency of steps and more, and an uneven part of it.
    package var rate = 5.0
    /// Least seconds between two readings that say the same.
    package var repeatSeconds = 1.0
    /// Seconds between two searches while there is no sensor.
    package var searchSeconds = 60.0
    /// Seconds between checks that the sensor is still present.
    package var inspectionSeconds = 5.0
    /// Seconds without a usable measurement after which the obstacle is reported.
    package var patienceSeconds = 5.0

    package init() {}
}
