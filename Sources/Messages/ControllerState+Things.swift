package import Controller
package import Flare
import Glibc
package import JSON
package import Things

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

    /// `B/things/<t>/beacon`: telemetry of the thing's beacon; `nil` if it was never received.
    package func thingBeaconJSON(_ id: FlareID) -> JSONValue? {
        guard things.keys.contains(id), let beacon = beacons[id] else { return nil }
        var members: JSONObject = ["last_seen": .string(beacon.seenAt.timestamp)]
        members["rssi"] = beacon.rssi.map { JSONValue($0) }
        members["battery_v"] = beacon.batteryVolts.map { .number($0.rounded(to: 100)) }
        return .object(members)
    }

    /// `B/things/<t>/availability`; a thing with a real lamp is there while that can be reached.
    package func thingAvailability(_ id: FlareID) -> String {
        let isThere = isLinkUp && !isStale && things.keys.contains(id)
        return isThere && conditions[id]?.isOnline != false ? "online" : "offline"
    }

    /// `B/nearby`: the thing with `distance_m` and `bearing_deg`, or `{"id":null,"state":null}`.
    package var nearbyJSON: JSONValue {
        guard let nearby else { return ["id": .null, "state": .null] }
        return .object(JSONObject(minimumCapacity: 20) { write(nearby, nearbyDetails(of: nearby), to: &$0) })
    }

    /// `B/nearby/distance`: the distance to the nearby thing in tenths of a metre; `null` for none.
    package var nearbyDistanceJSON: JSONValue {
        let distance = nearby.flatMap { direction(to: $0).metres }
        return ["distance_m": distance.map { .number($0.rounded(to: 10)) } ?? .null]
    }

    /// `B/nearby/availability`: online while there is a nearby thing that can be driven.
    package var nearbyAvailability: String {
        guard let nearby, shape(of: nearby).isDrivable else {
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
        let shape = shape(of: thing)
        guard let kind = shape.kind else {
            return .array(
                shape.actions.map { name in
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
        let shape = shape(of: thing)
        let light = shape.light(of: thing.data)
        let isWhite = light.shownTemperature != nil
        let rgb = isWhite ? nil : light.rgb
        if !shape.actions.isEmpty { members.add("actions", shape.actions) }
        members.add("bearing_deg", details.direction.degrees)
        members.add("brightness", light.brightness)
        if let rgb { members.add("color") { $0.add(rgb) } }
        members.add("color_mode", shape.colourMode(of: light, rgb)?.rawValue)
        members.add("color_name", isWhite ? nil : light.colour?.string)
        members.add("color_temp", light.shownTemperature?.kelvin)
        members.add("description", thing.description)
        members.add("distance_m", details.direction.metres)
        if shape.effect != nil {
            members.add("effect", shape.effectName(in: thing.data).map { .string($0) } ?? JSONValue.null)
        }
        members.add("id", thing.id)
        members.add("name", thing.name)
        if !shape.palette.isEmpty { members.add("palette", shape.palette) }
        if let position = details.position { members.add("position", position) }
        members.add("profile", shape.kind?.name)
        if !shape.settable.isEmpty { members.add("settable", shape.settable) }
        members.add("slug", slugs[.thing, thing.id])
        if isStale { members.add("stale", true) }
        if shape.hasState {
            members.add("state", light.isOn ? "ON" : "OFF")
        } else if details.needsState {
            members.add("state", JSONValue.null)
        }
        members.add("target", target(of: thing, light, shape))
        if let changed = changedAt[ObjectReference(.thing, thing.id)] { members.add("ts", changed) }
        if shape.kind != nil { members.add("values", .object(shape.values(in: thing.data))) }
        members.add("zone", thing.zone.flatMap { slugs[.zone, $0] })
    }

    /// What a thing is about to be like; `nil` if it is so already.
    private func target(of thing: FlareThing, _ light: LightValues, _ shape: ThingShape) -> JSONValue? {
        if let goal = goals[thing.id] { return target(of: thing, goal: goal, shape) }
        guard conditions[thing.id]?.isUnconfirmed == true else { return nil }
        // The server has it; the lamp is still to come to it.
        return target(of: thing, goal: ThingPatch(light), shape)
    }

    /// What a change leads to, in the terms of the message.
    private func target(of thing: FlareThing, goal: ThingPatch, _ shape: ThingShape) -> JSONValue {
        var final = thing
        final.data.merge(shape.stored(goal, in: thing.data)) { _, new in new }
        let shape = self.shape(of: final)
        let all = shape.members(of: shape.light(of: final.data))
        var members = goal.values
        let isSwitchedByLevel = !shape.hasOwnState || shape.kind == nil && final.data["on"] == nil
        if goal.state != nil || goal.level != nil && isSwitchedByLevel { members["state"] = all["state"] }
        if goal.level != nil { members["brightness"] = all["brightness"] }
        if goal.colour != nil || goal.temperature != nil {
            for key in ["color", "color_name", "color_temp"] { members[key] = all[key] }
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

extension ThingShape {
    /// What a change can lead to: `state`, `brightness`, and `color` with `color_name`, or `color_temp`.
    package func members(of light: LightValues) -> JSONObject {
        var members: JSONObject = [:]
        if hasState { members["state"] = light.isOn ? "ON" : "OFF" }
        members["brightness"] = light.brightness.map { JSONValue($0) }
        if let temperature = light.shownTemperature {
            members["color_temp"] = JSONValue(temperature.kelvin)
            return members
        }
        members["color"] = light.rgb.map { colour in .object(JSONObject { $0.add(colour) }) }
        members["color_name"] = light.colour?.string.map { .string($0) }
        return members
    }
}
