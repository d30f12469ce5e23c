package import Positioning

/// How this machine's own compass fares.
package struct CompassCondition: Sendable, Hashable {
    package enum State: String, Sendable, Hashable, CaseIterable {
        /// There is none, and none was asked for.
        case absent
        /// It is looked for, or does not answer.
        case waiting
        case working
    }

    package var state = State.absent
    /// What the driver calls the magnetometer.
    package var device: String?
    /// What helps it: `accelerometer`, `gyroscope`.
    package var helpers: [String] = []
    /// `full`, `partial`, `none`; `nil` when the sensor sees to it itself.
    package var calibration: String?
    /// What is wrong and what to do; `nil` when all is well, or when there is nothing to be done.
    package var problem: String?

    package init() {}
}

/// Which compass is read, and how.
package struct CompassSettings: Sendable, Hashable {
    /// Where the kernel shows its sensors.
    package var folder = "/sys/bus/iio/devices"
    /// The magnetometer's name, label or folder; `nil` takes the first.
    package var device: String?
    /// How often it is read, times a second.
    package var rate = 20.0
    /// Multiplied to what the sensors measure in the axes that the kernel gives them.
    package var mount: Matrix3?
    /// Degrees for one step of a sensor hub's own heading; `nil` finds out.
    package var rotationScale: Double?
    /// How often a sensor is looked for while there is none, seconds.
    package var searchSeconds = 5.0
    /// How often it is looked whether the sensors are still there, and calibrated anew, seconds.
    package var inspectionSeconds = 5.0
    /// After so long without a heading something is wrong, seconds.
    package var patienceSeconds = 5.0

    package init() {}
}
