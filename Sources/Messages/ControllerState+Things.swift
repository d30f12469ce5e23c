package import Controller
package import Flare
import Glibc
package import JSON
import Things

/// Things as messages show them: in the shape of Home Assistant's JSON lights.
extension ControllerState {
    /// `B/things/<t>`; nothing for one that is not known.
    package func writeThing(_ id: FlareID, to buffer: inout JSONBuffer) {
        guard let thing = things[id] else { return }
        buffer.writeObject { write(thing, stateDetails(of: thing), to: &$0) }
    }

    /// The same as a value; `nil` for one that is not known.
    package func thingJSON(_ id: FlareID) -> JSONValue? {
        things[id].map { thing in .object(JSONObject { write(thing, stateDetails(of: thing), to: &$0) }) }
    }

    /// `B/things/<t>/data`: the data as the server has it.
    package func thingDataJSON(_ id: FlareID) -> JSONValue? {
        things[id].map { .object($0.data) }
    }

    /// `B/things/<t>/beacon`: telemetry of the thing's beacon; `nil` if it was never received.
    package func thingBeaconJSON(_ id: FlareID) -> JSONValue? {
        guard things[id] != nil, let beacon = beacons[id] else { return nil }
        var members: JSONObject = ["last_seen": .string(beacon.seenAt.timestamp)]
        members["rssi"] = beacon.rssi.map { JSONValue($0) }
        members["battery_v"] = beacon.batteryVolts.map { .number($0.rounded(to: 100)) }
        return .object(members)
    }

    /// `B/things/<t>/availability`; a thing with a real lamp is there while that can be reached.
    package func thingAvailability(_ id: FlareID) -> String {
        isLinkUp && !isStale && things[id] != nil && lamps[id]?.isOnline != false ? "online" : "offline"
    }

    /// `B/nearby`: the thing with `distance_m` and `bearing_deg`, or `{"id":null,"state":null}`.
    package var nearbyJSON: JSONValue {
        guard let nearby else { return ["id": .null, "state": .null] }
        return .object(JSONObject { write(nearby, nearbyDetails(of: nearby), to: &$0) })
    }

    /// `B/nearby/distance`: the distance to the nearby thing in tenths of a metre; `null` for none.
    package var nearbyDistanceJSON: JSONValue {
        let distance = nearby.flatMap { direction(to: $0).metres }
        return ["distance_m": distance.map { .number($0.rounded(to: 10)) } ?? .null]
    }

    /// `B/nearby/availability`: online while there is a nearby thing that can be driven.
    package var nearbyAvailability: String {
        guard let nearby, ThingCapabilities(thing: nearby, kind: kind(of: nearby)).isDrivable else {
            return "offline"
        }
        return thingAvailability(nearby.id)
    }

    /// What can be asked of a thing, in the order of buttons; `nil` for one that is not known.
    ///
    /// A thing with a profile has `[{"name","property"?,"value"?,"title","description"?}]`, any other one
    /// `[{"name","description"?}]`; built-in actions of the Flare server have a description.
    package func thingActionsJSON(_ id: FlareID) -> JSONValue? {
        guard let thing = things[id] else { return nil }
        guard let kind = kind(of: thing) else {
            return .array(
                ThingCapabilities(thing: thing).actions.map { name in
                    var members: JSONObject = ["name": .string(name)]
                    members["description"] = Self.summary(ofAction: name)
                    return .object(members)
                }
            )
        }
        return .array(
            kind.actions(of: thing).map { action in
                var members: JSONObject = [
                    "name": .string(action.name), "title": .string(title(action.title)),
                ]
                members["property"] = action.property.map { .string($0) }
                members["value"] = action.value
                if action.property == nil { members["description"] = Self.summary(ofAction: action.name) }
                return .object(members)
            }
        )
    }

    private static func summary(ofAction name: String) -> JSONValue? {
        BuiltInAction(rawValue: name).map { .string($0.summary) }
    }

    /// The text of a key in the language of the lifecycle, else the key itself.
    package func title(_ key: String) -> String {
        catalog.title(key, in: language)
    }

    /// What a message about a thing has besides the thing's own members.
    private struct ThingDetails {
        var position: Point3D?
        var direction = Direction()
        /// Whether `state` is there, null for a thing that has none.
        var needsState = false
    }

    private func stateDetails(of thing: FlareThing) -> ThingDetails {
        // Not in the feed, which has little room, and says how far away the nearby thing is.
        ThingDetails(position: thing.position.flatMap { $0.isFinite ? $0.toMillimetres : nil })
    }

    private func nearbyDetails(of thing: FlareThing) -> ThingDetails {
        // Home Assistant reads it as a light, and needs to see that it is none.
        ThingDetails(direction: direction(to: thing), needsState: true)
    }

