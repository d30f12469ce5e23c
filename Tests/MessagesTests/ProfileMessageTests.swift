import Controller
import Flare
import JSON
import Messages
import Profiles
import Testing
import Things

/// Things with a profile as messages show them.
struct ProfileMessageTests {
    private static let library: ProfileLibrary = {
        var library = ProfileLibrary.builtIn
        var strip = Profile(name: "strip", model: "S1", origin: .builtIn)
        var (relay, dim) = (ProfileProperty(name: "relay"), ProfileProperty(name: "dim"))
        relay.actions = [.init(name: "turn_off", value: 0), .init(name: "turn_on", value: 1)]
        relay.roles = ["on_off"]
        dim.control = .dimmer
        strip.properties = [relay, dim]
        library.profiles.append(strip)
        library.strings.add("Ein", for: "turn_on", in: "de")
        library.strings.add("On", for: "turn_on", in: "en")
        return library
    }()

    /// The sample place, whose lamp has these data.
    private func state(
        _ data: JSONObject,
        actions: [String] = [],
        language: String = "en"
    ) -> ControllerState {
        let old = Place.state
        let catalog = ThingCatalog(Self.library, language: language)
        var state = ControllerState(epoch: "e1", slugs: old.slugs, catalog: catalog)
        state.things = old.things
        state.environments = old.environments
        state.environmentID = old.environmentID
        state.nearbyID = old.nearbyID
        state.device = old.device
        state.isLinkUp = true
        state.things[Place.lamp]?.data = data
        state.things[Place.lamp]?.actions = actions
        return state
    }

    private func message(_ data: JSONObject, actions: [String] = []) -> JSONValue {
        state(data, actions: actions).thingJSON(Place.lamp) ?? .null
    }

    @Test func `a blind shows its profile, its values and what can be set`() {
        let blind = message(["profile": "blind", "position": 40, "movement": "open", "other": 1])
        #expect(blind["profile"] == "blind")
        #expect(blind["values"] == ["position": 40, "movement": "open"])
        #expect(blind["settable"] == ["position"])
        #expect(blind["actions"] == ["open", "close"])
        #expect(blind["state"] == nil && blind["brightness"] == nil)
    }

    @Test func `a light of other names has the shape of a light`() {
        let strip = message(["profile": "strip", "relay": 1, "dim": 40])
        #expect(strip["state"] == "ON" && strip["brightness"] == 102 && strip["color_mode"] == "brightness")
        #expect(strip["settable"] == ["state", "brightness", "level", "relay", "dim"])
        #expect(strip["values"] == ["relay": 1, "dim": 40])
    }

    @Test(
        arguments: [
            ["on": true], ["on": true, "brightness": 0.5, "color": "red", "price": 9],
            ["kind": "switch", "on": true], ["temperature": 20, "readonly": ["temperature"]], [:],
            ["profile": "nobody", "on": true], ["oemModel": "nobody", "brightness": 0.2],
        ] as [JSONObject]
    )
    func `a thing without a profile is shown as without any profiles`(data: JSONObject) {
        var plain = Place.state
        plain.things[Place.lamp]?.data = data
        plain.changedAt = [:]
        plain.zones = [:]
        let managed = state(data)
        #expect(managed.thingJSON(Place.lamp)?.bytes == plain.thingJSON(Place.lamp)?.bytes)
        #expect(managed.nearbyAvailability == plain.nearbyAvailability)
        #expect(managed.thingActionsJSON(Place.lamp) == plain.thingActionsJSON(Place.lamp))
    }

    @Test func `a running transition of a light of other names shows where it leads`() {
        var state = state(["profile": "strip", "relay": 1, "dim": 40])
        state.goals[Place.lamp] = ThingPatch(state: .on, level: 1)
        #expect(state.thingJSON(Place.lamp)?["target"] == ["brightness": 255, "state": "ON"])
    }

    @Test func `the nearby thing is available while its profile has something to set`() {
        #expect(state(["profile": "contact", "open": true]).nearbyAvailability == "offline")
        #expect(state(["profile": "lock"]).nearbyAvailability == "online")
        #expect(state(["profile": "contact", "open": true]).nearbyJSON["state"] == .null)
        #expect(state(["profile": "socket", "on": true]).nearbyJSON["state"] == "ON")
    }

    @Test func `actions have their property, value and title in the language`() {
        let data: JSONObject = ["profile": "strip", "relay": 1]
        #expect(
            state(data, actions: ["boil"], language: "de").thingActionsJSON(Place.lamp) == [
                ["name": "turn_off", "property": "relay", "value": 0, "title": "turn_off"],
                ["name": "turn_on", "property": "relay", "value": 1, "title": "Ein"],
                ["name": "boil", "title": "boil"],
            ]
        )
    }

    @Test func `values that are too many are left out of the small message`() throws {
        let text = JSONValue.string(String(repeating: "x", count: 3000))
        let state = state(["profile": "exhibit", "on": true, "caption": text])
        #expect(state.nearbyJSON["values"]?["caption"] == text)
        let feed = state.feedJSON()
        #expect(feed.bytes.count <= ControllerState.feedLimit)
        #expect(feed["nearby"]?["values"] == nil)
        #expect(feed["nearby"]?["profile"] == "exhibit")
    }

    @Test func `a profile with a long name does not make the small message large`() {
        var state = ControllerState(
            epoch: "e1",
            catalog: ThingCatalog(
                {
                    var library = ProfileLibrary()
                    let name = String(repeating: "n", count: 4000)
                    library.profiles = [Profile(name: name, model: nil, origin: .builtIn)]
                    return library
                }()
            )
        )
        var thing = FlareThing(id: Place.lamp)
        thing.data["profile"] = .string(String(repeating: "n", count: 4000))
        state.things[Place.lamp] = thing
        state.nearbyID = Place.lamp
        #expect(state.feedJSON().bytes.count <= ControllerState.feedLimit)
    }

    @Test func `lights with profiles count among the lights of a zone and other things do not`() {
        var state = state(["profile": "strip", "relay": 1, "dim": 40])
        state.things[Place.door]?.data = ["profile": "socket", "on": true]
        state.things[Place.door]?.zone = Place.hall
        var lights = ZoneLights()
        for id in state.things.keys { _ = lights.update(id, in: state) }
        #expect(
            lights.json(of: Place.hall)
                == ["state": "ON", "lights": 1, "on": 1, "brightness": 102, "color_mode": "brightness"]
        )
        state.things[Place.lamp]?.data["profile"] = "cover"
        _ = lights.update(Place.lamp, in: state)
        #expect(lights.json(of: Place.hall) == nil)
    }

    @Test func `all built-in profiles are found and offer what they should`() {
        let catalog = ThingCatalog(.builtIn)
        let lights = catalog.kinds.filter(\.isLight).map(\.name)
        #expect(catalog.kinds.count == 20)
        #expect(lights == ["light", "dimmer", "color-light"])
        for kind in catalog.kinds {
            var thing = FlareThing(id: Place.lamp)
            thing.data = ["profile": .string(kind.name)]
            #expect(catalog.kind(of: thing, slug: nil) == kind)
            let properties = ThingShape(thing, kind: kind).properties
            for property in kind.allProperties where !property.isOptional {
                #expect(properties.first { $0.name == property.name }?.control == property.control)
            }
        }
    }
}
