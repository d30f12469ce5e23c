package import Flare
package import JSON

/// The published form of a thing: its data in the terms of a light.
package struct ThingAppearance: Sendable, Hashable {
    /// The colour mode of a light, as Home Assistant names it.
    package enum ColourMode: String, Sendable, Hashable {
        case rgb, brightness, onoff
        case temperature = "color_temp"
    }

    package let isLight: Bool
    /// Whether it can be switched on and off.
    package let hasState: Bool
    /// Whether it is on; `false` for a thing without state.
    package let isOn: Bool
    /// 0…255; `nil` without brightness.
    package let brightness: Int?
    /// `nil` for a thing that is not a light, and for a light whose colour is unknown.
    package let colourMode: ColourMode?
    /// The colour temperature, if the light shows it at present.
    package let temperature: ColourTemperature?
    /// The colour for display; `nil` if there is none or it is unknown.
    package let rgb: RGBColour?
    /// The stored colour; `nil` if there is none.
    package let colourName: String?
    /// Whether it is a light with effects, and the name of the present one.
    package let hasEffects: Bool
    package let effect: String?
    package let palette: [String]
    package let actions: [String]
    package let settable: [String]

    /// - Parameter kind: Its profile.
    package init(thing: FlareThing, kind: ThingKind? = nil) {
        let capabilities = ThingCapabilities(thing: thing, kind: kind)
        isLight = capabilities.isLight
        hasState = capabilities.hasState
        let seen = kind?.canonical(thing.data) ?? thing.data
        let data = ThingCapabilities.driven(seen)
        isOn = hasState && Self.isOn(seen)
        brightness = Self.brightness(of: seen)
        temperature = Self.temperature(of: seen)
        rgb = temperature?.rgb ?? (capabilities.hasColour ? Self.drawn(data["color"]) : nil)
        colourName = data["color"]?.string
        colourMode =
            if !isLight {
                nil
            } else if temperature != nil {
                .temperature
            } else if capabilities.hasColour {
                rgb.map { _ in .rgb }
            } else if capabilities.hasTemperature {
                // Of white light that has not told its temperature yet.
                nil
            } else {
                brightness != nil || kind != nil && capabilities.hasBrightness ? .brightness : .onoff
            }
        let effects = kind?.effect(of: thing)
        hasEffects = effects != nil
        effect = effects.flatMap { effects in
            effects.actions.first { $0.value == thing.data[effects.name] }?.name
        }
        palette = capabilities.palette
        actions = capabilities.actions
        settable = capabilities.settable
    }

    /// The data of a light in the form of a plain one, without read-only values; `nil` for what is no light.
    package static func light(_ thing: FlareThing, kind: ThingKind?) -> JSONObject? {
        if let kind { return kind.isLight ? kind.canonical(thing.data) : nil }
        return ThingCapabilities.isLight(thing.data) ? ThingCapabilities.driven(thing.data) : nil
    }

    /// Whether a light with this data is on: from `on`, if present; never with a brightness of 0.
    ///
    /// Numbers and texts are accepted, because the original Flare's web pages send them. Read-only values are
    /// ignored, here and below.
    package static func isOn(_ data: JSONObject) -> Bool {
        if level(of: data) == 0 { return false }
        guard ThingCapabilities.has("on", in: data) else { return true }
        switch data["on"] {
        case .bool(let flag)?: return flag
        case .number(let number)?: return number != 0
        case .string(let text)?: return !["false", "off", "0", "no", ""].contains(text.lowercased())
        case .numeral?, .array?, .object?: return true
        case .null?, nil: return true
        }
    }

    /// The brightness in the data, 0…1; numeric text is accepted, and values are clamped.
    package static func level(of data: JSONObject) -> Double? {
        guard ThingCapabilities.has("brightness", in: data) else { return nil }
        return JSONValue.object(data).flareNumber("brightness").map { min(max($0, 0), 1) }
    }

    /// The brightness in the data, 0…255; a value above 0 is at least 1.
    package static func brightness(of data: JSONObject) -> Int? {
        level(of: data).map { $0 > 0 ? max(Int(($0 * 255).rounded()), 1) : 0 }
    }

    /// The colour temperature that the data shows; `nil` if it has none or shows a colour.
    ///
    /// Both are stored side by side. Setting the temperature also sets the colour to the same white; setting
    /// the colour, by any Flare client, ends it.
    package static func temperature(of data: JSONObject) -> ColourTemperature? {
        guard let temperature = storedTemperature(of: data) else { return nil }
        guard ThingCapabilities.has("color", in: data) else { return temperature }
        return data["color"]?.string == temperature.stored ? temperature : nil
    }

    /// The colour temperature in the data, whether it is shown or not.
    package static func storedTemperature(of data: JSONObject) -> ColourTemperature? {
        guard ThingCapabilities.has("colorTemperature", in: data) else { return nil }
        return data["colorTemperature"]?.number.flatMap { ColourTemperature(kelvin: $0) }
    }

    /// The colour in the data; `nil` if there is none or it is unknown.
    package static func colour(of data: JSONObject) -> RGBColour? {
        guard ThingCapabilities.has("color", in: data), let value = data["color"] else { return nil }
        return (try? ColourValue(parsing: value))?.rgb
    }

    /// The colour for displaying a stored value; `nil` for an unknown colour.
    ///
    /// The original Flare draws unknown colours red; here they are not claimed to be red.
    /// - Source: contrib/contract/flare-protocol.md, "10.4 Views".
    package static func drawn(_ value: JSONValue?) -> RGBColour? {
        if value?.string?.lowercased() == "clear" { return RGBColour(red: 255, green: 255, blue: 255) }
        return value.flatMap { try? ColourValue(parsing: $0) }?.rgb
    }
}
