package import Flare
package import JSON

/// Which values a thing accepts in the form in which Flare stores them.
///
/// They are the values that commands store: a brightness is 0 to 1 and no percentage, an option is its value and no name.
extension ThingShape {
    /// The first key of values for a thing's data whose value no command would store, in alphabetical order.
    ///
    /// Only for keys that drive the thing.
    package func firstIllegal(_ values: JSONObject, _ thing: FlareThing) -> String? {
        values.first { !accepts($0.value, at: $0.key, thing) }?.key
    }

    private func accepts(_ value: JSONValue, at path: String, _ thing: FlareThing) -> Bool {
        let key = String(path.prefix { $0 != "." })
        let isNested = key.count < path.count
        if kind != nil {
            // No property is a list or an object.
            guard !isNested, let property = property(named: key) else { return false }
            return property.accepts(stored: value, switching(of: key), in: thing.data)
        }
        if isNested { return !DataKey.light.contains(key) }
        switch key {
        case "on": return value.bool != nil || thing.data["on"]?.number != nil && (value == 0 || value == 1)
        case "brightness": return value.number.map { (0...1).contains($0) } ?? false
        case "color": return Self.isColour(value, in: thing.data)
        case "colorTemperature" where hasTemperature:
            let range = ColourTemperature.range
            return value.integer.map(range.contains) ?? false
        default: return value.number?.isFinite ?? true
        }
    }

    /// Whether it is a name of the thing's palette, a CSS name, or digits of a colour.
    fileprivate static func isColour(_ value: JSONValue, in data: JSONObject) -> Bool {
        guard let text = value.string else { return false }
        return RGBColour(name: text) != nil || data["options"]?.array?.contains(value) ?? false
    }
}

extension ThingProperty {
    /// Whether a command could store this value.
    fileprivate func accepts(
        stored value: JSONValue,
        _ switching: SwitchValues,
        in data: JSONObject
    ) -> Bool {
        switch control {
        case .switch:
            return value.bool != nil || actions.contains { $0.value == value }
                || [true, false].contains { switching.value(isOn: $0, like: data[name]) == value }
        case .slider, .decimalInput, .integerInput, .dimmer:
            guard let number = value.number, number.isFinite else { return false }
            return number >= minimum ?? -.infinity && number <= maximum ?? .infinity
                && (!isWhole || number == number.rounded())
        case .colourPicker: return ThingShape.isColour(value, in: data)
        case .select, .button: return actions.contains { $0.value == value }
        case .textInput: return value.string != nil
        case .readonlyText: return false
        }
    }
}
