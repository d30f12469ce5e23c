import Flare
import JSON
import Profiles
import Testing
import Things

/// Lights with a profile that have a colour temperature or effects.
struct WhiteLightTests {
    private static func white(_ range: ClosedRange<Double>?, unit: String? = nil, colour: Bool = false)
        -> ThingKind
    {
        var temperature = Kinds.property("white", .slider, roles: ["color_temperature"], range: range)
        temperature.unit = unit
        return Kinds.kind(
            [
                Kinds.property("on", .switch, roles: ["on_off"]),
                Kinds.property("brightness", .dimmer, range: 0...1), temperature,
                Kinds.property(
                    "mode",
                    actions: [("none", 0), ("rainbow", 1), ("fire", 2)],
                    roles: ["effect"]
                ),
            ] + (colour ? [Kinds.property("color", .colourPicker)] : [])
        )
    }

    private static let kelvin = white(2700...6500, unit: "K")
    private static let mired = white(153...500)
    private static let coloured = white(153...500, colour: true)

    private func set(_ attributes: JSONObject, on data: JSONObject, _ kind: ThingKind)
        throws
        -> (stored: JSONObject, accepted: JSONObject)
    {
        let setting = try ThingRequest(attributes: attributes).settled(on: Lamps.thing(data), kind: kind)
            .get()
        return (kind.stored(setting.patch, in: data), setting.accepted)
    }

    @Test func `it shows its colour temperature in kelvin, and its effect by name`() {
        let data: JSONObject = ["on": true, "brightness": 1, "white": 4000, "mode": 1]
        let seen = Appearance(Lamps.thing(data), kind: Self.kelvin)
        #expect(seen.colourMode == .temperature && seen.temperature?.kelvin == 4000)
        #expect(seen.hasEffects && seen.effect == "rainbow")
        #expect(seen.settable.contains("color_temp") && seen.settable.contains("effect"))
        let other = Appearance(
            Lamps.thing(["on": true, "white": 250, "mode": 9]),
            kind: Self.mired
        )
        #expect(other.temperature?.kelvin == 4000)
        #expect(other.hasEffects && other.effect == nil)
    }

    @Test func `one that has not told its temperature yet shows no other mode`() {
        for kind in [Self.kelvin, Self.coloured] {
            #expect(Appearance(Lamps.thing(["on": true]), kind: kind).colourMode == nil)
        }
    }

    @Test(
        arguments: [
            (["color_temp": 3000], ["white": 3000], ["color_temp": 3000]),
            (["color_temp": 2000], ["white": 2700], ["color_temp": 2700]),
            (["white": 6500], ["white": 6500], ["white": 6500]),
            (["effect": "fire"], ["mode": 2], ["effect": "fire"]),
            (["effect": 1], ["mode": 1], ["effect": "rainbow"]),
            (["mode": "none"], ["mode": 0], ["mode": 0]),
        ] as [(JSONObject, JSONObject, JSONObject)]
    )
    func `it is set by the names of the contract and by its own`(
        attributes: JSONObject,
        stored: JSONObject,
        accepted: JSONObject
    ) throws {
        let data: JSONObject = ["on": true, "brightness": 1, "white": 4000, "mode": 0]
        let found = try set(attributes, on: data, Self.kelvin)
        #expect(found.stored == stored && found.accepted == accepted)
    }

    @Test func `what it cannot be is refused with what it can`() {
        func message(_ attributes: JSONObject) -> String? {
            let request = ThingRequest(attributes: attributes)
            guard
                case .failure(let refusal) = request.settled(
                    on: Lamps.thing(["white": 4000]),
                    kind: Self.kelvin
                )
            else { return nil }
            return "\(refusal.code.rawValue) \(refusal.message)"
        }
        #expect(
            message(["white": 2000])?.hasPrefix("out_of_range white must be a number of 2700 to 6500 K")
                == true
        )
        #expect(message(["color_temp": 20])?.hasPrefix("out_of_range color_temp") == true)
        #expect(message(["effect": "flames"])?.contains("must be one of none, rainbow, fire") == true)
        #expect(message(["color_temp": 3000, "white": 4000])?.contains("two names for one value") == true)
    }

    @Test func `a light with a colour too shows the white that was set, in every step of its scale`() throws {
        for step in 153...500 {
            let kelvin = Int((1_000_000 / Double(step)).rounded())
            var data: JSONObject = ["on": true, "brightness": 1, "white": 200, "color": "red"]
            data.merge(try set(["color_temp": JSONValue(kelvin)], on: data, Self.coloured).stored) { $1 }
            #expect(data["white"] == JSONValue(step))
            let seen = Appearance(Lamps.thing(data), kind: Self.coloured)
            #expect(seen.colourMode == .temperature && seen.temperature?.kelvin == kelvin)
            data.merge(try set(["color": "teal"], on: data, Self.coloured).stored) { $1 }
            #expect(Appearance(Lamps.thing(data), kind: Self.coloured).colourMode == .rgb)
        }
    }

    @Test func `on the way to another white it shows white`() throws {
        let data: JSONObject = ["on": true, "brightness": 1, "white": 200, "color": "red"]
        var now = data
        now.merge(try set(["color_temp": 2000], on: data, Self.coloured).stored) { $1 }
        let start = Self.coloured.light(of: now)
        let goal = try ThingRequest(attributes: ["color_temp": 6500])
            .settled(on: Lamps.thing(now), kind: Self.coloured).get().patch
        for fraction in stride(from: 0.0, through: 1, by: 0.07) {
            let step = goal.interpolated(from: start, fraction: fraction)
            let shown = now.merging(Self.coloured.stored(step, in: now)) { $1 }
            #expect(
                Appearance(Lamps.thing(shown), kind: Self.coloured).colourMode == .temperature
            )
        }
    }

    @Test func `a light with a colour alone is switched by it`() throws {
        let kind = Kinds.kind([Kinds.property("tint", .colourPicker)])
        func isOn(_ data: JSONObject) -> Bool {
            Appearance(Lamps.thing(data), kind: kind).isOn
        }
        #expect(isOn(["tint": "teal"]) && !isOn(["tint": "#000000"]))
        #expect(try set(["state": "OFF"], on: ["tint": "teal"], kind).stored == ["tint": "black"])
        #expect(try set(["state": "ON"], on: ["tint": "black"], kind).stored == ["tint": "white"])
        #expect(try set(["state": "ON"], on: ["tint": "teal"], kind).stored == [:])
        // As Home Assistant sets a colour and a brightness.
        let red: JSONValue = ["r": 255, "g": 0, "b": 0]
        #expect(
            try set(["state": "ON", "color": red], on: ["tint": "black"], kind).stored == ["tint": "red"]
        )
        #expect(
            try set(["state": "ON", "brightness": 100], on: ["tint": "red"], kind).stored
                == ["tint": "#640000"]
        )
        #expect(try set(["state": "TOGGLE"], on: ["tint": "teal"], kind).stored == ["tint": "black"])
    }

    @Test func `a share, a word and a property of what is no light are no colour temperature`() {
        for kind in [Self.white(nil), Self.white(0...100, unit: "%"), Self.white(0...500, unit: "mired")] {
            #expect(kind.temperatureRange == nil)
        }
        #expect(Self.white(100...20_000, unit: "kelvin").temperatureRange == 1000...12_000)
        #expect(Self.mired.temperatureRange == 2000...6536)
        let sensor = Kinds.kind([
            Kinds.property("t", .decimalInput, roles: ["color_temperature"]), Kinds.property("on", .switch),
        ])
        #expect(sensor.temperatureRange == nil)
    }
}
