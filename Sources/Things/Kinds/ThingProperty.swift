package import JSON

/// A managed property of a thing with a profile.
package struct ThingProperty: Sendable, Hashable {
    /// What it accepts and how it is shown; the generic control is resolved.
    package enum Control: String, Sendable, Hashable, CaseIterable {
        case `switch`, slider, dimmer, select, button
        case decimalInput = "decimal_input"
        case integerInput = "integer_input"
        case colourPicker = "color_picker"
        case textInput = "text_input"
        case readonlyText = "readonly_text"
    }

    /// The type of its stored values.
    package enum ValueType: String, Sendable, Hashable {
        case boolean, integer, decimal, text
        /// Nothing says yet.
        case unknown
    }

    /// A value with a name.
    package struct Action: Sendable, Hashable {
        package let name: String
        package let value: JSONValue
    }

    /// The key in the thing's data, and the attribute of `set`.
    package let name: String
    package var control: Control
    package var type: ValueType
    package var actions: [Action] = []
    package var roles: [String] = []
    /// `nil` where there is no limit.
    package var minimum: Double?
    package var maximum: Double?
    package var step: Double?
    package var unit: String?
    package var isOptional = false

    package var isReadOnly: Bool { control == .readonlyText }

    /// Whether it accepts `STOP`: Home Assistant offers that for the tilt of every cover.
    var canStop: Bool { roles.contains("cover_tilt") || roles.contains("cover_position") }

    /// What `set` takes beside numbers, for a person to read: words, and what kind of text.
    ///
    /// - Source: contrib/contract/profiles.md, "Values".
    package var legalWords: [String] {
        let names = actions.map(\.name)
        let words: [String] =
            switch control {
            case .switch: ["ON", "OFF", "TOGGLE", "true", "false"] + names
            case .select, .button: names
            case .dimmer: ["0% to 100%"]
            case .colourPicker: ["a colour"]
            case .textInput: ["any text"]
            case .slider, .decimalInput, .integerInput, .readonlyText: []
            }
        return canStop && !isReadOnly ? words + ["STOP"] : words
    }

    /// Whether only whole numbers are accepted: by its control, or because its actions have such values.
    package var isWhole: Bool { type == .integer || control == .integerInput }
}
