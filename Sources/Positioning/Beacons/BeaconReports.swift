package import Flare

/// Gathers how the beacons of a place are heard, to be told now and then.
package struct BeaconReports: Sendable {
    /// What was heard of one beacon since it was told last.
    package struct Report: Sendable, Hashable {
        /// Received power of the last packet, dBm.
        package var rssi: Int?
        package var batteryVolts: Double?
        /// When it was heard last, seconds on the clock of the calls.
        package var heardAt: Double

        package init(rssi: Int? = nil, batteryVolts: Double? = nil, heardAt: Double) {
            self.rssi = rssi
            self.batteryVolts = batteryVolts
            self.heardAt = heardAt
        }
    }

    /// How often reports are due, seconds, and how long after the first beacon the first ones are.
    package static let interval = 60.0
    package static let firstWait = 5.0
    /// More than so many beacons at a time are not reported.
    private static let capacity = 5000

    private var open: [FlareID: Report] = [:]
    private var dueAt: Double?

    package init() {}

    /// A packet of a thing's beacon was heard.
    package mutating func hear(
        _ thing: FlareID,
        rssi: Int? = nil,
        batteryVolts: Double? = nil,
        at now: Double
    ) {
        guard open[thing] != nil || open.count < Self.capacity else { return }
        var report = open[thing] ?? Report(heardAt: now)
        report.rssi = rssi ?? report.rssi
        report.batteryVolts = batteryVolts ?? report.batteryVolts
        report.heardAt = now
        open[thing] = report
        if dueAt == nil { dueAt = now + Self.firstWait }
    }

    /// The reports, if it is time for them; each is handed over once.
    package mutating func take(at now: Double) -> [FlareID: Report] {
        guard let dueAt, now >= dueAt, !open.isEmpty else { return [:] }
        defer { open.removeAll(keepingCapacity: true) }
        self.dueAt = now + Self.interval
        return open
    }

    /// Forgets what was heard: the beacons are others now, or are not listened to.
    package mutating func forget() {
        open.removeAll()
        dueAt = nil
    }
}
