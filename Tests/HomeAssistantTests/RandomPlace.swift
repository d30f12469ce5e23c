import Controller
import Flare
import JSON
import SeededRandom

/// Random places: names, keys and values of every kind and length.
enum RandomPlace {
    static func state(_ random: inout SplitMix64) -> ControllerState {
        var state = ControllerState(epoch: "e")
        for index in 0..<Int.random(in: 0...4, using: &random) {
            var environment = FlareEnvironment(id: FlareID(high: 1, low: UInt32(index)))
            environment.name = text(&random)
            state.environments[environment.id] = environment
            name(environment.id, .environment, environment.name, &state)
        }
        state.environmentID = state.environments.keys.min()
        for index in 0..<Int.random(in: 0...30, using: &random) {
            var zone = FlareZone(id: FlareID(high: 2, low: UInt32(index)))
            zone.name = text(&random)
            state.zones[zone.id] = zone
            name(zone.id, .zone, zone.name, &state)
        }
        for index in 0..<Int.random(in: 0...40, using: &random) {
            var thing = FlareThing(id: FlareID(high: 3, low: UInt32(index)))
            thing.name = text(&random)
            thing.description = text(&random)
            thing.zone = state.zones.keys.sorted().randomElement(using: &random)
            thing.data = data(&random)
            thing.actions = (0..<Int.random(in: 0...3, using: &random)).map { _ in text(&random) }
            if Int.random(in: 0..<20, using: &random) == 0 {
                thing.actions = (0..<300).map { "action number \($0)" }
            }
            state.things[thing.id] = thing
            name(thing.id, .thing, thing.name, &state)
        }
        state.zoneID = state.zones.keys.sorted().randomElement(using: &random)
        state.nearbyID = state.things.keys.sorted().randomElement(using: &random)
        var device = FlareDevice(id: FlareID(high: 4, low: 0))
        device.name = text(&random)
        state.device = device
        state.isPlaceKnown = true
        state.isLinkUp = true
        return state
    }

    private static func name(
        _ id: FlareID,
        _ kind: FlareClass,
        _ name: String,
        _ state: inout ControllerState
    ) {
        _ = state.slugs.assign(to: ObjectReference(kind, id), name: name)
    }

    private static func data(_ random: inout SplitMix64) -> JSONObject {
        var data: JSONObject = [:]
        let usual = ["on", "brightness", "color", "options", "volume", "source", "locked", "angle", "minor"]
        for _ in 0..<Int.random(in: 0...9, using: &random) {
            let key = Bool.random(using: &random) ? usual.randomElement(using: &random) : text(&random)
            data[key ?? "on"] = value(&random)
        }
        if Int.random(in: 0..<3, using: &random) == 0 {
            data["readonly"] = .array(data.keys.sorted().map { .string($0) })
            data["temperature"] = value(&random)
        }
        if Int.random(in: 0..<10, using: &random) == 0 {
            data["color"] = "red"
            data["options"] = .array((0..<1500).map { .string("colour number \($0)") })
        }
        return data
    }

    private static func value(_ random: inout SplitMix64) -> JSONValue {
        switch Int.random(in: 0...7, using: &random) {
        case 0: .bool(.random(using: &random))
        case 1: .number(.random(in: -2...2, using: &random))
        case 2: .numeral("99999999999999999999")
        case 3: .string(text(&random))
        case 4: .array((0..<3).map { _ in .string(text(&random)) })
        case 5: .object([text(&random): 1])
        case 6: "red"
        default: .null
        }
    }

    private static func text(_ random: inout SplitMix64) -> String {
        let parts = [
            "Lamp", "über", "日本", "👩‍👩‍👧", "'", "\"", "\\", "{{", "}}", "{%", "+", "#", "/", " ", "-", "_", "\n",
            "\u{0}", "a.b",
            "None", "x", "nextColor", "💡",
        ]
        if Int.random(in: 0..<40, using: &random) == 0 { return String(repeating: "long ", count: 4000) }
        return (0..<Int.random(in: 0...4, using: &random))
            .map { _ in parts.randomElement(using: &random) ?? "" }.joined()
    }
}
