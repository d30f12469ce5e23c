import Flare
import JSON
import Things

/// Things for the tests of this target.
enum Lamps {
    static func thing(
        _ data: JSONObject,
        actions: [String] = [],
        position: Point3D? = nil
    ) -> FlareThing {
        var thing = FlareThing(id: FlareID(high: 1, low: 1))
        thing.name = "Lamp"
        thing.data = data
        thing.actions = actions
        thing.position = position
        return thing
    }

    static let full = thing([
        "on": true, "brightness": 0.5, "color": "red", "options": ["red", "green", "blue"], "minor": 7,
    ])
}
