package import Flare

/// Where the beacons of an environment are, and which things they are.
///
/// A beacon is a thing with `minor` in its data, in a zone with `major`, in an environment with `uuid`; its
/// data may hold `power`, its level at one metre. Numbers may be numeric text. An environment without a valid
/// `uuid` takes beacons of every UUID by major and minor alone.
/// - Source: flare-protocol 10.1, 10.3 and 12.
package struct BeaconMap: Sendable, Hashable {
    package struct Beacon: Sendable, Hashable {
        package let thing: FlareID
        package let name: String
        package let position: Point3D
        package let major: UInt16
        package let minor: UInt16
        /// dBm; `nil` when only the beacon itself says it.
        package let powerAtOneMetre: Int?
    }

    package private(set) var uuid: BeaconUUID?
    /// In the order of the things.
    package private(set) var beacons: [Beacon] = []
    /// What is wrong with the place's beacon numbers, one sentence each; such beacons are left out.
    package private(set) var problems: [String] = []
    private var index: [UInt32: Int] = [:]

    package init(environment: FlareEnvironment, zones: [FlareZone], things: [FlareThing]) {
        uuid = readUUID(of: environment)
        var majors: [FlareID: UInt16] = [:]
        for zone in zones where zone.environment ?? environment.id == environment.id {
            majors[zone.id] = number("major", in: zone.data, of: "zone \(zone.name) (\(zone.id))")
        }
        for thing in things where thing.environment ?? environment.id == environment.id {
            add(thing, majors: majors)
        }
    }

    /// The beacon of this environment that is meant, if any.
    package func beacon(_ identity: BeaconIdentity) -> Beacon? {
        if let uuid, !identity.belongs(to: uuid) { return nil }
        return index[Self.key(identity.major, identity.minor)].map { beacons[$0] }
    }

    private mutating func readUUID(of environment: FlareEnvironment) -> BeaconUUID? {
        let value = environment.data["uuid"] ?? .null
        guard !value.isNull else { return nil }
        let uuid = value.string.flatMap { BeaconUUID($0) }
        if uuid == nil {
            problems.append(
                "environment \(environment.name) (\(environment.id)): uuid must be 32 hexadecimal digits "
                    + "(is \(value)); beacons of every uuid are taken"
            )
        }
        return uuid
    }

    private mutating func add(_ thing: FlareThing, majors: [FlareID: UInt16]) {
        let label = "thing \(thing.name) (\(thing.id))"
        guard let minor = number("minor", in: thing.data, of: label) else { return }
        guard let major = thing.zone.flatMap({ majors[$0] }) else {
            problems.append("\(label) has a minor, but its zone has no major")
            return
        }
        guard let position = thing.position, position.isFinite else {
            problems.append("\(label) has a minor, but no position")
            return
        }
        let key = Self.key(major, minor)
        if let other = index[key] {
            problems.append(
                "\(label) has the same major \(major) and minor \(minor) as \(beacons[other].name) "
                    + "(\(beacons[other].thing)), which counts"
            )
            return
        }
        index[key] = beacons.count
        beacons.append(
            Beacon(
                thing: thing.id,
                name: thing.name,
                position: position,
                major: major,
                minor: minor,
                powerAtOneMetre: power(of: thing, label)
            )
        )
    }

    private mutating func number(_ key: String, in data: [String: JSONValue], of label: String) -> UInt16? {
        guard let value = data[key], !value.isNull else { return nil }
        if let number = JSONValue.object(data).flareNumber(key), let valid = UInt16(exactly: number) {
            return valid
        }
        problems.append("\(label): \(key) must be a whole number from 0 to 65535 (is \(value))")
        return nil
    }

    private mutating func power(of thing: FlareThing, _ label: String) -> Int? {
        guard let value = thing.data["power"], !value.isNull else { return nil }
        if let number = JSONValue.object(thing.data).flareNumber("power"), let power = Int(exactly: number),
            (-127 ... -1).contains(power)
        {
            return power
        }
        problems.append("\(label): power must be a whole number from -127 to -1 dBm (is \(value))")
        return nil
    }

    private static func key(_ major: UInt16, _ minor: UInt16) -> UInt32 {
        UInt32(major) << 16 | UInt32(minor)
    }
}
