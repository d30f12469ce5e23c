/// Detects from an accelerometer whether the device is carried by somebody who walks, or is at rest.
///
/// Steps shake a carried device: the length of the acceleration varies, whichever way the device is held. The two limits
/// differ, so that the answer does not flicker between them.
/// - Source: contrib/contract/positioning.md, "6.11 The moving flag".
package struct ShakeDetector: Sendable, Hashable {
    private struct Sample: Sendable, Hashable {
        let time: Double
        /// The length of the acceleration, m/s².
        let length: Double
    }

    private var samples: [Sample] = []
    private var isMoving: Bool?

    /// How long samples count, and how long they must span, seconds.
    private static let window = 2.0
    private static let leastSpan = 1.0
    private static let leastSamples = 5
    private static let mostSamples = 256
    /// After a longer gap the samples before it do not count, seconds.
    private static let longestGap = 1.0
    /// From this standard deviation on the device moves; below the second it is at rest, m/s².
    private static let moving = 0.5
    private static let resting = 0.25
    /// No accelerometer measures more, m/s².
    private static let mostLength = 300.0
    /// Gravity is part of every sample: another mean is in another unit, or from a sensor that does not work, m/s².
    private static let plausibleMeans = 6.0...14.0

    package init() {}

    /// Adds a measurement.
    ///
    /// - Parameters:
    ///   - acceleration: With gravity, m/s².
    ///   - time: Seconds on a steady clock.
    /// - Returns: Whether the device moves; `nil` while that is not known.
    package mutating func update(with acceleration: Vector3, at time: Double) -> Bool? {
        let length = acceleration.length
        guard time.isFinite, length.isFinite, length <= Self.mostLength else { return nil }
        if let last = samples.last, !(0...Self.longestGap).contains(time - last.time) {
            samples.removeAll()
            isMoving = nil
        }
        samples.removeAll { time - $0.time > Self.window }
        if samples.count == Self.mostSamples { samples.removeFirst() }
        samples.append(Sample(time: time, length: length))
        guard let first = samples.first, samples.count >= Self.leastSamples,
            time - first.time >= Self.leastSpan
        else { return nil }
        let count = Double(samples.count)
        let mean = samples.reduce(0) { $0 + $1.length } / count
        guard Self.plausibleMeans.contains(mean) else {
            isMoving = nil
            return nil
        }
        let variance = samples.reduce(0) { $0 + ($1.length - mean) * ($1.length - mean) } / count
        let deviation = variance.squareRoot()
        isMoving = deviation >= (isMoving == true ? Self.resting : Self.moving)
        return isMoving
    }
}
