import Flare

/// A recent report of a beacon.
package struct BeaconReport: Sendable, Hashable {
    /// Received power of the last packet, dBm; `nil` when none was measured.
    package var rssi: Int?
    /// Battery voltage; `nil` if not reported.
    package var batteryVolts: Double?
    /// Time since the last packet, seconds.
    package var age: Double

    package init(rssi: Int? = nil, batteryVolts: Double? = nil, age: Double) {
        self.rssi = rssi
        self.batteryVolts = batteryVolts
        self.age = age
    }
}

/// The last known condition of a thing's beacon.
package struct BeaconCondition: Sendable, Hashable {
    /// Received power of the last packet, dBm.
    package var rssi: Int?
    /// The last reported battery voltage.
    package var batteryVolts: Double?
    package var seenAt: Instant

    package init(rssi: Int? = nil, batteryVolts: Double? = nil, seenAt: Instant) {
        self.rssi = rssi
        self.batteryVolts = batteryVolts
        self.seenAt = seenAt
    }

    /// - Parameter before: What was known; it stays where the report says nothing.
    init(_ report: BeaconReport, at now: Instant, after before: BeaconCondition? = nil) {
        rssi = report.rssi ?? before?.rssi
        batteryVolts = report.batteryVolts ?? before?.batteryVolts
        // Clamp implausible ages.
        let age = report.age.isFinite ? Int64(min(max(report.age, 0), 3600) * 1000) : 0
        seenAt = now
        seenAt.wallMilliseconds -= age
        seenAt.steadyMilliseconds -= age
    }
}

extension ControllerCore {
    mutating func beaconsHeard(_ reports: [FlareID: BeaconReport]) {
        for (thing, report) in reports where state.things[thing] != nil {
            state.beacons[thing] = BeaconCondition(report, at: now, after: state.beacons[thing])
            changes.insert(.beacon(thing))
        }
    }
}
