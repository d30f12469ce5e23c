import Controller
import Flare
import HomeAssistant
import JSON
import Testing

/// The ids that are proposed for entities.
struct EntityIDTests {
    private func ids(_ payloads: some Sequence<JSONValue>) -> [String] {
        payloads.flatMap {
            $0["components"]?.object?.values.compactMap { $0["default_entity_id"]?.string } ?? []
        }
    }

    /// The house as its own device is with everything.
    private func full(_ state: ControllerState) -> Desk {
        var desk = Desk(
            House.configuration {
                ($0.hasMap, $0.hasLocation, $0.hasStation) = (true, true, true)
            }
        )
        desk.announcer.setLinks(["flare", "bluetooth", "compass", "gps", "station", "resolver"])
        var state = state
        state.fix = nil
        for sensor in SensorKind.allCases { state.sensors[sensor] = false }
        desk.announce(state)
        return desk
    }

    private func add(
        _ name: String,
        _ number: UInt32,
        _ data: JSONObject,
        _ state: inout ControllerState
    ) {
        var thing = FlareThing(id: FlareID(high: 7, low: number))
        (thing.name, thing.data) = (name, data)
        state.things[thing.id] = thing
        _ = state.slugs.assign(to: ObjectReference(.thing, thing.id), name: name)
    }

    @Test func `a thing that is called Nearby has an id of its own`() {
        var state = House.state
        add("Nearby", 1, ["on": true], &state)
        let desk = full(state)
        #expect(desk.component("light_nearby")?["default_entity_id"] == "light.trilateral_n1_nearby")
        #expect(
            desk.component("light", of: "nearby")?["default_entity_id"]
                == "light.trilateral_n1_nearby_thing"
        )
    }

    @Test func `no thing has the id of an entity of the daemon, whatever it is called`() {
        let plain = full(House.state)
        let own = ids(plain.ownPayloads)
        #expect(own.count > 30)
        var state = House.state
        for (number, id) in own.enumerated() {
            // As a sensor, switch, button, text and number of a thing without a name of its own, and of a longer one.
            let tail = id.split(separator: ".")[1].dropFirst("trilateral_n1_".count)
            let words = tail.split(separator: "_")
            for cut in words.indices {
                let name = words[...cut].joined(separator: " ")
                let key = words[(cut + 1)...].joined(separator: "_")
                var data: JSONObject = ["on": true]
                if !key.isEmpty { data.merge([key: 5, "readonly": [.string(key)]]) { $1 } }
                add(name, UInt32(number * 10 + cut), data, &state)
                var thing = FlareThing(id: FlareID(high: 8, low: UInt32(number * 10 + cut)))
                thing.name = name
                thing.data =
                    key.isEmpty ? ["on": false, "kind": "switch"] : [key: true, "readonly": [.string(key)]]
                thing.actions = key.isEmpty ? [] : [key]
                state.things[thing.id] = thing
                _ = state.slugs.assign(to: ObjectReference(.thing, thing.id), name: name)
            }
        }
        let desk = full(state)
        let all = ids(desk.held.values)
        #expect(all.count > 150)
        for id in own { #expect(all.filter { $0 == id }.count == 1, "\(id)") }
    }
}
