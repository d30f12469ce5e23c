import JSON
import Text
import Things

/// An automation of AMAP 5, which a place starts.
/// - Source: contrib/contract/rules.md, "Four spellings"; AylaNetworks' AMAP, `Automation`,
///   `AMAPBeaconService`.
enum LocationAutomation {
    private enum TriggerType: String, CaseIterable {
        case geofenceEnter = "TriggerTypeGeofenceEnter"
        case geofenceExit = "TriggerTypeGeofenceExit"
        case beaconEnter = "TriggerTypeBeaconEnter"
        case beaconExit = "TriggerTypeBeaconExit"
    }

    private static let known = [
        "triggerUUID", "triggerType", "enabled", "actions", "name", "description", "thing", "deviceNickname",
        "locations", "beacons", "id",
    ]

    static func parts(_ automation: RuleObject, _ reading: inout RuleReading) -> RuleParts {
        reading.warnings.addUnknown(in: automation, known: known)
        var parts = reading.head(of: automation, title: ["name"], flag: "enabled")
        reading.part { (reading) throws(Refusal) in parts.triggers = [try trigger(automation, reading)] }
        let list = reading.part { _ throws(Refusal) in
            let count = "a list of 1 to \(RuleLimits.actions.upperBound) actions"
            _ = try automation.required("actions", count)
            return try automation.list("actions", RuleLimits.actions, of: "actions") ?? []
        }
        for (index, value) in (list ?? []).enumerated() {
            reading.part { (reading) throws(Refusal) in
                guard value.string == nil else {
                    let legal =
                        "an object with device, property and value; what an identifier names is not here"
                    throw automation.invalid("actions[\(index)]", value, legal)
                }
                let path = "\(automation.path(of: "actions"))[\(index)]"
                try add(try RuleObject(value, at: path), to: &parts, &reading)
            }
        }
        return parts
    }

    private static func add(
        _ action: RuleObject,
        to parts: inout RuleParts,
        _ reading: inout RuleReading
    ) throws(Refusal) {
        let devices = ["device", "thing", "deviceNickname", "dsn"]
        let properties = ["property", "propertyName", "propertyNickname"]
        reading.warnings.addUnknown(
            in: action,
            known: devices + properties + ["value", "baseType", "name", "id"]
        )
        let thing = try reading.thing(devices, in: action)
        let property = try RuleReading.field(properties, in: action)
        let values: JSONObject = [property: try AylaValue.value("value", in: action)]
        parts.add(.drive(.set(values), .thing(thing)), action.path)
    }

    private static func trigger(
        _ automation: RuleObject,
        _ reading: RuleReading
    ) throws(Refusal) -> RuleTrigger {
        switch try automation.word("triggerType", as: TriggerType.self) {
        case .geofenceEnter: .enter(try circle(automation, reading))
        case .geofenceExit: .exit(try circle(automation, reading))
        case .beaconEnter: .enter(try beacon(automation, reading))
        case .beaconExit: .exit(try beacon(automation, reading))
        }
    }

    private static func uuid(of automation: RuleObject) throws(Refusal) -> String {
        let legal = "a text of 1 to 200 bytes"
        let uuid = try automation.text("triggerUUID", legal)
        guard 1...200 ~= uuid.utf8.count else {
            throw automation.invalid("triggerUUID", .string(uuid), legal)
        }
        return uuid
    }

    private static func circle(
        _ automation: RuleObject,
        _ reading: RuleReading
    ) throws(Refusal) -> RulePlace {
        let uuid = try uuid(of: automation)
        let own = KnownPlaces(in: .object(automation.members))
        guard let location = own.location(uuid) ?? reading.places.location(uuid) else {
            throw automation.invalid("triggerUUID", .string(uuid), "the uuid of one of locations")
        }
        return .circle(
            try RuleReading.circle(in: RuleObject(renamed(location), at: "locations.\(shown(uuid))"))
        )
    }

    /// AMAP's programs shortened the names of the coordinates.
    private static func renamed(_ location: JSONObject) -> JSONObject {
        var renamed = location
        for (name, others) in [("latitude", ["lat"]), ("longitude", ["lng", "long", "lon"])]
        where location[name] == nil {
            renamed[name] = others.lazy.compactMap { location[$0] }.first
        }
        return renamed
    }

    private static func beacon(
        _ automation: RuleObject,
        _ reading: RuleReading
    ) throws(Refusal) -> RulePlace {
        let uuid = try uuid(of: automation)
        let own = KnownPlaces(in: .object(automation.members))
        guard let found = own.beacon(uuid) ?? reading.places.beacon(uuid) else {
            // AMAP called a beacon by its text.
            if let name = BeaconName(uuid) { return .beacon(RuleBeacon(name)) }
            throw automation.invalid(
                "triggerUUID",
                .string(uuid),
                "the uuid of one of beacons, or \(BeaconName.rule)"
            )
        }
        let object = RuleObject(found, at: "beacons.\(shown(uuid))")
        for member in ["beacon", "beaconId", "id", "uuid"] {
            guard let text = object.optional(member)?.string, BeaconName.isText(text) else { continue }
            guard let name = BeaconName(text) else {
                throw object.invalid(member, .string(text), BeaconName.rule)
            }
            return .beacon(RuleBeacon(name))
        }
        return .beacon(RuleBeacon(try RuleReading.beaconName(in: proximity(object))))
    }

    /// The uuid may only be what automations call the beacon.
    private static func proximity(_ beacon: RuleObject) -> RuleObject {
        guard let uuid = beacon.optional("proximityUUID") else { return beacon }
        var members = beacon.members
        members["uuid"] = uuid
        return RuleObject(members, at: beacon.path)
    }

    private static func shown(_ uuid: String) -> String {
        HarmfulCharacters.escaped(in: QuotedValue.clipped(uuid, to: 60))
    }
}
