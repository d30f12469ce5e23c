package import Flare
package import JSON

/// Changes: what is stored for them, and how they are shown.
extension ThingShape {
    /// A change with toggles resolved, and with the brightness that a light gets back when it is switched.
    ///
    /// - Parameters:
    ///   - data: The thing's data.
    ///   - resting: The brightness of the light when it is on, if it differs from the stored one: 0…1.
    package func resolved(_ patch: ThingPatch, on data: JSONObject, resting: Double?) -> ThingPatch {
        var resolved = patch
        resolved.toggled = []
        for key in patch.toggled { resolved.values[key] = kind?.toggled(key, in: data) }
        guard patch.state != nil else { return resolved }
        let light = light(of: data)
        if patch.state == .toggle { resolved.state = light.isOn ? .off : .on }
        guard patch.level == nil, let level = light.level else { return resolved }
        let goal = resting ?? (level > 0 || resolved.state == .off ? level : 1)
        if goal != level { resolved.level = goal }
        return resolved
    }

    /// A change without toggles as it is stored in the thing's data; empty if there is nothing to store for it.
    package func stored(_ patch: ThingPatch, in data: JSONObject) -> JSONObject {
        parts.stored(patch, in: data)
    }

    /// The data after a change, as far as it can be told before it is made.
    package func changed(_ data: JSONObject, by patch: ThingPatch) -> JSONObject {
        data.merging(stored(resolved(patch, on: data, resting: nil), in: data)) { $1 }
    }

    /// A change in the terms of the contract, as it will be stored; of a profile's things under its names too.
    package func shown(_ patch: ThingPatch, on data: JSONObject) -> JSONObject {
        var shown = patch.values
        if kind != nil {
            shown = stored(patch, in: data)
            if parts.state ?? "on" == "on" { shown["on"] = nil }
        }
        let light = light(of: data).applying(patch)
        if patch.state != nil { shown["state"] = light.isOn ? "ON" : "OFF" }
        if patch.level != nil { shown["brightness"] = light.brightness.map { JSONValue($0) } }
        if let temperature = patch.temperature { shown["color_temp"] = JSONValue(temperature.kelvin) }
        if let colour = patch.colour, light.shownTemperature == nil { shown["color"] = colour }
        return shown
    }

    /// What the given parts of a light change; a brightness above 0 switches it on, as it does with lamps.
    ///
    /// Home Assistant sends "ON" with every colour and brightness; a light that is on needs no write for it.
    func patch(_ given: ThingPatch, on light: LightValues) -> ThingPatch {
        var patch = given
        if let temperature = patch.temperature, patch.colour == nil, light.colour != nil {
            patch.colour = .string(temperature.stored)
        }
        if patch.level == 0 { (patch.level, patch.state) = (nil, .off) }
        if patch.state == nil, patch.level != nil { patch.state = .on }
        if patch.state == .on, patch.level != nil || patch.colour != nil || patch.temperature != nil {
            var rest = patch
            rest.state = nil
            if light.applying(rest).isOn { return rest }
        }
        return patch
    }

    /// What an action of a property sets; `nil` for one of the thing itself.
    package func setting(of action: ThingAction, on thing: FlareThing) -> ThingSetting? {
        guard let name = action.property, let value = action.value else { return nil }
        let light = light(of: thing.data)
        var patch = ThingPatch()
        switch name as String? {
        case parts.state where parts.switching.state(of: value) != nil:
            patch.state = parts.switching.state(of: value) == true ? .on : .off
        case parts.brightness where parts.level(of: value) != nil:
            patch.level = parts.level(of: value)
            // Darkness stands for itself.
            if let level = patch.level, level > 0 { patch = self.patch(patch, on: light) }
        case parts.colour: patch.colour = value
        case parts.temperature where parts.scale?.temperature(of: value) != nil:
            patch.temperature = parts.scale?.temperature(of: value)
            patch = self.patch(patch, on: light)
        default: patch.values[name] = value
        }
        return ThingSetting(patch: patch, accepted: ["action": .string(action.name), name: value])
    }
}
