/// What a device's sensors measured at one moment.
package struct MotionSample: Sendable, Hashable {
    /// Seconds on the steady clock of the readings.
    package var time: Double
    /// Microtesla, in the magnetometer's own axes: its iron belongs to these.
    package var field: Vector3
    /// What the accelerometer says along the device's axes, m/s², up at rest; `nil` without one.
    package var acceleration: Vector3?
    /// What the gyroscope says about the device's axes, radians a second; `nil` without one.
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
