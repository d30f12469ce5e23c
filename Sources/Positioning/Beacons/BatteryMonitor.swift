package import Flare

/// Whose telemetry it is.
package enum TelemetrySender: Sendable, Hashable {
    case beacon(BeaconIdentity)
    /// It names no beacon, only the address that it comes from.
    case device(DeviceAddress)
}

/// Knows which beacons of a place need a new battery.
///
/// A thing is known by its beacon, or by the address in its data (`mac`).
/// - Source: positioning 6.8.
package struct BatteryMonitor: Sendable {
    /// Below it a battery is low, volts; above ``fineVolts`` it is no longer.
    package static let lowVolts = 2.4
    package static let fineVolts = 2.5

    private var map: BeaconMap?
    private var things: [FlareID: FlareThing] = [:]
    private var addresses: [UInt64: FlareID] = [:]
    private var low: [FlareID: Double] = [:]

    package init() {}

    /// Takes another place, or the same one after a change; what is low stays so while its thing is there.
    ///
    /// - Returns: Whether ``problem`` has changed.
    package mutating func follow(_ map: BeaconMap?, things all: [FlareThing]) -> Bool {
        let before = problem
        self.map = map
        things = Dictionary(all.map { ($0.id, $0) }) { first, _ in first }
        let known = all.compactMap { thing in
            thing.data["mac"]?.string.flatMap { DeviceAddress($0) }.map { ($0.bits, thing.id) }
        }
        addresses = Dictionary(known) { first, _ in first }
        low = low.filter { things[$0.key] != nil }
        return problem != before
    }

    /// - Returns: Whether ``problem`` has changed.
    package mutating func hear(_ telemetry: BeaconTelemetry, of sender: TelemetrySender) -> Bool {
        guard let volts = telemetry.batteryVolts, let thing = thing(sender) else { return false }
        if volts < Self.lowVolts { return low.updateValue(volts, forKey: thing) == nil }
        guard volts > Self.fineVolts else { return false }
        return low.removeValue(forKey: thing) != nil
    }

    /// The beacons that need a new battery, in words; `nil` when there are none.
    package var problem: String? {
        guard !low.isEmpty else { return nil }
        let names = low.map { thing, volts in
            "\(things[thing]?.name ?? thing.description) (\((volts * 100).rounded() / 100) V)"
        }
        return "The batteries of these beacons are low, below \(Self.lowVolts) V: "
            + names.sorted().prefix(20).joined(separator: ", ")
    }

    /// The thing whose beacon it is; `nil` for a stranger.
    package func thing(_ sender: TelemetrySender) -> FlareID? {
        switch sender {
        case .beacon(let identity): map?.beacon(identity)?.thing
        case .device(let address): addresses[address.bits]
        }
    }
}
