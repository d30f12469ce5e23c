/// Whether the device moves, as a sensor other than the radio says: an accelerometer, or a phone.
/// - Source: contrib/contract/positioning.md, "6.11 The moving flag".
package struct MotionFlag: Sendable, Hashable {
    package var isMoving: Bool
    /// Seconds on the clock of the sightings.
    package var time: Double

    /// How long a flag counts, seconds.
    package static let life = 10.0

    package init(isMoving: Bool, time: Double) {
        self.isMoving = isMoving
        self.time = time
    }

    /// Whether the flag still counts; one without a real time never does.
    package func isFresh(at now: Double) -> Bool { (now - time).magnitude <= Self.life }
}
