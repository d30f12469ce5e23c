import Flare
import JSON
import Profiles
import SeededRandom
import Testing
import Things

/// Random profiles, data and requests.
struct ThingKindFuzzTests {
    private static let names = [
        "on", "brightness", "color", "colorTemperature", "state", "level", "dim", "relay", "readonly", "kind",
        "tx",
    ]
    private static let limits = [0, 1, 5, 100, -1e308, 1e308, 0.001, -40, 255, 1e-300]
    private static let values: [JSONValue] = [
        .null, true, false, 0, 1, 0.5, 100, -1, 1e308, -1e308, 1e-300,
        .numeral("123456789012345678901234567890"), "",
        "ON", "OFF", "TOGGLE", "red", "#12", "40%", "1e999", "nan", "inf", "1", [], ["x"], [:],
        ["r": 1, "g": 2, "b": 3],
        ["on"],
    ]

    private func property(_ dice: inout SplitMix64) -> ProfileProperty {
        var property = ProfileProperty(name: Self.names.randomElement(using: &dice) ?? "on")
        property.control = (PropertyControl.allCases + [nil, nil, nil]).randomElement(using: &dice) ?? nil
        let limits = Self.limits.shuffled(using: &dice)
        if Bool.random(using: &dice) {
            (property.minimum, property.maximum) = (min(limits[0], limits[1]), max(limits[0], limits[1]))
        }
        for number in 0..<Int.random(in: 0...3, using: &dice) {
            let value = Self.values.randomElement(using: &dice) ?? .null
            property.actions.append(ProfileAction(name: ["on", "off", "go"][number], value: value))
        }
        if Bool.random(using: &dice) {
            property.roles = ["on_off", "brightness", "color"].shuffled(using: &dice).dropLast(2)
        }
        property.isOptional = Bool.random(using: &dice)
        return property
    }

    private func data(_ dice: inout SplitMix64) -> JSONObject {
        var data: JSONObject = [:]
        for name in Self.names where Bool.random(using: &dice) {
            data[name] = Self.values.randomElement(using: &dice)
        }
        return data
    }

    @Test(arguments: UInt64(0)..<20)
    func `no profile, data or request is too odd`(seed: UInt64) {
        var dice = SplitMix64(seed: seed)
        for _ in 0..<50 {
            var profile = Profile(name: "p", model: nil, origin: .builtIn)
            profile.deviceControl = Bool.random(using: &dice) ? "light" : "generic"
            profile.properties = (0..<Int.random(in: 0...5, using: &dice)).map { _ in property(&dice) }
            let kind = ThingKind(profile)
            let thing = Lamps.thing(data(&dice), actions: ["off", "lighter", "go"], position: .zero)
            let appearance = Appearance(thing, kind: kind)
            if let brightness = appearance.brightness { #expect((0...255).contains(brightness)) }
            let shape = ThingShape(thing, kind: kind)
            let seen = shape.light(of: thing.data)
            for name in shape.actions + ["on", "darker", "nextColor"] {
                _ = ActionOutcome(of: name, on: thing, shape, resting: 0.5)
                guard case .success(let action?) = kind.action(named: name, of: thing) else { continue }
                let setting = shape.setting(of: action, on: thing)
                _ = kind.stored(setting?.patch ?? ThingPatch(), in: thing.data, resting: 0.5)
            }
            for _ in 0..<8 {
                let asked = data(&dice)
                let request = ThingRequest(attributes: asked, isPartial: Bool.random(using: &dice))
                switch request.settled(on: thing, kind: kind) {
                case .failure(let refusal): #expect(!refusal.message.isEmpty)
                case .success(let setting):
                    #expect(Set(setting.accepted.keys).subtracting(["state"]).isSubset(of: asked.keys))
                    let patch = shape.resolved(setting.patch, on: thing.data, resting: nil)
                    let half = patch.interpolated(from: seen, fraction: 0.5)
                    for stored in [shape.stored(patch, in: thing.data), shape.stored(half, in: thing.data)] {
                        // Only what the profile manages is written.
                        #expect(
                            stored.keys.allSatisfy { name in profile.properties.contains { $0.name == name } }
                        )
                        #expect(stored.values.allSatisfy { $0.number?.isFinite ?? true })
                    }
                }
            }
        }
    }
}
