package import Positioning

/// The state of this machine's compass.
package struct CompassCondition: Sendable, Hashable {
    package enum State: String, Sendable, Hashable, CaseIterable {
        /// There is none, and the configuration names none.
        case absent
        /// Searching for it, or it does not answer.
        case waiting
        case working
    }

    package var state = State.absent
    /// The driver's name of the magnetometer.
    package var device: String?
    /// Additional sensors in use: `accelerometer`, `gyroscope`.
    package var helpers: [String] = []
    /// `full`, `partial`, `none`; `nil` when the sensor calibrates itself.
    package var calibration: String?
    /// What is wrong and what to do; `nil` when nothing is wrong.
    package var problem: String?

    package init() {}
}

/// Which compass to read, and how.
package struct CompassSettings: Sendable, Hashable {
    /// The kernel's directory of IIO devices.
    package var folder = "/sys/bus/iio/devices"
    /// The magnetometer's name, label or folder; `nil` uses the first.
    package var device: String?
    /// Readings per second.
    package var rate = 20.0
    /// An additional rotation, applied to measurements in the axes of the kernel's mount matrix.
    package var mount: Matrix3?
    /// Degrees per step of a sensor hub's own heading; `nil` detects it.
    package var rotationScale: Double?
    /// Seconds between two searches while there is no sensor.
    package var searchSeconds = 5.0
    /// Seconds between checks that the sensors are still present and that the calibration is current.
    package var inspectionSeconds = 5.0
    /// Seconds without a heading after which a problem is reported.
    package var patienceSeconds = 5.0

    package init() {}
}
