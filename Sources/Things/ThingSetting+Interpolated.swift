package import Flare

extension ThingSetting {
    /// The least brightness on the way to or from darkness: one of 255 steps.
    private static let leastLevel = 0.0039

    /// Data values on the way from one state of a thing to another.
    ///
    /// Brightness and colour temperature go linearly, from darkness when the light is off and to darkness when it goes
    /// off, and colour through RGB; everything else is there at once, save switching off, which comes at the end. What cannot be
    /// interpolated, because one end is not known, is there at once too.
    /// - Parameters:
    ///   - from: The thing's data before.
    ///   - to: The values to be reached, by data key; with the brightness, if it is about to go on or off.
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
        let after = from.merging(to) { $1 }
        if to["brightness"] != nil, let start = ThingAppearance.level(of: from),
            let end = ThingAppearance.level(of: after)
        {
            let (wasOn, isOn) = (ThingAppearance.isOn(from), ThingAppearance.isOn(after))
            // What is dark before and after only changes what it comes back to.
            let isDark = !wasOn && !isOn
            let low = wasOn || isDark ? start : 0
            let high = isOn || isDark ? end : 0
            let level = low + (high - low) * fraction
            values["brightness"] = .number(
                max((level * 10_000).rounded() / 10_000, isDark ? 0 : leastLevel)
            )
        }
        if to["colorTemperature"] != nil, let start = ThingAppearance.temperature(of: from),
            let end = ThingAppearance.temperature(of: after)
        {
            let temperature = start.mixed(with: end, fraction: fraction)
            values["colorTemperature"] = JSONValue(temperature.kelvin)
            if to["color"] != nil { values["color"] = .string(temperature.stored) }
        } else if let end = colour(to["color"]), let start = colour(from["color"]) {
            values["color"] = .string(start.mixed(with: end, fraction: fraction).hexText)
        }
        return values
    }

    private static func colour(_ value: JSONValue?) -> RGBColour? {
        guard let value else { return nil }
        return (try? ColourValue(parsing: value))?.rgb
    }
}
