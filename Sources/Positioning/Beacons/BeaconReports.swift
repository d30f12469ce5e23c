package import Flare

/// Collects statistics of received beacons for periodic reports.
package struct BeaconReports: Sendable {
    /// What was received from one beacon since its last report.
    package struct Report: Sendable, Hashable {
        /// Received power of the last packet, dBm.
        package var rssi: Int?
        package var batteryVolts: Double?
        /// When it was last heard, seconds on the caller's clock.
        package var heardAt: Double

        package init(rssi: Int? = nil, batteryVolts: Double? = nil, heardAt: Double) {
            self.rssi = rssi
            self.batteryVolts = batteryVolts
            self.heardAt = heardAt
        }
    }

    /// Seconds between reports, and from the first packet to the first report.
    package static let interval = 60.0
    package static let firstWait = 5.0
    /// Most beacons in one report; further ones are left out.
    private static let capacity = 5000

    private var pending: [FlareID: Report] = [:]
    private var dueAt: Double?

    package init() {}

    /// Records a packet of a thing's beacon.
    package mutating func record(
        _ thing: FlareID,
        rssi: Int? = nil,
        batteryVolts: Double? = nil,
        at now: Double
    ) {
        guard pending[thing] != nil || pending.count < Self.capacity else { return }
        var report = pending[thing] ?? Report(heardAt: now)
        report.rssi = rssi ?? report.rssi
        report.batteryVolts = batteryVolts ?? report.batteryVolts
        report.heardAt = now
        pending[thing] = report
        if dueAt == nil { dueAt = now + Self.firstWait }
    }

    /// Removes and returns the reports when they are due; empty before that.
    package mutating func removeDue(at now: Double) -> [FlareID: Report] {
        guard let dueAt, now >= dueAt, !pending.isEmpty else { return [:] }
        defer { pending.removeAll(keepingCapacity: true) }
        self.dueAt = now + Self.interval
        return pending
    }

    /// Discards everything: the beacons changed, or scanning stopped.
    package mutating func reset() {
        pending.removeAll()
        dueAt = nil
    }
}
