package import Flare
import JSON

/// The sender of a telemetry frame.
package enum TelemetrySender: Sendable, Hashable {
    case beacon(BeaconIdentity)
    /// The frame carries no beacon identity, only the sender's address.
    case device(DeviceAddress)
}

/// Tracks which beacons of a place need a new battery.
///
/// A thing is identified by its beacon, or by the address in its data (`mac`).
/// - Source: contrib/contract/positioning.md, "6.8 Health".
package struct BatteryMonitor: Sendable {
    /// A battery is low below ``lowVolts`` and no longer low above ``fineVolts``, volts.
    package static let lowVolts = 2.4
    package static let fineVolts = 2.5

    private var map: BeaconMap?
    private var names: [FlareID: String] = [:]
    private var addresses: [UInt64: FlareID] = [:]
    private var low: [FlareID: Double] = [:]

    package init() {}

    /// Replaces the place's beacons and things; a low battery stays low while its thing exists.
    ///
    /// - Returns: `true` when ``problem`` changed.
    package mutating func setPlace(_ map: BeaconMap?, things all: [FlareThing]) -> Bool {
        let before = problem
        self.map = map
        names = Dictionary(all.map { ($0.id, $0.name) }) { first, _ in first }
        let known = all.compactMap { thing in
            thing.data["mac"]?.string.flatMap { DeviceAddress($0) }.map { ($0.bits, thing.id) }
        }
        addresses = Dictionary(known) { first, _ in first }
        low = low.filter { names[$0.key] != nil }
        return problem != before
    }

    /// - Returns: `true` when ``problem`` changed.
    package mutating func record(_ telemetry: BeaconTelemetry, from sender: TelemetrySender) -> Bool {
        guard let volts = telemetry.batteryVolts, let thing = thing(sender) else { return false }
        if volts < Self.lowVolts { return low.updateValue(volts, forKey: thing) == nil }
        guard volts > Self.fineVolts else { return false }
        return low.removeValue(forKey: thing) != nil
    }

    /// A sentence that lists the beacons with a low battery; `nil` when there are none.
    package var problem: String? {
        guard !low.isEmpty else { return nil }
        let sentences = low.map { thing, volts in
            "\(names[thing] ?? thing.description) (\((volts * 100).rounded() / 100) V)"
        }
        return "Replace the batteries of these beacons (below \(Self.lowVolts) V): "
            + sentences.sorted().prefix(20).joined(separator: ", ")
    }

    /// The thing that this beacon or address belongs to; `nil` when it is unknown.
    package func thing(_ sender: TelemetrySender) -> FlareID? {
        switch sender {
        case .beacon(let identity): map?.beacon(identity)?.thing
        case .device(let address): addresses[address.bits]
        }
    }
}
