import Flare
import JSON
import Text

/// A legal value of one attribute.
enum AttributeValue {
    case state(State, name: String)
    /// Brightness, 0…1, and its form in the answer.
    case level(Double, shown: JSONValue)
    case colour(ColourValue)
    case temperature(ColourTemperature)
    case plain(JSONValue)

    enum State: String {
        case on = "ON"
        case off = "OFF"
        case toggle = "TOGGLE"
    }

    /// The value in the terms of the contract.
    var shown: JSONValue {
        switch self {
        case .state(let state, "on"): state == .toggle ? "TOGGLE" : .bool(state == .on)
        case .state(let state, _): .string(state.rawValue)
        case .level(_, let shown): shown
        case .colour(let colour): .string(colour.stored)
        case .temperature(let temperature): JSONValue(temperature.kelvin)
        case .plain(let json): json
        }
    }

    init(_ value: JSONValue, named name: String, of capabilities: ThingCapabilities, thing: FlareThing)
        throws(Refusal)
    {
        guard let kind = capabilities.attributes[name] ?? (name == "on" && capabilities.hasOn ? .state : nil)
        else {
            throw Self.unknown(name, of: capabilities, thing: thing)
        }
        switch kind {
        case .state: self = .state(try Self.state(value, name), name: name)
        case .brightness: self = try Self.brightness(value)
        case .level: self = try Self.level(value)
        case .colour: self = .colour(try ColourValue(parsing: value, palette: capabilities.palette))
        case .temperature: self = .temperature(try Self.temperature(value))
        case .bool: self = .plain(try Self.flag(value, name))
        case .number, .text, .list, .object: self = .plain(try Self.plain(value, name, kind))
        }
    }

    private static func unknown(_ name: String, of capabilities: ThingCapabilities, thing: FlareThing)
        -> Refusal
    {
        let label = thing.name.isEmpty ? "this thing" : QuotedValue.of(thing.name)
        let list =
            capabilities.settable.isEmpty
            ? "nothing of it can be set" : "it has \(QuotedValue.list(capabilities.settable))"
        if ThingCapabilities.profileKeys.contains(name) { return choosesProfile(name, of: label, list) }
        if ThingCapabilities.reportedKeys(in: thing.data).contains(name) {
            return Refusal(
                .notSettable,
                "\(QuotedValue.of(name)) of \(label) is only reported and cannot be set; \(list)",
                field: name
            )
        }
        if ThingCapabilities.isFixed(name, in: thing.data), thing.data[name] != nil {
            return Refusal(
                .notSettable,
                "\(QuotedValue.of(name)) of \(label) belongs to the place and cannot be set; \(list)",
                field: name
            )
        }
        let hint = NearestName.hint(for: name, among: capabilities.settable)
        return Refusal(
            .unknownAttribute,
            "\(label) has no attribute \(QuotedValue.of(name))\(hint.isEmpty ? ";" : hint) \(list)",
            field: name
        )
    }

    /// The refusal of a key that chooses the profile.
    static func choosesProfile(_ name: String, of label: String, _ list: String) -> Refusal {
        Refusal(
            .notSettable,
            "\(QuotedValue.of(name)) says what kind of thing \(label) is and cannot be set; \(list)",
            field: name
        )
    }

    static func state(_ value: JSONValue, _ name: String) throws(Refusal) -> State {
        if let flag = value.bool { return flag ? .on : .off }
        let legal = "must be ON, OFF, TOGGLE, true or false (is \(QuotedValue.of(value)))"
        guard let text = value.string else { throw Refusal(.wrongType, "\(name) \(legal)", field: name) }
        switch text.trimmingSpace.uppercased() {
        case "ON", "TRUE": return .on
        case "OFF", "FALSE": return .off
        case "TOGGLE": return .toggle
        default: throw Refusal(.invalidValue, "\(name) \(legal)", field: name)
        }
    }

