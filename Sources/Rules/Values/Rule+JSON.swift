import Bindings
import Controller
import Flare
package import JSON
import Text

extension Rule {
    /// The rule in our own form, which ``RuleReader`` reads as an equal rule.
    package var json: JSONObject {
        var json: JSONObject = [
            "title": .string(title), "enabled": .bool(isEnabled),
            "when": .array(triggers.map { .object($0.json) }),
            "then": .array(actions.map { .object($0.json) }),
        ]
        json["description"] = description.map { .string($0) }
        if pause != 0 { json["pause"] = JSONValue(Int(pause)) }
        if !conditions.isEmpty { json["if"] = .array(conditions.map { .object($0.json) }) }
        return json
    }
}

// MARK: - Triggers

extension RuleTrigger {
    package var json: JSONObject {
        var json = members
        json["device"] = who?.text.map { .string($0) }
        return json
    }

    private var members: JSONObject {
        switch self {
        case .state(let trigger): trigger.json
        case .time(let trigger): trigger.json
        case .enter(let place, _): place.json(on: "enter")
        case .exit(let place, _): place.json(on: "exit")
        case .near(let thing, _): ["on": "near", "thing": .string(thing.text)]
        case .far(let thing, _): ["on": "far", "thing": .string(thing.text)]
        case .call(let call): ["on": "lifecycle", "call": .string(call.rawValue)]
        case .level(let level): ["on": "lifecycle", "level": .string(level.stateName)]
        case .device(let trigger): trigger.json
        }
    }
}

extension StateTrigger {
    fileprivate var json: JSONObject {
        var json: JSONObject = ["on": "state", "thing": .string(thing.text)]
        switch subject {
        case .clause(let clause): json["clause"] = .object(clause.json)
        case .field(let field): json["field"] = .string(field)
        }
        if edge != Self.defaultEdge(of: subject) { json["edge"] = .string(edge.rawValue) }
        if hold != 0 { json["for"] = JSONValue(Int(hold)) }
        if margin != 0 { json["margin"] = .number(margin) }
        return json
    }
}

extension TimeTrigger {
    fileprivate var json: JSONObject {
        var json: JSONObject
        switch due {
        case .schedule(let schedule):
            json = schedule.members
            json["on"] = "schedule"
        case .cron(let cron): json = ["on": "cron", "cron": .string(cron.text)]
        case .once(let time): json = ["on": "once", "at": .string(CivilTime(milliseconds: time).shortText)]
        }
        if missed != Self.defaultMissed(of: due) { json["missed"] = .string(missed.rawValue) }
        if let timeZone { json["timeZone"] = .string(timeZone) }
        return json
    }
}

extension DeviceTrigger {
    fileprivate var json: JSONObject {
        var json: JSONObject = [
            "on": "device", "thing": .string(thing.text), "event": .string(event.rawValue),
        ]
        json["threshold"] = threshold.map { JSONValue(Int($0)) }
        return json
    }
}

extension RulePlace {
    fileprivate func json(on name: JSONValue) -> JSONObject {
        var json: JSONObject = ["on": name]
        switch self {
        case .circle(let circle): json["geofence"] = .object(circle.json)
        case .beacon(let beacon):
            json["beacon"] = .object(beacon.name.json)
            json["rssi"] = beacon.rssi.map { JSONValue($0) }
            if beacon.gone != RuleBeacon.defaultGone { json["gone"] = JSONValue(Int(beacon.gone)) }
        case .zone(let zone): json["zone"] = .string(zone.text)
        }
        return json
    }
}

extension RuleCircle {
    package var json: JSONObject {
        [
            "latitude": .number(centre.latitude), "longitude": .number(centre.longitude),
            "radius": .number(radius),
        ]
    }
}

extension BeaconName {
    package var json: JSONObject {
        switch self {
        case .iBeacon(let uuid, let major, let minor):
            var json: JSONObject = ["uuid": .string(uuid)]
            json["major"] = major.map { JSONValue(Int($0)) }
            json["minor"] = minor.map { JSONValue(Int($0)) }
            return json
        case .eddystone(let namespace, let instance):
            var json: JSONObject = ["namespace": .string(namespace)]
            json["instance"] = instance.map { .string($0) }
            return json
        }
    }
}

// MARK: - Conditions

extension RuleCondition {
    package var json: JSONObject {
        var json = members
        json["device"] = who?.text.map { .string($0) }
        return json
    }

    private var members: JSONObject {
        switch self {
        case .state(let thing, let clause):
            ["thing": .string(thing.text), "clause": .object(clause.json)]
        case .during(let schedule): ["during": .object(schedule.members)]
        case .level(let levels): ["level": .array(levels.map { .string($0.stateName) })]
        case .zone(let zones, _): ["zone": .array(zones.map { .string($0.text) })]
        case .near(let things, _): ["near": .array(things.map { .string($0.text) })]
        }
    }
}
