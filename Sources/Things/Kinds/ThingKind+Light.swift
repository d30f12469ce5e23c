package import Flare
package import JSON

/// The view of a thing as a light, so that all rules for lights work in one form.
///
/// In it `on` is a boolean, `brightness` is 0…1, `color` is a colour and `colorTemperature` is in kelvin, as in the data
/// of a light without a profile. Other properties keep their names and values; one that bears the name of such a key, and is not the
/// light's, is renamed.
extension ThingKind {
    /// Put before the name of such a property; no name begins with it.
    private static let mark = "="

    /// A thing's data in that form; unchanged, and free of cost, if it has the form already.
    package func canonical(_ data: JSONObject) -> JSONObject {
        let (parts, properties) = (storage.parts, storage.properties)
        if parts.isCanonical(data) { return data }
        var result = data
        for key in ThingCapabilities.lightKeys { result[key] = nil }
        result["readonly"] = nil
        result["kind"] = nil
        for name in parts.shadowed { result[Self.mark + name] = data[name] }
        for index in [parts.state, parts.brightness, parts.colour, parts.temperature] {
            if let index { result[properties[index].plan.name] = nil }
        }
        if let index = parts.state, properties[index].isThere(in: data) {
            let property = properties[index]
            result["on"] = .bool(data[property.plan.name].map { property.switching.isOn($0) } ?? false)
        }
        if let index = parts.brightness {
            result["brightness"] = parts.level(of: data[properties[index].plan.name]).map { .number($0) }
        }
        if let index = parts.colour, let value = data[properties[index].plan.name], !value.isNull {
            result["color"] = value
            if parts.isSwitchedByColour { result["on"] = .bool(!Self.isBlack(value)) }
        }
        if let index = parts.temperature, let scale = parts.scale {
            let temperature = scale.temperature(of: data[properties[index].plan.name])
            result["colorTemperature"] = temperature.map { JSONValue($0.kelvin) }
        }
        return result
    }

    /// The thing with its data in that form.
    package func canonical(_ thing: FlareThing) -> FlareThing {
        var thing = thing
        thing.data = canonical(thing.data)
        return thing
    }

    /// The key in that form of a managed property.
    func canonicalKey(_ name: String) -> String {
        let parts = storage.parts
        switch storage.index[name] {
        case nil: return name
        case parts.state: return "on"
        case parts.brightness: return "brightness"
        case parts.colour: return "color"
        case parts.temperature: return "colorTemperature"
        default: return parts.shadowed.contains(name) ? Self.mark + name : name
        }
    }

    /// Whether a key of that form is a part of the light, or is read as one.
    func isPart(_ key: String) -> Bool {
        switch key {
        case "on":
            storage.parts.state != nil || storage.parts.brightness != nil || storage.parts.isSwitchedByColour
        case "brightness": storage.parts.brightness != nil
        case "color": storage.parts.colour != nil
        case "colorTemperature": storage.parts.temperature != nil
        default: false
        }
    }

    /// The property of a key of that form.
    package func name(ofCanonical key: String) -> String {
        let parts = storage.parts
        let index: Int? =
            switch key {
            case "on": parts.state
            case "brightness": parts.brightness
            case "color": parts.colour
            case "colorTemperature": parts.temperature
            default: nil
            }
        if let index { return storage.properties[index].plan.name }
        return key.hasPrefix(Self.mark) ? String(key.dropFirst()) : key
    }

    /// Values of that form as they are stored in a thing's data.
    ///
    /// A light without a property for on and off is off at its least brightness, or in black.
    /// - Parameter data: The thing's data.
    package func stored(_ values: JSONObject, in data: JSONObject) -> JSONObject {
        let parts = storage.parts
        var stored: JSONObject = [:]
        let white = values["colorTemperature"]?.number.flatMap { ColourTemperature(kelvin: $0) }
        for (key, value) in values {
            let name = name(ofCanonical: key)
            switch key {
            case "on":
                guard let index = parts.state else { continue }
                let switching = storage.properties[index].switching
                stored[name] = value.bool.map { switching.value(isOn: $0, like: data[name]) } ?? value
            case "brightness" where parts.brightness != nil:
                stored[name] = value.number.map { .number(parts.brightness(ofLevel: $0)) } ?? value
            case "colorTemperature":
                stored[name] = white.flatMap { parts.scale?.value(of: $0) }.map { .number($0) } ?? value
            case "color":
                // The colour that belongs to a temperature belongs to the one that is stored.
                let isWhite = white.map { value == .string($0.stored) } ?? false
                let settled = isWhite ? white.flatMap { parts.scale?.settled($0) } : nil
                stored[name] = settled.map { .string($0.stored) } ?? value
            default: stored[name] = value
            }
        }
        if parts.state == nil, values["on"] == false, let index = parts.brightness {
            stored[storage.properties[index].plan.name] = .number(parts.brightness(ofLevel: 0))
        }
        if parts.isSwitchedByColour, let isOn = values["on"]?.bool, let index = parts.colour {
            let name = storage.properties[index].plan.name
            if !isOn {
                stored[name] = "black"
            } else if values["color"] == nil, data[name].map(Self.isBlack) ?? true {
                stored[name] = "white"
            }
        }
        return stored
    }

    private static func isBlack(_ colour: JSONValue) -> Bool {
        ThingAppearance.drawn(colour) == RGBColour(red: 0, green: 0, blue: 0)
    }

    /// Whether on and off can be set, by one property or another.
    func isSwitchable(_ thing: FlareThing) -> Bool {
        if let state = state(of: thing) { return !state.isReadOnly }
        if let brightness = brightness(of: thing) { return !brightness.isReadOnly }
        return storage.parts.isSwitchedByColour && colour(of: thing)?.isReadOnly == false
    }

    /// Whether on and off have a property of their own.
    package var hasOwnState: Bool { storage.parts.state != nil }

    /// The opposite of a switch, as it is stored.
    /// - Parameters:
    ///   - key: The key of that form.
    ///   - data: The thing's data in that form.
    func toggled(_ key: String, in data: JSONObject) -> JSONValue? {
        guard let index = storage.index[name(ofCanonical: key)] else { return nil }
        let switching = storage.properties[index].switching
        let isOn = data[key].map { switching.isOn($0) } ?? false
        return switching.value(isOn: !isOn)
    }
}
