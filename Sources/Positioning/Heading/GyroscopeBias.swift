/// What a gyroscope says while nothing turns.
///
/// It differs from device to device and with the temperature by several degrees a second, which would pull a fused
/// heading off by many degrees. It is taken over whenever the device rests: when for a while neither the gyroscope's
/// word nor the magnetic heading changes. The heading tells rest from turning at an even pace.
struct GyroscopeBias: Sendable {
    /// Radians a second.
    private(set) var value = Vector3.zero

    private var begun: Double?
    private var sum = Vector3.zero
    private var count = 0.0
    private var low = Vector3.zero
    private var high = Vector3.zero
    private var firstHeading = 0.0

    /// Seconds of rest that are needed.
    private static let rest = 2.0
    /// Radians a second.
    private static let noise = 0.06
    /// A larger bias is a turn, or a broken sensor.
    private static let largest = 0.6
    /// Degrees.
    private static let headingNoise = 3.0

    /// - Returns: Whether the value is another one now, by more than noise.
    mutating func hear(_ rotation: Vector3, heading: Double, at time: Double) -> Bool {
        guard let begun, time >= begun else {
            begin(rotation, heading, time)
            return false
        }
        low = pointwiseMin(low, rotation)
        high = pointwiseMax(high, rotation)
        sum += rotation
        count += 1
        let turned = CompassAngle.difference(from: firstHeading, to: heading).magnitude
        guard (high - low).max() <= Self.noise, turned <= Self.headingNoise else {
            begin(rotation, heading, time)
            return false
        }
        guard time - begun >= Self.rest else { return false }
        let mean = sum / count
        begin(rotation, heading, time)
        guard mean.length <= Self.largest else { return false }
        defer { value = mean }
        return (mean - value).length > Self.noise / 2
    }

    private mutating func begin(_ rotation: Vector3, _ heading: Double, _ time: Double) {
        begun = time
        sum = rotation
        count = 1
        low = rotation
        high = rotation
        firstHeading = heading
    }
}