    /// Only the keys that the thing has, save `state` of a light, which is always there.
    private func write(
        _ thing: FlareThing,
        _ details: ThingDetails,
        to members: inout some JSONMembers & ~Copyable
    ) {
        let kind = kind(of: thing)
        let appearance = ThingAppearance(thing: thing, kind: kind)
        if !appearance.actions.isEmpty { members.add("actions", appearance.actions) }
        members.add("bearing_deg", details.direction.degrees)
        members.add("brightness", appearance.brightness)
        if let colour = appearance.shownColour { members.add("color") { $0.add(colour) } }
        members.add("color_mode", appearance.colourMode?.rawValue)
        members.add("color_name", appearance.shownColourName)
        members.add("color_temp", appearance.temperature?.kelvin)
        members.add("description", thing.description)
        members.add("distance_m", details.direction.metres)
        if appearance.hasEffects {
            members.add("effect", appearance.effect.map { .string($0) } ?? JSONValue.null)
        }
        members.add("id", thing.id)
        members.add("name", thing.name)
        if !appearance.palette.isEmpty { members.add("palette", appearance.palette) }
        if let position = details.position { members.add("position", position) }
        members.add("profile", kind?.name)
        if !appearance.settable.isEmpty { members.add("settable", appearance.settable) }
        members.add("slug", slugs[.thing, thing.id])
        if isStale { members.add("stale", true) }
        if let state = appearance.state {
            members.add("state", state)
        } else if details.needsState {
            members.add("state", JSONValue.null)
        }
        members.add("target", target(of: thing, kind))
        if let changed = changedAt[ObjectReference(.thing, thing.id)] { members.add("ts", changed) }
        if let kind { members.add("values", kind.values(of: thing)) }
        members.add("zone", thing.zone.flatMap { slugs[.zone, $0] })
    }

    /// What a thing is about to be like; `nil` if it is so already.
    private func target(of thing: FlareThing, _ kind: ThingKind?) -> JSONValue? {
        if let goal = goals[thing.id] { return target(of: thing, goal: goal, kind) }
        guard lamps[thing.id]?.isUnconfirmed == true else { return nil }
        // The server has it; the lamp is still to come to it.
        let goal = canonicalData(of: thing).filter { ThingCapabilities.lightKeys.contains($0.key) }
        return target(of: thing, goal: goal, kind)
    }

    /// What a running transition leads to, in the terms of the shape.
    private func target(of thing: FlareThing, goal: JSONObject, _ kind: ThingKind?) -> JSONValue {
        var final = thing
        final.data.merge(kind?.stored(goal, in: thing.data) ?? goal) { _, new in new }
        let appearance = ThingAppearance(thing: final, kind: kind)
        var members: JSONObject = [:]
        for (key, value) in goal {
            switch key {
            case "on": members["state"] = appearance.state.map { .string($0) }
            case "brightness":
                members["brightness"] = appearance.brightness.map { JSONValue($0) }
                if kind?.hasOwnState == false || kind == nil && final.data["on"] == nil {
                    members["state"] = appearance.state.map { .string($0) }
                }
            case "color", "colorTemperature":
                members["color"] = appearance.shownColour.map { colour in
                    .object(JSONObject { $0.add(colour) })
                }
                members["color_name"] = appearance.shownColourName.map { .string($0) }
                members["color_temp"] = appearance.temperature.map { JSONValue($0.kelvin) }
            default: members[kind?.name(ofCanonical: key) ?? key] = value
            }
        }
        return .object(members)
    }

    /// Distance and bearing from this device to a thing; nothing where a position is missing.
    ///
    /// The plan's x goes right and its y up; the environment's `angle` is the number of degrees by which the
    /// plan's y axis is turned clockwise from north. So a thing that lies dx and dy away on the plan is seen at
    /// atan2(dx, dy) + angle, clockwise from north. With `data.flipped` the plan's y goes down, and dy counts with
    /// the opposite sign.
    /// - Source: contrib/contract/flare-protocol.md, "10.4 Views"; "5.2 Distance and nearness".
    private func direction(to thing: FlareThing) -> Direction {
        guard let here = device?.position, let there = thing.position, here.isFinite, there.isFinite else {
            return Direction()
        }
        var direction = Direction(metres: metres(to: thing).map { $0.rounded(to: 100) })
        let dx = there.x - here.x
        let dy = environment?.isFlipped == true ? here.y - there.y : there.y - here.y
        if dx != 0 || dy != 0 {
            let degrees = atan2(dx, dy) * 180 / .pi + (environment?.angle ?? 0)
            direction.degrees = degrees.compassDegrees
        }
        return direction
    }
}

/// Where a thing is seen from this device, as far as that is known.
private struct Direction {
    var metres: Double?
    /// Clockwise from north.
    var degrees: Int?
}

extension ThingAppearance {
    fileprivate var state: String? { hasState ? isOn ? "ON" : "OFF" : nil }

    /// The colour and its name, unless a colour temperature is shown instead.
    fileprivate var shownColour: RGBColour? { temperature == nil ? rgb : nil }
    fileprivate var shownColourName: String? { temperature == nil ? colourName : nil }
}
