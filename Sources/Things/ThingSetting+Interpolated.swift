package import JSON

extension ThingSetting {
    /// The least brightness on the way to or from darkness: one of 255 steps.
    private static let leastLevel = 0.0039

    /// Data values during the transition from one state of a thing to another.
    ///
    /// Brightness and colour temperature change linearly, starting or ending at darkness when the light is
    /// switched on or off; colours change through RGB. Everything else changes at once, including values that
    /// cannot be interpolated because one end is unknown; switching off comes at the end.
    /// - Parameters:
    ///   - from: The thing's data before.
    ///   - to: The target values by data key; with the brightness, if the light is about to be switched on or
    ///     off.
    ///   - fraction: 0 at the start; from 1 on the result is exactly `to`.
    package static func interpolated(
        from: JSONObject,
        to: JSONObject,
        fraction: Double
    ) -> JSONObject {
        guard fraction < 1 else { return to }
        let fraction = max(fraction, 0)
        var values = to
        if to["on"] == false { values["on"] = nil }
        let after = from.merging(to) { $1 }
        if to["brightness"] != nil, let start = ThingAppearance.level(of: from),
            let end = ThingAppearance.level(of: after)
        {
            let (wasOn, isOn) = (ThingAppearance.isOn(from), ThingAppearance.isOn(after))
            // For a light that stays off, only the brightness to restore changes.
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
