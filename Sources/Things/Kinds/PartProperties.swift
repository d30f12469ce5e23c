/// Which properties of a profile make its things lights, or switch them on and off; indices.
struct PartProperties: Sendable {
    /// Whether it has any such part and is shown and counted as a light.
    let isLight: Bool
    let state: Int?
    let brightness: Int?
    let colour: Int?
    /// That of the colour temperature of white light.
    let temperature: Int?
    /// That whose values are effects.
    let effect: Int?

    /// - Parameter isControlled: Whether the control for the whole thing is that of a light.
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
        guard isLight else {
            (brightness, colour, temperature, effect) = (nil, nil, nil, nil)
            self.isLight = false
            return
        }
        brightness =
            own(.dimmer)
            ?? called(
                roles: ["brightness"],
                names: ["brightness"],
                [.slider, .decimalInput, .integerInput, .readonlyText]
            )
        colour =
            own(.colourPicker) ?? called(roles: ["color"], names: ["color"], [.textInput, .readonlyText])
        temperature = properties.firstIndex { TemperatureScale($0.plan) != nil }
        effect = properties.firstIndex {
            $0.plan.roles.contains("effect") && !$0.plan.actions.isEmpty
                && ($0.plan.control == .select || $0.plan.control == .switch)
        }
        self.isLight = (state ?? brightness ?? colour) != nil
    }
}
