package import JSON

/// What changes of a thing: parts of its light, and values under other keys of its data.
package struct ThingPatch: Sendable, Hashable {
    package enum State: Sendable, Hashable {
        case on, off
        /// The opposite of the state at the time of writing.
        case toggle
    }

    package var state: State?
    /// Brightness, 0…1.
    package var level: Double?
    /// As it is stored.
    package var colour: JSONValue?
    package var temperature: ColourTemperature?
    /// The other values, by data key.
    package var values: JSONObject = [:]
    /// The data keys of other switches, whose values become the opposite at the time of writing.
    package var toggled: Set<String> = []

    package init(
        state: State? = nil,
        level: Double? = nil,
        colour: JSONValue? = nil,
        temperature: ColourTemperature? = nil,
        values: JSONObject = [:]
    ) {
        (self.state, self.level, self.colour, self.temperature) = (state, level, colour, temperature)
        self.values = values
    }

    /// All values of a light.
    package init(_ light: LightValues) {
        self.init(
            state: light.isSwitchedOn.map { $0 ? .on : .off },
            level: light.level,
            colour: light.colour,
            temperature: light.temperature
        )
    }

    package var isEmpty: Bool { !hasLight && values.isEmpty && toggled.isEmpty }

    /// Whether it changes any part of a light.
    var hasLight: Bool { state != nil || level != nil || colour != nil || temperature != nil }

    /// Whether its result depends on the values before it.
    package var isToggling: Bool { state == .toggle || !toggled.isEmpty }

    /// Whether it changes everything that another one changes.
    package func covers(_ other: ThingPatch) -> Bool {
        (other.state == nil || state != nil) && (other.level == nil || level != nil)
            && (other.colour == nil || colour != nil)
            && (other.temperature == nil || temperature != nil)
            && other.values.allSatisfy { values[$0.key] != nil || toggled.contains($0.key) }
            && other.toggled.allSatisfy { values[$0] != nil || toggled.contains($0) }
    }

    /// What it has that another one does not have in the same form: toggles and restored brightness.
    package func news(over other: ThingPatch) -> ThingPatch {
        var news = self
        if state == other.state { news.state = nil }
        if level == other.level { news.level = nil }
        if colour == other.colour { news.colour = nil }
        if temperature == other.temperature { news.temperature = nil }
        news.values = values.filter { other.values[$0.key] != $0.value }
        return news
    }

    // MARK: Transitions

    /// The least brightness on the way to or from darkness: one of 255 steps.
    private static let leastLevel = 0.0039

    /// The change at a point of the transition from a state of a light.
    ///
    /// Brightness and colour temperature change linearly, starting or ending at darkness when the light is
    /// switched on or off; colours change through RGB. Everything else changes at once, including values that
    /// cannot be interpolated because one end is unknown; switching off comes at the end.
    /// - Parameters:
    ///   - start: The light before. The patch has a brightness if the light is about to be switched on or off.
    ///   - fraction: 0 at the start; from 1 on the result is exactly this patch.
    package func interpolated(from start: LightValues, fraction: Double) -> ThingPatch {
        guard fraction < 1 else { return self }
        let fraction = max(fraction, 0)
        var step = self
        if state == .off { step.state = nil }
        let end = start.applying(self)
        if level != nil, let from = start.level, let to = end.level {
            let (wasOn, isOn) = (start.isOn, end.isOn)
            // For a light that stays off, only the brightness to restore changes.
            let isDark = !wasOn && !isOn
            let low = wasOn || isDark ? from : 0
            let high = isOn || isDark ? to : 0
            let level = low + (high - low) * fraction
            step.level = max((level * 10_000).rounded() / 10_000, isDark ? 0 : Self.leastLevel)
        }
        if temperature != nil, let from = start.shownTemperature, let to = end.shownTemperature {
            let mixed = from.mixed(with: to, fraction: fraction)
            step.temperature = mixed
            if colour != nil { step.colour = .string(mixed.stored) }
        } else if let to = RGBColour(stored: colour), let from = RGBColour(stored: start.colour) {
            step.colour = .string(from.mixed(with: to, fraction: fraction).hexText)
        }
        return step
    }
}
