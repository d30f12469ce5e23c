import Flare
import JSON
import Lamps
import Profiles
import Testing
import Things

/// Things whose profile gives the parts of a light other names and values.
struct ManagedThingTests {
    private static let kind: ThingKind = {
        var profile = Profile(name: "strip", model: nil, origin: .builtIn)
        var (relay, dim, tint) = (
            ProfileProperty(name: "relay"), ProfileProperty(name: "dim"), ProfileProperty(name: "tint")
        )
        relay.roles = ["on_off"]
        relay.actions = [.init(name: "turn_off", value: 0), .init(name: "turn_on", value: 1)]
        (dim.control, tint.control) = (.dimmer, .colourPicker)
        profile.properties = [relay, dim, tint]
        return ThingKind(profile)
    }()

    private func thing(_ data: JSONObject) -> FlareThing {
        var thing = FlareThing(id: FlareID(high: 1, low: 1))
        thing.data = data
        return thing
    }

    @Test(
        arguments: [
            (["relay": 1, "dim": 50, "tint": "red"], ["on": true, "brightness": 0.5, "color": "red"]),
            (["relay": 0, "dim": 0, "tint": "#102030"], ["on": false, "brightness": 0, "color": "#102030"]),
        ] as [(JSONObject, JSONObject)]
    )
    func `a lamp follows such a thing as it follows a plain light`(
        managed: JSONObject,
        plain: JSONObject
    ) {
        let goal = ThingPatch(level: 1)
        for (goal, seconds) in [(nil, nil), (goal, 2)] as [(ThingPatch?, Double?)] {
            let followed = LinkedThing(thing(managed), kind: Self.kind, goal: goal, seconds: seconds)
            #expect(followed != nil)
            #expect(followed == LinkedThing(thing(plain), goal: goal, seconds: seconds))
        }
    }

    @Test func `a thing whose profile has nothing to switch has no lamp`() {
        var profile = Profile(name: "blind", model: nil, origin: .builtIn)
        profile.properties = [ProfileProperty(name: "position")]
        #expect(LinkedThing(thing(["on": true, "position": 4]), kind: ThingKind(profile)) == nil)
    }
}
