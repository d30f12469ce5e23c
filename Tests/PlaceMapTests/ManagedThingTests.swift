import Controller
import Flare
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
}
