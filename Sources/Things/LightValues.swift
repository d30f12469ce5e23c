package import JSON

/// The values of a light, or of what is switched on and off, as they were read from its data.
///
/// Whatever its properties are called and however they count, here a brightness is 0…1 and a temperature in kelvin.
package struct LightValues: Sendable, Hashable {
    /// `nil` where nothing but brightness or colour tells whether it is on.
    package var isSwitchedOn: Bool?
    /// The brightness, 0…1; `nil` if it has none or it is no number.
    package var level: Double?
    /// The colour as it is stored.
    package var colour: JSONValue?
    /// The colour temperature that is stored, whether it is shown or not.
    package var temperature: ColourTemperature?

    package init() {}

    /// Whether it is on; never with a brightness of 0.
    package var isOn: Bool { level != 0 && isSwitchedOn ?? true }

    /// The brightness, 0…255; a value above 0 is at least 1.
    package var brightness: Int? { level.map { $0 > 0 ? max(Int(($0 * 255).rounded()), 1) : 0 } }

    /// The colour temperature that it shows; `nil` if it has none or shows a colour.
    ///
    /// Both are stored side by side. Setting the temperature also sets the colour to the same white; setting
    /// the colour, by any Flare client, ends it.
    package var shownTemperature: ColourTemperature? {
        guard let temperature, let colour else { return temperature }
        return colour.string == temperature.stored ? temperature : nil
    }

    /// The colour for display; `nil` if there is none or it is unknown.
    package var rgb: RGBColour? { shownTemperature?.rgb ?? RGBColour(drawn: colour) }

    /// The values after a change without toggles.
    package func applying(_ patch: ThingPatch) -> LightValues {
        var light = self
        if let state = patch.state { light.isSwitchedOn = state == .on }
        light.level = patch.level ?? level
        light.colour = patch.colour ?? colour
        light.temperature = patch.temperature ?? temperature
        return light
    }
}

extension RGBColour {
    /// The colour for displaying a stored value; `nil` for an unknown colour.
    ///
    /// The original Flare draws unknown colours red; here they are not claimed to be red.
    /// - Source: contrib/contract/flare-protocol.md, "10.4 Views".
    package init?(drawn value: JSONValue?) {
        if let name = value?.string, let named = CSSColour.rgb(of: name) {
            // As most colours are stored.
            self = named
        } else if value?.string?.lowercased() == "clear" {
            self.init(red: 255, green: 255, blue: 255)
        } else {
            self.init(stored: value)
        }
    }

    /// The colour of a stored value in any form that can be set.
    package init?(stored value: JSONValue?) {
        guard let value, let colour = (try? ColourValue(parsing: value))?.rgb else { return nil }
        self = colour
    }
}
