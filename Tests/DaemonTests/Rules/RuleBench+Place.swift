import Controller
import Flare
import JSON
import People
import Positioning
import Rules
import Things
import Threading

@testable import Daemon

/// Where the device is, and how things are connected.
extension RuleBench {
    static let kitchen = RuleReference(.zone, TestPlace.kitchen)

    /// A rule that these triggers start, and that switches the heater on.
    static func rule(_ triggers: RuleTrigger..., if conditions: [RuleCondition] = []) -> Rule {
        let action = RuleAction(.drive(.set(["state": "ON"]), .thing(reference(heater))))
        return Rule("Rule", when: triggers, if: conditions, then: [action])
    }

    /// The Flare server says that the device does something, as it decides where the device is.
    ///
    /// - Parameter node: That of a further device.
    private mutating func tell(
        of node: String? = nil,
        _ notice: (_ device: FlareID) -> FlareNotice
    ) {
        let state = controller.state
        guard let device = node.map({ state.nodes[$0]?.device?.id }) ?? state.device?.id else { return }
        send(.flare(.notice(notice(device))))
    }

    mutating func enter(_ zone: FlareID = TestPlace.kitchen, by node: String? = nil) {
        tell(of: node) { .enter(zone: zone, device: $0) }
    }

    /// An exit that follows too closely upon the enter would have to be confirmed.
    mutating func leave(_ zone: FlareID = TestPlace.kitchen, by node: String? = nil) {
        pass(milliseconds: PresenceTracker.exitGrace)
        tell(of: node) { .exit(zone: zone, device: $0) }
    }

    mutating func approach(_ thing: FlareThing) {
        tell { .near(thing: thing.id, device: $0, distance: 0.5) }
    }

    mutating func depart(from thing: FlareThing) { tell { .far(thing: thing.id, device: $0) } }

    mutating func locate(_ latitude: Double, _ longitude: Double, accuracy: Double? = 5) {
        let point = GeoPoint(latitude: latitude, longitude: longitude)
        send(.located(Location(point: point, accuracyMetres: accuracy)))
    }

    mutating func connect(_ thing: FlareThing, _ isOnline: Bool = true) {
        send(.conditionChanged(thing.id, ThingCondition(isOnline: isOnline)))
    }

    /// Somebody switches a sensor.
    mutating func turn(_ sensor: SensorKind, _ isOn: Bool) throws {
        let descriptor = CommandDescriptor.sensorSet
        let payload = try CommandPayload(Array((isOn ? "ON" : "OFF").utf8))
        let operation = try descriptor.read(payload, on: descriptor.topic(sensor.rawValue))
        send(.commandReceived(Command(ticket: 1, operation: operation, caller: .user(Self.maker))))
    }
}

/// A scanner of beacons before a node: what it passes on reaches the rules.
struct BeaconEar {
    private let now: Locked<Int64>
    private let heard: Locked<[Packet]>
    private let beacons: RuleBeacons

    private struct Packet: Sendable {
        let name: BeaconName
        let rssi: Int
    }

    init(_ bench: RuleBench) {
        let (now, heard) = (Locked<Int64>(0), Locked<[Packet]>([]))
        beacons = RuleBeacons(clock: { now.withLock { $0 } }) { name, rssi in
            heard.withLock { $0.append(Packet(name: name, rssi: rssi)) }
        }
        (self.now, self.heard) = (now, heard)
        beacons.use(bench.rules.beacons)
    }

    /// A packet arrives now.
    func hear(_ sighting: BeaconSighting, in bench: inout RuleBench) {
        now.withLock { $0 = bench.now.steadyMilliseconds }
        beacons.hear(sighting)
        let packets = heard.withLock { heard in
            defer { heard = [] }
            return heard
        }
        for packet in packets { bench.send(.beacon(packet.name, rssi: packet.rssi)) }
    }
}
