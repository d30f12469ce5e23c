import Glibc

/// The colour temperature of white light.
package struct ColourTemperature: Sendable, Hashable {
    /// The accepted range, kelvin.
    package static let range = 1000...12_000

    /// Within ``range``.
    package let kelvin: Int

    /// - Parameter kelvin: Clamped to ``range``.
    /// - Returns: `nil` unless it is a number above 0.
    package init?(kelvin: Double) {
        guard kelvin.isFinite, kelvin > 0 else { return nil }
        self.kelvin = Int(
            min(max(kelvin.rounded(), Double(Self.range.lowerBound)), Double(Self.range.upperBound))
        )
    }

    /// Converts from mired, the unit of lamps.
    /// - Source: Home Assistant, `homeassistant/util/color.py`, `color_temperature_mired_to_kelvin`:
    ///   truncated.
    package init?(mired: Double) {
        guard mired.isFinite, mired > 0 else { return nil }
        self.init(kelvin: (1_000_000 / mired).rounded(.down))
    }

    /// Truncated, as in Home Assistant.
    package var mired: Int { 1_000_000 / kelvin }

    /// The colour of this white on a screen.
    /// - Source: Tanner Helland, "How to Convert Temperature (K) to RGB", 2012; the same curves are in Home
    ///   Assistant's `color_temperature_to_rgb`.
    package var rgb: RGBColour {
        let hundreds = Double(kelvin) / 100
        func channel(_ value: Double) -> UInt8 { UInt8(min(max(value, 0), 255)) }
        if hundreds <= 66 {
            let blue =
                hundreds <= 19
                ? 0 : hundreds == 66 ? 255 : 138.517_731_223_1 * log(hundreds - 10) - 305.044_792_730_7
            return RGBColour(
                red: 255,
                green: channel(99.470_802_586_1 * log(hundreds) - 161.119_568_166_1),
                blue: channel(blue)
            )
        }
        return RGBColour(
            red: channel(329.698_727_446 * pow(hundreds - 60, -0.133_204_759_2)),
            green: channel(288.122_169_528_3 * pow(hundreds - 60, -0.075_514_849_2)),
            blue: 255
        )
    }

    /// The text stored in a thing's `color` together with the temperature.
    ///
    /// Always digits, so that it differs from every colour set by name: a thing shows its temperature as long
    /// as its `color` is this text.
    package var stored: String { rgb.hexText }

    /// Interpolates to another temperature, linearly in kelvin.
    package func mixed(with other: ColourTemperature, fraction: Double) -> ColourTemperature {
        let kelvin = Double(kelvin) + Double(other.kelvin - self.kelvin) * fraction
        return ColourTemperature(kelvin: kelvin) ?? other
    }
}
