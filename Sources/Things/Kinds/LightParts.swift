import JSON

/// The properties that make a thing a light, or that switch it on and off.
struct LightParts: Sendable {
    /// Whether it has any such part and is shown and counted as a light.
    let isLight: Bool
    /// Index of the property that is on and off.
    let state: Int?
    let brightness: Int?
    let colour: Int?
    /// Index of the property that is the colour temperature of white light, and how it counts.
    let temperature: Int?
    let scale: TemperatureScale?
    /// Whether nothing but the colour can switch it: black is off.
    let isSwitchedByColour: Bool
    /// Index of the property whose values are effects.
    let effect: Int?
    /// The brightness that means darkness; the level is linear from there to the maximum.
    private let darkness: Double
    private let fullness: Double
    /// The least stored brightness.
    private let least: Double
    private let isWhole: Bool
    /// Other properties that bear the name of a light's key.
    let shadowed: [String]
    /// Whether names and values are already those of a plain light.
    private let isPlain: Bool

    /// - Parameter isLight: Whether the control for the whole thing is that of a light.
    /// - Source: contrib/contract/profiles.md, "Values".
    init(_ properties: [KindProperty], isLight isControlled: Bool) {
        func own(_ control: ThingProperty.Control) -> Int? {
            properties.firstIndex { !$0.isGeneric && $0.plan.control == control }
        }
        func called(
            roles: Set<String>,
            names: Set<String>,
            _ controls: Set<ThingProperty.Control>
        ) -> Int? {
            func fits(_ property: KindProperty) -> Bool {
                property.isGeneric || controls.contains(property.plan.control)
            }
            return properties.firstIndex { fits($0) && !roles.isDisjoint(with: $0.plan.roles) }
                ?? properties.firstIndex { fits($0) && names.contains($0.plan.name) }
        }
        let isLight = own(.dimmer) != nil || own(.colourPicker) != nil || isControlled
        state = called(
            roles: ["on_off"],
            names: isLight ? ["on_off", "on"] : [],
            [.switch, .select, .readonlyText]
        )
        if isLight {
            brightness =
                own(.dimmer)
                ?? called(
                    roles: ["brightness"],
                    names: ["brightness"],
                    [.slider, .decimalInput, .integerInput, .readonlyText]
                )
            colour =
                own(.colourPicker)
                ?? called(roles: ["color"], names: ["color"], [.textInput, .readonlyText])
            temperature = properties.firstIndex { TemperatureScale($0.plan) != nil }
            effect = properties.firstIndex {
                $0.plan.roles.contains("effect") && !$0.plan.actions.isEmpty
                    && ($0.plan.control == .select || $0.plan.control == .switch)
            }
        } else {
            (brightness, colour, temperature, effect) = (nil, nil, nil, nil)
        }
        isSwitchedByColour = isLight && state == nil && brightness == nil && colour != nil
        scale = temperature.flatMap { TemperatureScale(properties[$0].plan) }
        self.isLight = isLight && (state ?? brightness ?? colour) != nil
        let dimmer = brightness.map { properties[$0].plan }
        fullness = dimmer?.maximum ?? (dimmer?.name == "brightness" ? 1 : 100)
        least = min(dimmer?.minimum ?? 0, fullness)
        // Where something else switches it, the least brightness is still light.
        darkness = least > 0 && state != nil ? 0 : least
        isWhole = dimmer?.type == .integer
        let parts = Set([state, brightness, colour, temperature].compactMap { $0 })
        shadowed = properties.indices.filter { !parts.contains($0) }.map { properties[$0].plan.name }
            .filter { ThingCapabilities.lightKeys.contains($0) }
        isPlain =
            shadowed.isEmpty && temperature == nil && !isSwitchedByColour
            && state.map { properties[$0].plan.name == "on" } ?? true
            && state.map { properties[$0].plan.actions.isEmpty } ?? true
            && dimmer.map { $0.name == "brightness" } ?? true
            && (dimmer == nil || darkness == 0 && fullness == 1 && !isWhole)
            && colour.map { properties[$0].plan.name == "color" } ?? true
    }

    /// Whether data are those of a plain light as they stand.
    func isCanonical(_ data: JSONObject) -> Bool {
        guard isPlain, data["readonly"] == nil, data["kind"] == nil, data["colorTemperature"] == nil else {
            return false
        }
        if state == nil { guard data["on"] == nil else { return false } }
        if state != nil { guard data["on"]?.bool != nil else { return false } }
        if brightness == nil { guard data["brightness"] == nil else { return false } }
        return colour != nil || data["color"] == nil
    }

    /// The level of a stored brightness, 0…1; `nil` for what is no number.
    func level(of value: JSONValue?) -> Double? {
        let number = value?.number ?? value?.string.flatMap { Double($0.trimmingSpace) }
        guard let number, number.isFinite else { return nil }
        // A range may be wider than a number can tell.
        let share = (number - darkness) / (fullness - darkness)
        return share.isFinite ? min(max(share, 0), 1) : nil
    }

    /// The brightness to store for a level of 0…1; a level above 0 stays above it.
    func brightness(ofLevel level: Double) -> Double {
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
