import Flare

/// What the own sensors measured, and what the server was sent of it.
struct DeviceSync: Sendable {
    /// The least time between two positions, and between two headings, sent to the server, milliseconds.
    static let interval: Int64 = 1000
    /// How long a heading counts for a device that is read later, milliseconds.
    private static let headingLife: Int64 = 15_000

    /// What comes once a second comes a little sooner or later each time, and is not held back for that.
    var position = SendThrottle<PositionReading>(interval: interval, tolerance: 50)
    var heading = SendThrottle<Double>(interval: interval)
    /// Own positions that the server has not answered: what it reports of the position meanwhile is older.
    private(set) var unconfirmedPositions = 0
    /// The last reading of the compass, and whether a device has it.
    private var reading: HeadingReading?

    private struct HeadingReading: Sendable {
        var degrees: Double
        var at: Instant
        var hasDevice: Bool
    }

    var isPositionUnconfirmed: Bool { unconfirmedPositions > 0 }

    mutating func positionSent() { unconfirmedPositions += 1 }
    mutating func positionAnswered() { unconfirmedPositions = max(0, unconfirmedPositions - 1) }
    /// No answer will come any more: the link or the device is another one.
    mutating func forgetUnconfirmedPositions() { unconfirmedPositions = 0 }

    // MARK: Heading

    mutating func measured(heading degrees: Double, at now: Instant, hasDevice: Bool) {
        reading = HeadingReading(degrees: degrees, at: now, hasDevice: hasDevice)
    }

    /// The heading that was measured last did not reach the server.
    mutating func headingDropped() { reading?.hasDevice = false }
    mutating func forgetHeading() { reading = nil }

    /// The last heading, when it is young and a device that was just read does not have it.
    mutating func headingForDevice(isNew: Bool, at now: Instant) -> Double? {
        guard let reading, isNew || !reading.hasDevice,
            now.milliseconds(since: reading.at) <= Self.headingLife
        else { return nil }
        if isNew { heading.restart() }
        return reading.degrees
    }
}

/// An estimate of the own position, and when it was made.
struct PositionReading: Sendable {
    let estimate: ControllerEvent.PositionEstimated
    let at: Instant
}
