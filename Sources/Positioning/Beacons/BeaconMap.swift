package import Flare
import JSON

/// The beacons of an environment: their positions and the things they belong to.
///
/// A beacon is a thing with `minor` in its data, in a zone with `major`, in an environment with `uuid`; its
/// data may hold `power`, its level at one metre. Numbers may be numeric text. An environment without a valid
/// `uuid` accepts beacons of any UUID by major and minor alone.
///
/// A thing with `receiver` in its data has reversed roles: a receiver of that name stands there and detects
/// the device. Distance works the same either way, so it counts as a beacon.
/// - Source: contrib/contract/flare-protocol.md, "10.1 Library"; "10.3 Behaviour";
///   "12. What the documentation of Flare promises".
package struct BeaconMap: Sendable, Hashable {
    package struct Beacon: Sendable, Hashable {
        package let thing: FlareID
        package let name: String
        package let position: Point3D
        package let major: UInt16
        package let minor: UInt16
        /// dBm; `nil` when only the beacon's own frames state it.
        package let powerAtOneMetre: Double?
        /// The receiver's name, when this is a receiver that detects the device.
        package let receiver: String?
        /// Index into ``BeaconMap/floors``; 0 when there are none.
        package let floor: Int

        package init(
            thing: FlareID,
            name: String,
            position: Point3D,
            major: UInt16,
            minor: UInt16,
            powerAtOneMetre: Double?,
            receiver: String? = nil,
            floor: Int = 0
        ) {
            self.thing = thing
            self.name = name
            self.position = position
            self.major = major
            self.minor = minor
            self.powerAtOneMetre = powerAtOneMetre
            self.receiver = receiver
            self.floor = floor
        }
    }

    /// A zone with a perimeter.
    package struct Zone: Sendable, Hashable {
        package let id: FlareID
        package let box: Box

        package init(id: FlareID, box: Box) {
            self.id = id
            self.box = box
        }
    }

    package let environment: FlareID
    package private(set) var uuid: BeaconUUID?
    /// Where the device may be.
    package let perimeter: Box?
    package let floors: Floors
    /// In the order of the zones.
    package let zones: [Zone]
    /// The environment's overrides of the grid estimator's constants.
    package internal(set) var constants: [GridEstimator.Constant: Double] = [:]
    /// In the order of the things.
    package private(set) var beacons: [Beacon] = []
    /// Problems in the place's beacon data, one sentence each; the affected beacons are left out.
    package internal(set) var problems: [String] = []
    private var index: [UInt32: Int] = [:]
    private var receivers: [String: BeaconIdentity] = [:]

    package init(environment: FlareEnvironment, zones: [FlareZone], things: [FlareThing]) {
        let zones = zones.filter { $0.environment ?? environment.id == environment.id }
        self.environment = environment.id
        perimeter = environment.perimeter
        floors = Floors(of: zones, in: environment)
        self.zones = zones.compactMap { zone in
            zone.perimeter.map { Zone(id: zone.id, box: $0) }
        }
        uuid = readUUID(of: environment)
        readConstants(of: environment)
        var zoneValues: [FlareID: ZoneValues] = [:]
        for zone in zones {
            let major = number("major", in: zone.data, of: "zone \(zone.name) (\(zone.id))")
            zoneValues[zone.id] = ZoneValues(major: major, base: zone.perimeter?.origin.z)
        }
        for thing in things where thing.environment ?? environment.id == environment.id {
            add(thing, zoneValues: zoneValues)
        }
    }

    /// Creates a map from a list of beacons outside any model; the first of two with the same numbers is
    /// used.
    package init(beacons: [Beacon], perimeter: Box?, zones: [Zone] = []) {
        environment = FlareID(high: 0, low: 0)
        self.perimeter = perimeter
        self.zones = zones
        floors = Floors(zonesFrom: [])
        for beacon in beacons where index[Self.key(beacon.major, beacon.minor)] == nil {
            index[Self.key(beacon.major, beacon.minor)] = self.beacons.count
            self.beacons.append(beacon)
        }
    }

    /// The beacon of this environment with that identity, if any.
    package func beacon(_ identity: BeaconIdentity) -> Beacon? {
        index(of: identity).map { beacons[$0] }
    }

    /// Index into ``beacons``.
    package func index(of identity: BeaconIdentity) -> Int? {
        if identity.group == .receivers {
            let index = Int(Self.key(identity.major, identity.minor))
            return beacons.indices.contains(index) ? index : nil
        }
        if let uuid, !identity.belongs(to: uuid) { return nil }
        return index[Self.key(identity.major, identity.minor)]
    }

    /// The identity that stands for a receiver in this map; `nil` when there is none of that name.
    package func identity(ofReceiver name: String) -> BeaconIdentity? { receivers[name] }

    /// The names of the receivers, sorted.
    package var receiverNames: [String] { receivers.keys.sorted() }

    /// The values of a zone that its beacons need.
    private struct ZoneValues {
        let major: UInt16?
        /// Lower end of its perimeter, metres.
        let base: Double?
    }

    private mutating func readUUID(of environment: FlareEnvironment) -> BeaconUUID? {
        let value = environment.data["uuid"] ?? .null
        guard !value.isNull else { return nil }
        let uuid = value.string.flatMap { BeaconUUID($0) }
        if uuid == nil {
            problems.append(
                "environment \(environment.name) (\(environment.id)): uuid must be 32 hexadecimal digits "
                    + "(is \(value)); until then beacons of every uuid are accepted"
            )
        }
        return uuid
    }

    private mutating func add(_ thing: FlareThing, zoneValues: [FlareID: ZoneValues]) {
        let label = "thing \(thing.name) (\(thing.id))"
        if let receiver = thing.data["receiver"], !receiver.isNull {
            if thing.data["minor"].map({ !$0.isNull }) == true {
                problems.append("\(label) has both a receiver and a minor; only the receiver is used")
            }
            return add(thing, receiver: receiver, base: thing.zone.flatMap { zoneValues[$0]?.base }, label)
        }
        guard let minor = number("minor", in: thing.data, of: label) else { return }
        guard let zone = thing.zone.flatMap({ zoneValues[$0] }), let major = zone.major else {
            problems.append("\(label) has a minor, but its zone has no major; give the zone a major")
            return
        }
        guard let position = position(of: thing, with: "minor", label) else { return }
        let key = Self.key(major, minor)
        if let other = index[key] {
            problems.append(
                "\(label) has the same major \(major) and minor \(minor) as \(beacons[other].name) "
                    + "(\(beacons[other].thing)); only the latter is used"
            )
            return
        }
        index[key] = beacons.count
        append(thing, at: position, base: zone.base, major, minor, label)
    }

    private mutating func append(
        _ thing: FlareThing,
        at position: Point3D,
        base: Double?,
        _ major: UInt16,
        _ minor: UInt16,
        receiver: String? = nil,
        _ label: String
    ) {
        beacons.append(
            Beacon(
                thing: thing.id,
                name: thing.name,
                position: position,
                major: major,
                minor: minor,
                powerAtOneMetre: power(of: thing, label),
                receiver: receiver,
                floor: floors.floor(at: base ?? position.z)
            )
        )
    }

    private mutating func position(of thing: FlareThing, with key: String, _ label: String) -> Point3D? {
        guard let position = thing.position, position.isFinite else {
            problems.append("\(label) has a \(key), but no position; give it a position")
            return nil
        }
        guard position.isPlausible else {
            problems.append(
                "\(label) has a \(key), but its position is more than \(Int(Point3D.farthest / 1000)) km from the origin"
            )
            return nil
        }
        return position
    }

    /// Bytes.
    package static let longestReceiverName = 64

    private mutating func add(_ thing: FlareThing, receiver: JSONValue, base: Double?, _ label: String) {
        guard let name = receiver.string, !name.isEmpty, name.utf8.count <= Self.longestReceiverName else {
            problems.append(
                "\(label): receiver must be a name of 1 to \(Self.longestReceiverName) bytes (is \(receiver))"
            )
            return
        }
        guard let position = position(of: thing, with: "receiver", label) else { return }
        if let other = receivers[name].flatMap({ index(of: $0) }) {
            problems.append(
                "\(label) has the same receiver \(name) as \(beacons[other].name) (\(beacons[other].thing)), "
                    + "; only the latter is used"
            )
            return
        }
        let number = UInt32(clamping: beacons.count)
        let (major, minor) = (UInt16(number >> 16), UInt16(truncatingIfNeeded: number))
        receivers[name] = BeaconIdentity(group: .receivers, major: major, minor: minor)
        append(thing, at: position, base: base, major, minor, receiver: name, label)
    }

    private mutating func number(_ key: String, in data: JSONObject, of label: String) -> UInt16? {
        guard let value = data[key], !value.isNull else { return nil }
        if let number = JSONValue.object(data).flareNumber(key), let valid = UInt16(exactly: number) {
            return valid
        }
        problems.append("\(label): \(key) must be a whole number from 0 to 65535 (is \(value))")
        return nil
    }

    private mutating func power(of thing: FlareThing, _ label: String) -> Double? {
        // A read-only `power` is the thing's power consumption in watts.
        guard let value = thing.data["power"], !value.isNull,
            thing.data["readonly"]?.array?.contains("power") != true
        else { return nil }
        if let power = JSONValue.object(thing.data).flareNumber("power"), (-127 ... -1).contains(power) {
            return power
        }
        // So may be that of a thing with a profile, such as a socket.
        if ["profile", "oemModel", "model"].contains(where: { thing.data[$0]?.string != nil }) { return nil }
        problems.append("\(label): power must be a number from -127 to -1 dBm (is \(value))")
        return nil
    }

    private static func key(_ major: UInt16, _ minor: UInt16) -> UInt32 {
        UInt32(major) << 16 | UInt32(minor)
    }
}
