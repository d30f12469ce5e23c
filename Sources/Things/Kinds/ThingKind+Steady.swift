package import Flare
package import JSON

/// What others are told of a kind once, and not again at every value.
extension ThingKind {
    /// The properties of a thing as ``properties(of:)`` has them, save that a whole number counts as a decimal
    /// one where only the present value says what it is: the next value may have a fraction.
    package func steadyProperties(of thing: FlareThing) -> [ThingProperty] {
        storage.properties.compactMap { property in
            guard var steady = property.resolved(in: thing.data), property.followsValue else {
                return property.resolved(in: thing.data)
            }
            if steady.type == .integer, property.plan.type == .unknown { steady.type = .decimal }
            if steady.control == .integerInput, property.isGeneric { steady.control = .decimalInput }
            return steady
        }
    }

    /// The names of the properties that a light of this kind carries; none if it is no light.
    package var lightParts: Set<String> {
        guard isLight else { return [] }
        let parts = storage.partProperties
        return Set(
            [parts.state, parts.brightness, parts.colour, parts.temperature, parts.effect].compactMap { $0 }
                .map { storage.properties[$0].plan.name }
        )
    }
}

extension ThingProperty {
    /// The stored values of a switch; `nil` where its actions have none.
    package var switchValues: (on: JSONValue?, off: JSONValue?) {
        let values = SwitchValues(actions)
        return (values.value(isOn: true), values.value(isOn: false))
    }
}
