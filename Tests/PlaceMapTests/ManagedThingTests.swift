import Controller
import Flare
import JSON
import PlaceMap
import Profiles
import Testing
import Things

struct ManagedThingTests {
    @Test func `a light of other names is drawn in its colour and brightness`() throws {
        var profile = Profile(name: "strip", model: nil, origin: .builtIn)
        var (dim, tint) = (ProfileProperty(name: "dim"), ProfileProperty(name: "tint"))
        (dim.control, tint.control) = (.dimmer, .colourPicker)
        profile.properties = [dim, tint]
        var library = ProfileLibrary()
        library.profiles = [profile]

        var (plain, managed) = (House(), House(catalog: ThingCatalog(library)))
        plain.add("Lamp", at: Point3D(x: 1, y: 1), ["brightness": 0.4, "color": "teal"])
        managed.add("Lamp", at: Point3D(x: 1, y: 1), ["profile": "strip", "dim": 40, "tint": "teal"])
        #expect(
            try managed.drawing.all("circle").map(\.attributes)
                == plain.drawing.all("circle").map(\.attributes)
        )
        #expect(try !managed.drawing.all("circle").isEmpty)
    }

    /// A house with one thing of a built-in form.
    private func drawing(_ roles: [String: [String]], _ data: JSONObject) throws -> Drawing {
        var profile = Profile(name: "kind", model: nil, origin: .builtIn)
        profile.properties = roles.sorted { $0.key < $1.key }.map { name, roles in
            var property = ProfileProperty(name: name)
            property.roles = roles
            return property
        }
        var library = ProfileLibrary()
        library.profiles = [profile]
        var house = House(catalog: ThingCatalog(library))
        house.add("Thing", at: Point3D(x: 1, y: 1), data.merging(["profile": "kind"]) { old, _ in old })
        return try house.drawing
    }

    @Test func `a thing with a profile shows the value that tells most, in the colour of its state`() throws {
        let climate = try drawing(
            ["goal": ["temperature_setpoint"], "now": ["temperature"]],
            ["goal": 21, "now": 19.5]
        )
        #expect(climate.all("text", class: "v").map(\.text) == ["19.5 °C"])
        #expect(climate.all("circle", class: "tw").count == 1)
        for (position, text) in [(40.0, "40 % open"), (0, "closed"), (100, "open")] {
            let blind = try drawing(["place": ["cover_position"]], ["place": .number(position)])
            #expect(blind.all("text", class: "v").map(\.text) == [text])
            #expect(blind.all("circle", class: "tp").count == (position > 0 ? 1 : 0))
        }
        let lock = try drawing(["bolt": ["lock"]], ["bolt": false])
        #expect(lock.all("text", class: "v").map(\.text) == ["unlocked"])
        #expect(lock.all("circle", class: "ta").count == 1)
    }
}