    static func brightness(_ value: JSONValue) throws(Refusal) -> AttributeValue {
        let legal =
            "must be a whole number of 0 to 255, \"0%\" to \"100%\" or a fraction between 0 and 1 "
            + "(is \(QuotedValue.of(value)))"
        func refused(_ code: RefusalCode) -> Refusal {
            Refusal(code, "brightness \(legal)", field: "brightness")
        }
        var level: Double
        switch value {
        case .string(let text):
            let word = text.trimmingSpace
            guard word.hasSuffix("%"), let percent = Double(String(word.dropLast()).trimmingSpace),
                percent.isFinite
            else { throw refused(.invalidValue) }
            guard (0...100).contains(percent) else { throw refused(.outOfRange) }
            level = percent / 100
        case .number(let number):
            guard (0...255).contains(number) else { throw refused(.outOfRange) }
            if number == number.rounded() {
                level = number / 255
            } else if number < 1 {
                level = number
            } else {
                throw refused(.invalidValue)
            }
        case .numeral: throw refused(.outOfRange)
        case .null, .bool, .array, .object: throw refused(.wrongType)
        }
        level = rounded(level)
        return .level(level, shown: JSONValue(Int((level * 255).rounded())))
    }

    static func level(_ value: JSONValue) throws(Refusal) -> AttributeValue {
        let legal = "level must be a number of 0.0 to 1.0 (is \(QuotedValue.of(value)))"
        guard let number = value.number else { throw Refusal(.wrongType, legal, field: "level") }
        guard (0...1).contains(number) else { throw Refusal(.outOfRange, legal, field: "level") }
        let level = rounded(number)
        return .level(level, shown: .number(level))
    }

    static func temperature(_ value: JSONValue) throws(Refusal) -> ColourTemperature {
        let range = ColourTemperature.range
        let legal =
            "color_temp must be a whole number of \(range.lowerBound) to \(range.upperBound), in kelvin "
            + "(is \(QuotedValue.of(value)))"
        func refused(_ code: RefusalCode) -> Refusal { Refusal(code, legal, field: "color_temp") }
        var number = value.number
        if let text = value.string?.trimmingSpace {
            number = Double((text.uppercased().hasSuffix("K") ? String(text.dropLast()) : text).trimmingSpace)
            guard number?.isFinite == true else { throw refused(.invalidValue) }
        }
        guard let number, number.isFinite else {
            if case .numeral = value { throw refused(.outOfRange) }
            throw refused(.wrongType)
        }
        guard (Double(range.lowerBound)...Double(range.upperBound)).contains(number) else {
            throw refused(.outOfRange)
        }
        guard number == number.rounded(), let temperature = ColourTemperature(kelvin: number) else {
            throw refused(.invalidValue)
        }
        return temperature
    }

    /// Rounds to four decimals, enough for 256 steps; a value above 0 stays above 0.
    static func rounded(_ level: Double) -> Double {
        let rounded = (level * 10_000).rounded() / 10_000
        return level > 0 ? max(rounded, 0.000_1) : 0
    }

    /// A boolean, or its text form.
    private static func flag(_ value: JSONValue, _ name: String) throws(Refusal) -> JSONValue {
        if value.bool != nil { return value }
        let legal = "\(name) must be true or false (is \(QuotedValue.of(value)))"
        guard let text = value.string else { throw Refusal(.wrongType, legal, field: name) }
        switch text.trimmingSpace.uppercased() {
        case "ON", "TRUE": return true
        case "OFF", "FALSE": return false
        default: throw Refusal(.wrongType, legal, field: name)
        }
    }

    /// A value of the same type as in the data.
    private static func plain(
        _ value: JSONValue,
        _ name: String,
        _ kind: ThingCapabilities.Kind
    ) throws(Refusal) -> JSONValue {
        switch (kind, value) {
        case (.text, .string), (.list, .array), (.object, .object): return value
        // Plain payloads cannot distinguish numeric text from numbers; Flare converts in the same way.
        case (.text, .number), (.text, .numeral), (.text, .bool): return .string(value.text)
        case (.number, _):
            if let number = value.number, number.isFinite { return value }
        default: break
        }
        let legal =
            kind == .text ? "a text" : kind == .number ? "a number" : kind == .list ? "a list" : "an object"
        throw Refusal(.wrongType, "\(name) must be \(legal) (is \(QuotedValue.of(value)))", field: name)
    }
}
