/// The constant error of a gyroscope: its output while nothing turns.
///
/// It differs between devices and with temperature by several degrees a second, which would shift a fused
/// heading by many degrees. It is measured whenever the device rests: when neither the gyroscope's output nor
/// the magnetic heading changes for a while. The heading distinguishes rest from a steady turn.
struct GyroscopeBias: Sendable {
    /// Radians a second.
    private(set) var value = Vector3.zero

    private var start: Double?
    private var sum = Vector3.zero
    private var count = 0.0
    private var low = Vector3.zero
    private var high = Vector3.zero
    private var firstHeading = 0.0

    /// Seconds of rest needed for a measurement.
    private static let rest = 2.0
    /// Radians a second.
    private static let noise = 0.06
    /// A larger value is a turn, or a broken sensor, radians a second.
    private static let largest = 0.6
    /// Degrees.
    private static let headingNoise = 3.0

    /// - Returns: `true` when the bias changed by more than noise.
    mutating func update(with rotation: Vector3, heading: Double, at time: Double) -> Bool {
        guard let start, time >= start else {
            restart(rotation, heading, time)
            return false
        }
        low = pointwiseMin(low, rotation)
        high = pointwiseMax(high, rotation)
        sum += rotation
        count += 1
        let turned = CompassAngle.difference(from: firstHeading, to: heading).magnitude
        guard (high - low).max() <= Self.noise, turned <= Self.headingNoise else {
            restart(rotation, heading, time)
            return false
        }
        guard time - start >= Self.rest else { return false }
        let mean = sum / count
        restart(rotation, heading, time)
        guard mean.length <= Self.largest else { return false }
        defer { value = mean }
        return (mean - value).length > Self.noise / 2
    }

    private mutating func restart(_ rotation: Vector3, _ heading: Double, _ time: Double) {
        start = time
        sum = rotation
        count = 1
        low = rotation
        high = rotation
        firstHeading = heading
    }
}
