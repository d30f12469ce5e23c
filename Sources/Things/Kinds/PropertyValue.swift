import JSON
import Text

/// A legal value of a managed property.
enum PropertyValue {
    /// As it is stored.
    case stored(JSONValue)
    case state(AttributeValue.State)

    /// - Parameter plainText: The value as it was sent, if that was no JSON.
    /// - Source: contrib/contract/profiles.md, "Values".
    init(
        _ value: JSONValue,
        for property: ThingProperty,
        _ switching: SwitchValues,
        plainText: String? = nil
    ) throws(Refusal) {
        switch property.control {
        case .switch: self = try Self.switched(value, property, switching)
        case .slider, .decimalInput, .integerInput, .dimmer:
            self = .stored(try Self.number(value, property))
        case .colourPicker: self = .stored(.string(try ColourValue(parsing: value).stored))
        case .select, .button: self = .stored(try Self.choice(value, property))
        case .textInput: self = .stored(try Self.text(value, property, plainText))
        case .readonlyText:
            throw Refusal(
                .notSettable,
                "\(property.name) is only reported and cannot be set",
                field: property.name
            )
        }
    }

    private static func switched(
        _ value: JSONValue,
        _ property: ThingProperty,
        _ switching: SwitchValues
    ) throws(Refusal) -> PropertyValue {
        if let action = action(value, property) {
            if action == switching.value(isOn: true) { return .state(.on) }
            return action == switching.value(isOn: false) ? .state(.off) : .stored(action)
        }
        if let flag = value.bool { return .state(flag ? .on : .off) }
        if let state = value.string.flatMap(AttributeValue.State.init(word:)) { return .state(state) }
        let names = property.actions.map(\.name)
        let more = names.isEmpty ? "" : ", \(QuotedValue.list(names)) or one of their values"
        let legal =
            "\(property.name) must be ON, OFF, TOGGLE, true\(names.isEmpty ? " or" : ",") false\(more) "
            + "(is \(QuotedValue.of(value)))"
        let isOfWrongType = value.string == nil && (names.isEmpty || value.number == nil)
        throw Refusal(isOfWrongType ? .wrongType : .invalidValue, legal, field: property.name)
    }

    private static func choice(_ value: JSONValue, _ property: ThingProperty) throws(Refusal) -> JSONValue {
        if let action = action(value, property) { return action }
        let names = property.actions.map(\.name)
        let hint = value.string.map { NearestName.hint(for: $0, among: names) } ?? ""
        let legal =
            "\(property.name) must be one of \(QuotedValue.list(names)) or one of their values "
            + "(is \(QuotedValue.of(value)))\(hint)"
        switch value {
        case .null, .array, .object: throw Refusal(.wrongType, legal, field: property.name)
        case .bool, .number, .numeral, .string: throw Refusal(.invalidValue, legal, field: property.name)
        }
    }

    /// The value of the action that is meant: by its name, else by its value.
    private static func action(_ value: JSONValue, _ property: ThingProperty) -> JSONValue? {
        if let word = value.string {
            if let action = property.actions.first(where: { $0.name == word }) { return action.value }
            let trimmed = word.trimmingSpace
            if let action = property.actions.first(where: { $0.name == trimmed }) { return action.value }
        }
        if let action = property.actions.first(where: { $0.value == value }) { return action.value }
        // A plain payload cannot tell numbers and booleans from texts.
        guard let text = plain(value) else { return nil }
        return property.actions.first { plain($0.value) == text }?.value
    }

    private static func plain(_ value: JSONValue) -> String? {
        switch value {
        case .string(let text): text.trimmingSpace
        case .bool, .number, .numeral: value.text
        case .null, .array, .object: nil
        }
    }

    private static func text(
        _ value: JSONValue,
        _ property: ThingProperty,
        _ plainText: String?
    ) throws(Refusal) -> JSONValue {
        if case .string = value { return value }
        if let plainText { return .string(plainText) }
        switch value {
        case .number, .numeral, .bool: return .string(value.text)
        case .null, .string, .array, .object:
            throw Refusal(
                .wrongType,
                "\(property.name) must be a text (is \(QuotedValue.of(value)))",
                field: property.name
            )
        }
    }

    /// A number within the range, or `NN%` of it for a dimmer.
    static func number(_ value: JSONValue, _ property: ThingProperty) throws(Refusal) -> JSONValue {
        let isWhole = property.isWhole
        func refused(_ code: RefusalCode) -> Refusal {
            let legal = legalNumbers(property, isWhole)
            let message = "\(property.name) must be \(legal) (is \(QuotedValue.of(value)))"
            return Refusal(code, message, field: property.name)
        }
        let number: Double
        // Of what is no light, too, a brightness of 0 to 1 has the forms of the contract; 1 is all of it.
        let isFraction = property.name == "brightness" && property.minimum == 0 && property.maximum == 1
        if isFraction, let steps = value.number, (2...255).contains(steps), steps == steps.rounded() {
            number = AttributeValue.rounded(steps / 255)
        } else if let found = value.number {
            number = found
        } else if property.control == .dimmer || isFraction, let text = value.string {
            let share = AttributeValue.percent(text).map { $0 / 100 }
            guard let share else { throw refused(.invalidValue) }
            guard (0...1).contains(share) else { throw refused(.outOfRange) }
            let (low, high) = (property.minimum ?? 0, property.maximum ?? 100)
            let found = low + share * (high - low)
            number = isWhole ? found.rounded() : (found * 1e6).rounded() / 1e6
        } else {
            throw refused(.wrongType)
        }
        guard number.isFinite, number >= property.minimum ?? -.infinity,
            number <= property.maximum ?? .infinity
        else { throw refused(.outOfRange) }
        guard !isWhole || number == number.rounded() else { throw refused(.invalidValue) }
        // The digits of a number beyond those of a double are kept.
        if case .numeral = value { return value }
        return .number(number)
    }

    private static func legalNumbers(_ property: ThingProperty, _ isWhole: Bool) -> String {
        let number = isWhole ? "a whole number" : "a number"
        let percent =
            property.control == .dimmer || property.name == "brightness" ? ", or \"0%\" to \"100%\"" : ""
        let unit = property.unit.map { " \(QuotedValue.list([$0]))" } ?? ""
        func text(_ limit: Double) -> String { JSONValue.number(limit).text }
        switch (property.minimum, property.maximum) {
        case (let low?, let high?): return "\(number) of \(text(low)) to \(text(high))\(unit)\(percent)"
        case (let low?, nil): return "\(number) of at least \(text(low))\(unit)\(percent)"
        case (nil, let high?): return "\(number) of at most \(text(high))\(unit)\(percent)"
        case (nil, nil): return number + percent
        }
    }
}
