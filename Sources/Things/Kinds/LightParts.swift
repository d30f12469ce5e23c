import JSON

/// The parts of a light, or of what is switched on and off: under which keys they are, and how their values count.
struct LightParts: Sendable {
    /// Data keys; `nil` for a part that it does not have.
    private(set) var state: String?
    private(set) var brightness: String?
    private(set) var colour: String?
    private(set) var temperature: String?
    /// How the colour temperature of white light counts.
    private(set) var scale: TemperatureScale?
    private(set) var switching = SwitchValues([])
    /// Whether nothing but the colour can switch it: black is off.
    private(set) var isSwitchedByColour = false
    /// Keys of parts that are only reported, and not read as parts of a light.
    private var unread: Set<String> = []
    /// Whether on and off count only where the data has such a value.
    private var isStateOptional = true
    /// The brightness that means darkness; the level is linear from there to the maximum.
    private var darkness = 0.0
    private var fullness = 1.0
    /// The least stored brightness.
    private var least = 0.0
    private var isWhole = false
    /// Whether a level is stored as it is.
    private let isPlain: Bool

    /// Those of a thing without a profile.
    init(reported: Set<String>) {
        (state, brightness, colour, temperature) = ("on", "brightness", "color", "colorTemperature")
        scale = .kelvin
        unread = reported
        isPlain = true
    }

    /// Those of a profile.
    init(_ properties: [KindProperty], _ parts: PartProperties) {
        func property(_ index: Int?) -> KindProperty? { index.map { properties[$0] } }
        (state, brightness) = (property(parts.state)?.plan.name, property(parts.brightness)?.plan.name)
        colour = property(parts.colour)?.plan.name
        temperature = property(parts.temperature)?.plan.name
        scale = property(parts.temperature).flatMap { TemperatureScale($0.plan) }
        if let property = property(parts.state) {
            switching = property.switching
            isStateOptional = property.plan.isOptional
        }
        isSwitchedByColour = state == nil && brightness == nil && colour != nil
        let dimmer = property(parts.brightness)?.plan
        fullness = dimmer?.maximum ?? (dimmer?.name == "brightness" ? 1 : 100)
        least = min(dimmer?.minimum ?? 0, fullness)
        // Where something else switches it, the least brightness is still light.
        darkness = least > 0 && state != nil ? 0 : least
        isWhole = dimmer?.type == .integer
        isPlain = false
    }

    /// Whether it has all parts that a change has; on and off may have no key of their own.
    func have(_ patch: ThingPatch) -> Bool {
        (patch.state == nil || state != nil || brightness != nil || isSwitchedByColour)
            && (patch.level == nil || brightness != nil) && (patch.colour == nil || colour != nil)
            && (patch.temperature == nil || temperature != nil)
    }

    // MARK: Reading

    /// The values in a thing's data.
    ///
    /// Numbers and texts are accepted for on and off, and numeric text for a brightness, because the original Flare's
    /// web pages send them.
    func values(in data: JSONObject) -> LightValues {
        func value(_ key: String?) -> JSONValue? {
            guard let key, let value = data[key], !value.isNull, !unread.contains(key) else { return nil }
            return value
        }
        var light = LightValues()
        if state != nil {
            light.isSwitchedOn = value(state).map { switching.isOn($0) } ?? (isStateOptional ? nil : false)
        }
        light.level = value(brightness).flatMap { level(of: $0) }
        light.colour = value(colour)
        if isSwitchedByColour, let colour = light.colour { light.isSwitchedOn = !Self.isBlack(colour) }
        light.temperature = value(temperature).flatMap { scale?.temperature(of: $0) }
        return light
    }

    /// The level of a stored brightness, 0…1; `nil` for what is no number.
    func level(of value: JSONValue) -> Double? {
        let number = value.number ?? value.string.flatMap { Double(isPlain ? $0 : $0.trimmingSpace) }
        guard let number, number.isFinite else { return nil }
        // A range may be wider than a number can tell.
        let share = (number - darkness) / (fullness - darkness)
        return share.isFinite ? min(max(share, 0), 1) : nil
    }

    private static func isBlack(_ colour: JSONValue) -> Bool {
        RGBColour(drawn: colour) == RGBColour(red: 0, green: 0, blue: 0)
    }

    // MARK: Writing

    /// A change without toggles as it is stored in a thing's data.
    ///
    /// A light without a key for on and off is off at its least brightness, or in black.
    func stored(_ patch: ThingPatch, in data: JSONObject) -> JSONObject {
        var stored = patch.values
        if let brightness, let level = patch.level { stored[brightness] = .number(number(ofLevel: level)) }
        if let temperature, let scale, let white = patch.temperature {
            stored[temperature] = .number(scale.value(of: white))
        }
        if let colour, let value = patch.colour {
            // The colour that belongs to a temperature belongs to the one that is stored.
            let white = patch.temperature.flatMap { value == .string($0.stored) ? scale?.settled($0) : nil }
            stored[colour] = white.map { .string($0.stored) } ?? value
        }
        guard let state = patch.state else { return stored }
        let isOn = state == .on
        if let key = self.state {
            stored[key] = switching.value(isOn: isOn, like: data[key])
        } else if let brightness, !isOn {
            stored[brightness] = .number(number(ofLevel: 0))
        } else if isSwitchedByColour, let colour {
            if !isOn {
                stored[colour] = "black"
            } else if patch.colour == nil, data[colour].map(Self.isBlack) ?? true {
                stored[colour] = "white"
            }
        }
        return stored
    }

    /// The brightness to store for a level of 0…1; a level above 0 stays above it.
    private func number(ofLevel level: Double) -> Double {
        if isPlain { return level }
        let range = fullness - darkness
        guard range.isFinite else { return level > 0 ? fullness : least }
        let step = isWhole ? 1 : range / 10_000
        var number = darkness + level * range
        if isWhole {
            number = number.rounded()
        } else if abs(number) < 1e9 {
            // Without the noise of the arithmetic.
            number = (number * 1e6).rounded() / 1e6
        }
        if level > 0 { number = max(number, darkness + step) }
        return min(max(number, least), fullness)
    }
}
