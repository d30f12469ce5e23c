import Flare

/// Sensor readings of this device, and which of them were sent to the server.
struct DeviceSync: Sendable {
    /// Minimum interval between two positions, or two headings, sent to the server, milliseconds.
    static let interval: Int64 = 1000
    /// How long a heading is valid for a device that is read later, milliseconds.
    private static let headingLife: Int64 = 15_000

    /// Estimates arrive about once a second; the tolerance keeps early ones from being delayed.
    var position = SendThrottle<PositionReading>(interval: interval, tolerance: 50)
    var heading = SendThrottle<Double>(interval: interval)
    /// Number of positions sent and not confirmed; the server's reports of the position are older meanwhile.
    private(set) var unconfirmedPositions = 0
    /// The last compass heading, and whether it was applied to a device.
    private var reading: HeadingReading?

    /// The environment selected by the last GPS location.
    var locatedEnvironment: FlareID?

    private struct HeadingReading: Sendable {
        var degrees: Double
        var at: Instant
        var hasDevice: Bool
    }

    var isPositionUnconfirmed: Bool { unconfirmedPositions > 0 }

    mutating func positionSent() { unconfirmedPositions += 1 }
    mutating func positionAnswered() { unconfirmedPositions = max(0, unconfirmedPositions - 1) }
    /// Resets the count after a change of link or device, because no reply will come.
    mutating func forgetUnconfirmedPositions() { unconfirmedPositions = 0 }

    // MARK: Heading

    mutating func measured(heading degrees: Double, at now: Instant, hasDevice: Bool) {
        reading = HeadingReading(degrees: degrees, at: now, hasDevice: hasDevice)
    }

    /// Records that the last heading did not reach the server.
    mutating func headingDropped() { reading?.hasDevice = false }
    mutating func forgetHeading() { reading = nil }

    /// The last heading, if it is recent and missing on the device that was just read; degrees.
    mutating func headingForDevice(isNew: Bool, at now: Instant) -> Double? {
        guard let reading, isNew || !reading.hasDevice,
            now.milliseconds(since: reading.at) <= Self.headingLife
        else { return nil }
        if isNew { heading.restart() }
        return reading.degrees
    }
}

/// A position estimate and the time it was made.
struct PositionReading: Sendable {
    let estimate: ControllerEvent.PositionEstimated
    let at: Instant
}
