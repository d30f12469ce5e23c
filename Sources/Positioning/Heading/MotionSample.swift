/// One measurement of a device's motion sensors.
package struct MotionSample: Sendable, Hashable {
    /// Seconds on the steady clock of the readings.
    package var time: Double
    /// Microtesla, in the magnetometer's own axes, to which the calibration applies.
    package var field: Vector3
    /// Along the device's axes, m/s², pointing up at rest; `nil` without an accelerometer.
    package var acceleration: Vector3?
    /// About the device's axes, radians a second; `nil` without a gyroscope.
    package var rotation: Vector3?

    package init(time: Double, field: Vector3, acceleration: Vector3? = nil, rotation: Vector3? = nil) {
        self.time = time
        self.field = field
        self.acceleration = acceleration
        self.rotation = rotation
    }

    var isFinite: Bool {
        time.isFinite && field.isFinite && acceleration?.isFinite != false && rotation?.isFinite != false
    }
}
