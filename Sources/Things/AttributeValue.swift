import Text
import JSON

/// A legal value of an attribute of a light.
enum AttributeValue {
    case state(State, name: String)
    /// Brightness, 0…1, and its form in the answer.
    case level(Double, shown: JSONValue)
    case colour(ColourValue)
    case temperature(ColourTemperature)

    enum State: String {
        case on = "ON"
        case off = "OFF"
        case toggle = "TOGGLE"

        /// In upper or lower case; `true` and `false` too.
        init?(word: String) {
            switch word.trimmingSpace.uppercased() {
            case "ON", "TRUE": self = .on
            case "OFF", "FALSE": self = .off
            case "TOGGLE": self = .toggle
            default: return nil
            }
        }
    }

    /// The value in the terms of the contract.
    var shown: JSONValue {
        switch self {
        case .state(let state, "on"): state == .toggle ? "TOGGLE" : .bool(state == .on)
        case .state(let state, _): .string(state.rawValue)
        case .level(_, let shown): shown
        case .colour(let colour): .string(colour.stored)
        case .temperature(let temperature): JSONValue(temperature.kelvin)
        }
    }

    static func state(_ value: JSONValue, _ name: String) throws(Refusal) -> State {
        if let flag = value.bool { return flag ? .on : .off }
        guard let state = value.string.flatMap(State.init(word:)) else {
            throw Refusal(
                value.string == nil ? .wrongType : .invalidValue,
                "\(name) must be ON, OFF, TOGGLE, true or false (is \(QuotedValue.of(value)))",
                field: name
            )
        }
        return state
    }

    static func brightness(_ value: JSONValue) throws(Refusal) -> AttributeValue {
        func refused(_ code: RefusalCode) -> Refusal {
            Refusal(
                code,
                "brightness must be a whole number of 0 to 255, \"0%\" to \"100%\" or a fraction between 0 and 1 "
                    + "(is \(QuotedValue.of(value)))",
                field: "brightness"
            )
        }
        var level: Double
        switch value {
        case .string(let text):
            guard let percent = percent(text) else { throw refused(.invalidValue) }
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

    /// The number before `%`; `nil` for another text.
    static func percent(_ text: String) -> Double? {
        let word = text.trimmingSpace
        guard word.hasSuffix("%"), let percent = Double(String(word.dropLast()).trimmingSpace),
            percent.isFinite
        else { return nil }
        return percent
    }

    static func level(_ value: JSONValue) throws(Refusal) -> AttributeValue {
        guard let number = value.number, (0...1).contains(number) else {
            throw Refusal(
                value.number == nil ? .wrongType : .outOfRange,
                "level must be a number of 0.0 to 1.0 (is \(QuotedValue.of(value)))",
                field: "level"
            )
        }
        let level = rounded(number)
        return .level(level, shown: .number(level))
    }

    static func temperature(_ value: JSONValue) throws(Refusal) -> ColourTemperature {
        let range = ColourTemperature.range
        func refused(_ code: RefusalCode) -> Refusal {
            let legal = "a whole number of \(range.lowerBound) to \(range.upperBound), in kelvin"
            let message = "color_temp must be \(legal) (is \(QuotedValue.of(value)))"
            return Refusal(code, message, field: "color_temp")
        }
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
    static func flag(_ value: JSONValue, _ name: String) throws(Refusal) -> JSONValue {
        if value.bool != nil { return value }
        switch value.string.flatMap(State.init(word:)) {
        case .on?: return true
        case .off?: return false
        case .toggle?, nil:
            let message = "\(name) must be true or false (is \(QuotedValue.of(value)))"
            throw Refusal(.wrongType, message, field: name)
        }
    }

    /// A value of the same type as in the data.
    static func plain(
        _ value: JSONValue,
        _ name: String,
        _ kind: ThingShape.Kind?
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
