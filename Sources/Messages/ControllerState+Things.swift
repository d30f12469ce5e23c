package import Controller
package import Flare
import Glibc
package import JSON
import Things

/// Things as messages show them: in the shape of Home Assistant's JSON lights.
extension ControllerState {
    /// `B/things/<t>`; `nil` for one that is not known.
    package func thingJSON(_ id: FlareID) -> JSONValue? {
        guard let thing = things[id] else { return nil }
        var members = members(of: thing)
        // Not in the feed, which has little room, and says how far away the nearby thing is.
        members["position"] = thing.position.flatMap { $0.isFinite ? $0.toMillimetres.json : nil }
        return .object(members)
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
        var members = members(of: nearby).merging(direction(to: nearby)) { own, _ in own }
        // Home Assistant reads it as a light, and needs to see that it is none.
        if members["state"] == nil { members["state"] = .null }
        return .object(members)
    }

    /// `B/nearby/distance`: the distance to the nearby thing in tenths of a metre; `null` for none.
    package var nearbyDistanceJSON: JSONValue {
        let distance = nearby.flatMap { direction(to: $0)["distance_m"]?.number }
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

    /// Only the keys that the thing has, save `state` of a light, which is always there.
    private func members(of thing: FlareThing) -> JSONObject {
        let shape = shape(of: thing)
        let light = shape.light(of: thing.data)
        var members = heading(.thing, thing.id, name: thing.name, description: thing.description)
        members.merge(shape.members(of: light, thing.data)) { _, new in new }
        members["zone"] = thing.zone.flatMap { slugJSON(.zone, $0) }
        if !shape.palette.isEmpty { members["palette"] = .array(shape.palette.map { .string($0) }) }
        if !shape.actions.isEmpty { members["actions"] = .array(shape.actions.map { .string($0) }) }
        if !shape.settable.isEmpty { members["settable"] = .array(shape.settable.map { .string($0) }) }
        if let goal = goals[thing.id] {
            members["target"] = target(of: thing, goal: goal, shape)
        } else if lamps[thing.id]?.isUnconfirmed == true {
            // The server has it; the lamp is still to come to it.
            members["target"] = target(of: thing, goal: ThingPatch(light), shape)
        }
        if let kind = shape.kind {
            members["profile"] = .string(kind.name)
            members["values"] = .object(shape.values(in: thing.data))
        }
        return members
    }

    /// What a change leads to, in the terms of the message.
    private func target(of thing: FlareThing, goal: ThingPatch, _ shape: ThingShape) -> JSONValue {
        var final = thing
        final.data.merge(shape.stored(goal, in: thing.data)) { _, new in new }
        let shape = self.shape(of: final)
        let all = shape.members(of: shape.light(of: final.data), final.data)
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
    private func direction(to thing: FlareThing) -> JSONObject {
        guard let here = device?.position, let there = thing.position, here.isFinite, there.isFinite else {
            return [:]
        }
        var members: JSONObject = [:]
        members["distance_m"] = metres(to: thing).map { .number($0.rounded(to: 100)) }
        let dx = there.x - here.x
        let dy = environment?.isFlipped == true ? here.y - there.y : there.y - here.y
        if dx != 0 || dy != 0 {
            let degrees = atan2(dx, dy) * 180 / .pi + (environment?.angle ?? 0)
            members["bearing_deg"] = degrees.compassDegrees.map { JSONValue($0) }
        }
        return members
    }
}

extension ThingShape {
    /// The light's value: `state`, `brightness`, `color_mode`, `effect`, and `color`, `color_name` or `color_temp`.
    fileprivate func members(of light: LightValues, _ data: JSONObject) -> JSONObject {
        var members: JSONObject = [:]
        if hasState { members["state"] = light.isOn ? "ON" : "OFF" }
        members["brightness"] = light.brightness.map { JSONValue($0) }
        members["color_mode"] = colourMode(of: light).map { .string($0.rawValue) }
        if effect != nil { members["effect"] = effectName(in: data).map { .string($0) } ?? .null }
        if let temperature = light.shownTemperature {
            members["color_temp"] = JSONValue(temperature.kelvin)
            return members
        }
        members["color"] = light.rgb.map {
            ["r": JSONValue(Int($0.red)), "g": JSONValue(Int($0.green)), "b": JSONValue(Int($0.blue))]
        }
        members["color_name"] = light.colour?.string.map { .string($0) }
        return members
    }
}
