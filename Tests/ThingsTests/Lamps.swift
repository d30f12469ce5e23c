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

/// What a thing shows.
struct Appearance {
    let shape: ThingShape
    let light: LightValues
    private let data: JSONObject

    init(_ thing: FlareThing, kind: ThingKind? = nil) {
        shape = ThingShape(thing, kind: kind)
        data = thing.data
        light = shape.light(of: data)
    }

    var isLight: Bool { shape.isLight }
    var hasState: Bool { shape.hasState }
    var isOn: Bool { shape.hasState && light.isOn }
    var brightness: Int? { light.brightness }
    var colourMode: ThingShape.ColourMode? { shape.colourMode(of: light, light.rgb) }
    var colourName: String? { light.colour?.string }
    var temperature: ColourTemperature? { light.shownTemperature }
    var rgb: RGBColour? { light.rgb }
    var hasEffects: Bool { shape.effect != nil }
    var effect: String? { shape.effectName(in: data) }
    var settable: [String] { shape.settable }
}

extension ThingRequest {
    func settled(on thing: FlareThing, kind: ThingKind? = nil) -> Result<ThingSetting, Refusal> {
        settled(on: thing, ThingShape(thing, kind: kind))
    }
}

extension ThingPatch {
    /// From the data of a plain light.
    init(_ fields: JSONObject) {
        self.init(ThingShape(Lamps.thing(fields)).light(of: fields))
        values = fields.filter { !DataKey.light.contains($0.key) }
    }

    /// As data of a plain light.
    var fields: JSONObject {
        var fields = ThingShape(Lamps.thing([:])).stored(self, in: [:])
        if state == .toggle { fields["on"] = "TOGGLE" }
        for key in toggled { fields[key] = "TOGGLE" }
        return fields
    }
}

extension ThingKind {
    /// What a change stores in data.
    func stored(_ patch: ThingPatch, in data: JSONObject, resting: Double? = nil) -> JSONObject {
        let shape = ThingShape(Lamps.thing(data), kind: self)
        return shape.stored(shape.resolved(patch, on: data, resting: resting), in: data)
    }

    func light(of data: JSONObject) -> LightValues {
        ThingShape(Lamps.thing(data), kind: self).light(of: data)
    }

    /// The colour temperatures of a light; `nil` for one that has none.
    var temperatureRange: ClosedRange<Int>? {
        let shape = ThingShape(Lamps.thing([:]), kind: self)
        return shape.hasTemperature ? shape.temperatureRange : nil
    }
}
