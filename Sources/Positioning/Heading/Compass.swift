import Glibc

/// A heading from magnetometer, accelerometer and gyroscope, whichever of the latter two there are.
///
/// The heading is the direction of the device's y axis, clockwise from magnetic north.
/// - Source: positioning 8.
package struct Compass: Sendable {
    /// What is known of a heading.
    package struct Heading: Sendable, Hashable {
        /// Magnetic, 0 up to 360.
        package var degrees: Double
        /// Whether iron or a magnet near the device bends the field.
        package var isDisturbed: Bool
    }

    package var calibration: MagnetometerCalibration? {
        didSet { if calibration != oldValue { restart() } }
    }

    /// From the magnetometer's axes to the device's.
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
    /// After a longer silence everything begins anew, seconds.
    private static let longestGap = 2.0
    private static let gravity = 9.81
    /// m/s² by which the acceleration of a device that is not being shaken differs from gravity at most.
    private static let calm = 2.0
    /// The field may be off its calibrated strength by this part of it; what is further off weighs a tenth.
    private static let allowedDeviation = 0.2
    private static let disturbedWeight = 0.1
    /// The sine of the least angle between the device's y axis, or the field, and the vertical.
    private static let leastSine = 0.15

    package init(mount: Matrix3 = .identity, calibration: MagnetometerCalibration? = nil) {
        self.mount = mount
        self.calibration = calibration
    }

    /// Takes in a sample.
    ///
    /// - Returns: The heading now; `nil` when none can be told: while the device is shaken, stands on its edge, or is
    ///   where the field points straight down.
    package mutating func hear(_ sample: MotionSample) -> Heading? {
        guard sample.isFinite else { return nil }
        var step = sample.time - (time ?? sample.time)
        // A clock that was set back, or a device that slept.
        if step < 0 || step > Self.longestGap {
            restart()
            step = 0
        }
        time = sample.time
        let rotation = sample.rotation.map { $0 - bias.value }
        let measured = mount * (calibration?.corrected(sample.field) ?? sample.field)
        follow(measured, sample.acceleration, rotation: rotation, step: step)
        guard let field, let up, let magnetic = Self.heading(field: field, up: up) else { return nil }
        if let raw = sample.rotation, bias.hear(raw, heading: magnetic, at: sample.time) {
            // What was fused until now was carried astray.
            fusedSamples = 0
        }
        // Of what was measured just now: a magnet is noticed before it has turned the smoothed field.
        let deviation = calibration.map { (measured.length / $0.field - 1).magnitude } ?? 0
        let isDisturbed = deviation > Self.allowedDeviation
        let weight = isDisturbed ? Self.disturbedWeight : 1
        let degrees: Double?
        if let rotation {
            degrees = fuse(magnetic, turning: rotation.dot(up), step: step, weight: weight)
        } else {
            smoothing.hear(magnetic, for: step, weight: weight)
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

    /// Lets field and vertical follow what was measured; a gyroscope carries them along in a turn, so that they do
    /// not lag behind it.
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
            // Nothing tells how it is held: as if it lay flat.
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

    /// The direction of the y axis as the field has it; `nil` where it has none.
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
        // The first samples weigh alike, so that the very first does not count for seconds.
        let share = max(1 - exp(-step / Self.fusion), 1 / Double(fusedSamples + 1))
        let missing = CompassAngle.difference(from: carried, to: magnetic)
        fused = CompassAngle.normalised(carried + share * weight * missing)
        return fused
    }
}
