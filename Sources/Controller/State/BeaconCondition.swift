import Flare

/// How a beacon was heard in the last while.
package struct BeaconReport: Sendable, Hashable {
    /// Received power of the last packet, dBm; `nil` when none was measured.
    package var rssi: Int?
    /// Of its battery; `nil` when it did not tell.
    package var batteryVolts: Double?
    /// How long ago it was heard last, seconds.
    package var age: Double

    package init(rssi: Int? = nil, batteryVolts: Double? = nil, age: Double) {
        self.rssi = rssi
        self.batteryVolts = batteryVolts
        self.age = age
    }
}

/// What is known of the beacon of a thing.
package struct BeaconCondition: Sendable, Hashable {
    /// Received power of the last packet, dBm.
    package var rssi: Int?
    /// As it was told last.
    package var batteryVolts: Double?
    package var seenAt: Instant

    package init(rssi: Int? = nil, batteryVolts: Double? = nil, seenAt: Instant) {
        self.rssi = rssi
        self.batteryVolts = batteryVolts
        self.seenAt = seenAt
    }
}

extension DeviceController {
    mutating func beaconsHeard(_ reports: [FlareID: BeaconReport]) {
        for (thing, report) in reports where state.things[thing] != nil {
            let before = state.beacons[thing]
            // A clock that says nonsense is not believed.
            let age = report.age.isFinite ? Int64(min(max(report.age, 0), 3600) * 1000) : 0
            var seenAt = now
            seenAt.wallMilliseconds -= age
            seenAt.steadyMilliseconds -= age
            state.beacons[thing] = BeaconCondition(
                rssi: report.rssi ?? before?.rssi,
                batteryVolts: report.batteryVolts ?? before?.batteryVolts,
                seenAt: seenAt
            )
            changes.insert(.beacon(thing))
        }
    }
}
