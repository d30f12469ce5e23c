import Controller
import Flare
import JSON
import Text
import Things

extension RuleReading {
    /// Where one comes in and goes out, in one of three members.
    mutating func place(in object: RuleObject) throws(Refusal) -> RulePlace {
        let names = ["geofence", "beacon", "zone"].filter { object.optional($0) != nil }
        guard names.count == 1 else {
            let count = names.isEmpty ? "has none" : "has \(names.joined(separator: " and "))"
            throw Refusal(
                .invalidValue,
                "\(object.path) must have one of geofence, beacon and zone, \(count)",
                field: object.path
            )
        }
        if let circle = try object.object("geofence") {
            warnings.addUnknown(in: circle, known: ["latitude", "longitude", "radius"])
            return .circle(try Self.circle(in: circle))
        }
        if names == ["beacon"] { return .beacon(try beacon(in: object)) }
        let zone = try object.text("zone", Self.nameRule)
        guard Self.isName(zone) else { throw object.invalid("zone", .string(zone), Self.nameRule) }
        return .zone(.zone(zone))
    }

    /// Whose place it is: the daemon's own device, if none is named.
    ///
    /// - Parameters:
    ///   - word: What is said beside a node and `any`: of several devices, the first, the last, or none.
    ///   - place: Where one comes in or goes out.
    static func device(
        in object: RuleObject,
        _ word: RuleDevice,
        of place: RulePlace? = nil
    ) throws(Refusal) -> RuleDevice {
        let words = [RuleDevice.any, word]
        let legal = "the node of a device, \(Words.list(words.compactMap(\.text), "or"))"
        guard let text = try object.optionalText("device", legal) else { return .own }
        let device = RuleDevice(text)
        guard device.node.map(isName) ?? words.contains(device) else {
            throw object.invalid("device", .string(text), legal)
        }
        switch place {
        case nil, .zone: return device
        case .circle, .beacon:
            let rule = "is for zones and things: a geofence or a beacon is of this device alone"
            throw object.refusal(.invalidValue, of: "device", rule)
        }
    }

    static func circle(in object: RuleObject) throws(Refusal) -> RuleCircle {
        _ = try object.required("latitude", "a number from -90 to 90")
        _ = try object.required("longitude", "a number from -180 to 180")
        let range = RuleLimits.radius
        _ = try object.required("radius", "metres from \(Int(range.lowerBound)) to \(Int(range.upperBound))")
        return RuleCircle(
            centre: GeoPoint(
                latitude: try object.number("latitude", -90...90) ?? 0,
                longitude: try object.number("longitude", -180...180) ?? 0
            ),
            radius: try object.number("radius", range) ?? range.lowerBound
        )
    }

    /// A beacon by its text or its numbers; how well it is heard may stand beside it or in it.
    private mutating func beacon(in object: RuleObject) throws(Refusal) -> RuleBeacon {
        let value = try object.required("beacon", BeaconName.rule)
        let name: BeaconName
        var heard = object
        if let text = value.string {
            guard let read = BeaconName(text) else { throw object.invalid("beacon", value, BeaconName.rule) }
            name = read
        } else {
            let numbers = try RuleObject(value, at: object.path(of: "beacon"))
            warnings.addUnknown(
                in: numbers,
                known: ["uuid", "major", "minor", "namespace", "instance", "rssi", "gone"]
            )
            name = try Self.beaconName(in: numbers)
            if object.optional("rssi") == nil, object.optional("gone") == nil { heard = numbers }
        }
        return RuleBeacon(
            name,
            rssi: try heard.optionalWhole("rssi", RuleLimits.rssi).map(Int.init),
            gone: try heard.optionalWhole("gone", RuleLimits.gone) ?? RuleBeacon.defaultGone
        )
    }

    static func beaconName(in object: RuleObject) throws(Refusal) -> BeaconName {
        if object.optional("namespace") != nil {
            let legal = "20 hexadecimal digits"
            let namespace = try object.text("namespace", legal)
            guard BeaconName(namespace: namespace) != nil else {
                throw object.invalid("namespace", .string(namespace), legal)
            }
            let instance = try object.optionalText("instance", BeaconName.instanceRule)
            guard let name = BeaconName(namespace: namespace, instance: instance) else {
                throw object.invalid("instance", .string(instance ?? ""), BeaconName.instanceRule)
            }
            return name
        }
        let legal = "32 hexadecimal digits, with or without hyphens"
        let uuid = try object.text("uuid", legal)
        guard BeaconName(uuid: uuid) != nil else { throw object.invalid("uuid", .string(uuid), legal) }
        let major = try object.optionalWhole("major", 0...65_535).map(UInt16.init)
        let minor = try object.optionalWhole("minor", 0...65_535).map(UInt16.init)
        guard let name = BeaconName(uuid: uuid, major: major, minor: minor) else {
            throw object.refusal(
                .invalidValue,
                of: "minor",
                "needs a major: all minors of one major are a group"
            )
        }
        return name
    }

    // MARK: Levels

    private static let levelRule =
        "one of \(LifecycleLevel.allCases.map(\.stateName).joined(separator: ", "))"

    /// A level by its name or its HMI level: `Active`, `active` or `FULL`.
    static func level(_ value: JSONValue, at path: String) throws(Refusal) -> LifecycleLevel {
        guard let text = value.string else {
            throw Refusal(
                .wrongType,
                "\(path) must be \(levelRule), is \(QuotedValue.of(value))",
                field: path
            )
        }
        let level = LifecycleLevel.allCases.first { $0.rawValue == text || $0.stateName == text }
        guard let level = level ?? (text.utf8.count <= 20 ? LifecycleLevel(hmiLevel: text) : nil) else {
            let hint = NearestName.hint(for: text, among: LifecycleLevel.allCases.map(\.stateName))
            throw Refusal(
                .invalidValue,
                "\(path) must be \(levelRule), is \(QuotedValue.of(text))\(hint)",
                field: path
            )
        }
        return level
    }
}
