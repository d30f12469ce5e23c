package import Flare

extension ThingSetting {
    /// Data values on the way from one state of a thing to another.
    ///
    /// Brightness goes linearly and colour through RGB; everything else is there at once, save switching off,
    /// which comes at the end. What cannot be interpolated, because one end is not known, is there at once too.
    /// - Parameters:
    ///   - from: The thing's data before.
    ///   - to: The values to be reached, by data key.
    ///   - fraction: 0 at the start; at 1 and above the result is exactly `to`.
    package static func interpolated(
        from: [String: JSONValue],
        to: [String: JSONValue],
        fraction: Double
    ) -> [String: JSONValue] {
        guard fraction < 1 else { return to }
        let fraction = max(fraction, 0)
        var values = to
        if to["on"] == false { values["on"] = nil }
        if let end = to["brightness"]?.number, let start = ThingAppearance.level(of: from) {
            let level = start + (end - start) * fraction
            values["brightness"] = .number((level * 10_000).rounded() / 10_000)
        }
        if let end = colour(to["color"]), let start = colour(from["color"]) {
            values["color"] = .string(start.mixed(with: end, fraction: fraction).hexText)
        }
        return values
    }

    private static func colour(_ value: JSONValue?) -> RGBColour? {
        guard let value else { return nil }
        return (try? ColourValue(parsing: value))?.rgb
    }
}
