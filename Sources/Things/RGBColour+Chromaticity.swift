import Glibc

/// Colours as places in the CIE 1931 diagram, as Zigbee lamps have them.
///
/// - Source: Philips Hue, "Color conversion formulas: RGB to XY and back", wide RGB with the white D65. Home Assistant
///   (`homeassistant/util/color.py`, `color_xy_brightness_to_RGB`) and zigbee2mqtt (zigbee-herdsman-converters,
///   `src/lib/color.ts`) have the same matrices; Home Assistant scales after the gamma and cuts fractions off.
extension RGBColour {
    /// The brightest colour of a chromaticity, exactly as Home Assistant shows it; one that no lamp shows is moved to
    /// the edge of the gamut.
    package init(x: Double, y: Double) {
        let y = max(y, 1e-11)
        let (wideX, wideZ) = (x / y, (1 - x - y) / y)
        let channels = [
            1.656_492 * wideX - 0.354_851 - 0.255_038 * wideZ,
            -0.707_196 * wideX + 1.655_397 + 0.036_152 * wideZ,
            0.051_713 * wideX - 0.121_364 + 1.011_530 * wideZ,
        ].map { max(Self.encoded($0), 0) }
        let most = max(channels[0], channels[1], channels[2], 1)
        func channel(_ index: Int) -> UInt8 { UInt8(min(channels[index] / most * 255, 255)) }
        self.init(red: channel(0), green: channel(1), blue: channel(2))
    }

    /// The chromaticity that Home Assistant shows as this colour at its brightest; that of white for black.
    ///
    /// It is the exact inverse of ``init(x:y:)``. The formula of the source in the other direction is not: there and
    /// back, 255, 165, 0 becomes 255, 166, 0, and others are off by up to 13.
    package var chromaticity: (x: Double, y: Double) {
        let most = max(red, green, blue)
        guard most > 0 else { return RGBColour(red: 255, green: 255, blue: 255).chromaticity }
        // The middle of what is cut off to the value.
        let shares = [red, green, blue].map { (value: UInt8) -> Double in
            if value == most { return 1 }
            return value == 0 ? 0 : Double(value) / Double(most) + 0.5 / 255
        }
        // The gamma is no power, so the result depends on how bright it is: the luminance has to be 1.
        var (low, high) = (0.5, 4.0)
        for _ in 0..<50 {
            let middle = (low + high) / 2
            if Self.tristimulus(shares.map { $0 * middle }).y < 1 { low = middle } else { high = middle }
        }
        let (x, y, z) = Self.tristimulus(shares.map { $0 * low })
        return (x / (x + y + z), y / (x + y + z))
    }

    private static func tristimulus(_ channels: [Double]) -> (x: Double, y: Double, z: Double) {
        let linear = channels.map { $0 <= 0.040_45 ? $0 / 12.92 : pow(($0 + 0.055) / 1.055, 2.4) }
        let (r, g, b) = (linear[0], linear[1], linear[2])
        return (
            0.664_511 * r + 0.154_324 * g + 0.162_028 * b, 0.283_881 * r + 0.668_433 * g + 0.047_685 * b,
            0.000_088 * r + 0.072_310 * g + 0.986_039 * b
        )
    }

    private static func encoded(_ value: Double) -> Double {
        value <= 0.003_130_8 ? 12.92 * value : 1.055 * pow(value, 1 / 2.4) - 0.055
    }
}
