import Glibc

/// Computes a heading from a magnetometer and, where present, an accelerometer and a gyroscope.
///
/// The heading is the direction of the device's y axis, clockwise from magnetic north.
/// - Source: contrib/contract/positioning.md, "8. Compass and GPS".
package struct Compass: Sendable {
    /// A heading and whether it can be trusted.
    package struct Heading: Sendable, Hashable {
        /// Magnetic, 0 up to 360.
        package var degrees: Double
        /// Whether iron or a magnet near the device distorts the field.
        package var isDisturbed: Bool
    }

    package var calibration: MagnetometerCalibration? {
        didSet { if calibration != oldValue { restart() } }
    }

    /// Rotates the magnetometer's axes to the device's.
    private let mount: Matrix3

    private var time: Double?
    private var field: Vector3?
    private var up: Vector3?
    private var smoothing = CircularSmoothing(timeConstant: lowPass)
    private var bias = GyroscopeBias()
    private var fused: Double?
    private var fusedSamples = 0

    /// Seconds.
    private static let lowPass = 0.5
    private static let fusion = 8.0
    /// A longer gap between samples restarts the compass, seconds.
    private static let longestGap = 2.0
    private static let gravity = 9.81
    /// Largest deviation of the acceleration from gravity while the device is not shaken, m/s².
    private static let calm = 2.0
    /// Allowed deviation of the field from its calibrated strength, as a fraction; samples beyond it have a
    /// tenth of the weight.
    private static let allowedDeviation = 0.2
    private static let disturbedWeight = 0.1
    /// Sine of the least angle of the device's y axis, or of the field, against the vertical.
    private static let leastSine = 0.15

    package init(mount: Matrix3 = .identity, calibration: MagnetometerCalibration? = nil) {
        self.mount = mount
        self.calibration = calibration
    }

    /// Updates the heading with a sample.
    ///
    /// - Returns: The current heading; `nil` while it is undefined: the device is shaken, stands on its edge,
    ///   or the field points straight down.
    package mutating func update(with sample: MotionSample) -> Heading? {
        guard sample.isFinite else { return nil }
        var step = sample.time - (time ?? sample.time)
        // The clock was set back, or the device was suspended.
        if step < 0 || step > Self.longestGap {
            restart()
            step = 0
        }
        time = sample.time
        let rotation = sample.rotation.map { $0 - bias.value }
        let measured = mount * (calibration?.corrected(sample.field) ?? sample.field)
        follow(measured, sample.acceleration, rotation: rotation, step: step)
        guard let field, let up, let magnetic = Self.heading(field: field, up: up) else { return nil }
        if let raw = sample.rotation, bias.update(with: raw, heading: magnetic, at: sample.time) {
            // The fused heading followed the wrong bias: converge quickly.
            fusedSamples = 0
        }
        // From the raw measurement, so that a magnet is detected before the smoothed field has turned.
        let deviation = calibration.map { (measured.length / $0.field - 1).magnitude } ?? 0
        let isDisturbed = deviation > Self.allowedDeviation
        let weight = isDisturbed ? Self.disturbedWeight : 1
        let degrees: Double?
        if let rotation {
            degrees = fuse(magnetic, turning: rotation.dot(up), step: step, weight: weight)
        } else {
            smoothing.add(magnetic, for: step, weight: weight)
            degrees = smoothing.degrees
        }
        return degrees.map { Heading(degrees: $0, isDisturbed: isDisturbed) }
    }

    private mutating func restart() {
        time = nil
        field = nil
        up = nil
        smoothing = CircularSmoothing(timeConstant: Self.lowPass)
        fused = nil
        fusedSamples = 0
    }

    /// Updates the smoothed field and vertical.
    ///
    /// A gyroscope rotates both along with the device, so that they
    /// do not lag in a turn.
    private mutating func follow(
        _ measured: Vector3,
        _ acceleration: Vector3?,
        rotation: Vector3?,
        step: Double
    ) {
        let share = 1 - exp(-step / Self.lowPass)
        let turn = (rotation ?? .zero) * step
        let carried = field.map { $0 - turn.cross($0) }
        field = carried.map { $0 + share * (measured - $0) } ?? measured
        let before = up.map { $0 - turn.cross($0) }
        guard let acceleration else {
            // The orientation is unknown: assume that the device lies flat.
            up = Vector3(0, 0, 1)
            return
        }
        guard (acceleration.length - Self.gravity).magnitude <= Self.calm, let upward = acceleration.direction
        else {
            up = before?.direction
            return
        }
        up = (before.map { $0 + share * (upward - $0) } ?? upward).direction
    }

    /// Heading of the device's y axis in the field; `nil` when it is undefined.
    static func heading(field: Vector3, up: Vector3) -> Double? {
        guard let direction = field.direction, let up = up.direction else { return nil }
        let sideways = direction.cross(up)
        guard sideways.length >= leastSine, let east = sideways.direction else { return nil }
        let north = up.cross(east)
        guard (east.y * east.y + north.y * north.y).squareRoot() >= leastSine else { return nil }
        return CompassAngle.normalised(CompassAngle.degrees(atan2(east.y, north.y)))
    }

    /// - Parameter turning: Radians a second about the vertical, counterclockwise.
    private mutating func fuse(_ magnetic: Double, turning: Double, step: Double, weight: Double) -> Double? {
        guard let before = fused else {
            fused = magnetic
            return magnetic
        }
        fusedSamples += 1
        let carried = before - CompassAngle.degrees(turning * step)
        // The first samples have equal weight, so that the very first does not dominate for seconds.
        let share = max(1 - exp(-step / Self.fusion), 1 / Double(fusedSamples + 1))
        let missing = CompassAngle.difference(from: carried, to: magnetic)
        fused = CompassAngle.normalised(carried + share * weight * missing)
        return fused
    }
}
