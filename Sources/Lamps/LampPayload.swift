import JSON
import Text
import Things

/// Parsing that several kinds of lamps share.
enum LampPayload {
    /// Longest accepted message, bytes.
    static let limit = 16_384

    static func text(_ payload: [UInt8]) throws(LampMessageError) -> String {
        guard payload.count <= limit else {
            throw LampMessageError(cause: "the message is longer than \(limit) bytes")
        }
        return String(decoding: ByteOrderMark.skipped(in: payload), as: UTF8.self).trimmingSpace
    }

    static func object(_ payload: [UInt8]) throws(LampMessageError) -> JSONObject {
        let text = try text(payload)
        guard let value = try? JSONValue(parsingReport: text.utf8) else {
            throw LampMessageError("the message is not JSON", is: text)
        }
        guard let members = value.object else {
            throw LampMessageError("the message is not a JSON object", is: value)
        }
        return members
    }

    /// `ON` or `OFF` in any case, a boolean, or 1 and 0; `nil` for texts that mean "unknown".
    static func isOn(_ value: JSONValue, named name: String) throws(LampMessageError) -> Bool? {
        if let flag = value.bool { return flag }
        switch value.string?.trimmingSpace.uppercased() {
        case "ON", "TRUE": return true
        case "OFF", "FALSE": return false
        case "NONE", "UNKNOWN", "": return nil
        default:
            if let number = value.statedNumber, number == 0 || number == 1 { return number == 1 }
            throw LampMessageError("\(name) must be ON or OFF", is: value)
        }
    }

    /// A number from 0 to `scale`, as a fraction; more is full brightness.
    static func level(_ value: JSONValue, named name: String, scale: Double) throws(LampMessageError)
        -> Double?
    {
        guard let number = value.statedNumber, number >= 0 else {
            throw LampMessageError("\(name) must be a number from 0 to \(JSONValue.number(scale))", is: value)
        }
        return min(number / scale, 1)
    }

    /// Colours of JSON lights: an object with x and y, hue and saturation (or h and s), r, g and b, or `hex`; a text
    /// of the channels or of hexadecimal digits; or a list of the channels.
    ///
    /// - Parameter mode: The model to use when several are given: `xy`, `hs`, `rgb`.
    static func colour(_ value: JSONValue, mode: String?) throws(LampMessageError) -> RGBColour? {
        let wrong = LampMessageError("unsupported colour", is: value)
        if let text = value.string {
            let channels = text.split(separator: ",").map { JSONValue.string(String($0)) }
            guard let colour = RGBColour(hexText: text) ?? rgb(channels) else { throw wrong }
            return colour
        }
        if let channels = value.array {
            guard let colour = rgb(channels) else { throw wrong }
            return colour
        }
        guard let members = value.object else { throw wrong }
        func number(_ name: String) -> Double? { members[name]?.statedNumber }
        let hue = number("hue") ?? number("h")
        let saturation = number("saturation") ?? number("s")
        func reading(_ model: String) -> RGBColour? {
            switch model {
            case "xy":
                guard let x = number("x"), let y = number("y"), (0...1).contains(x), (0...1).contains(y)
                else { return nil }
                return RGBColour(x: x, y: y)
            case "hs":
                guard let hue, let saturation, (0...360).contains(hue), (0...100).contains(saturation)
                else { return nil }
                return RGBColour(hue: hue, saturation: saturation / 100)
            case "rgb":
                guard let red = number("r"), let green = number("g"), let blue = number("b") else {
                    return nil
                }
                return rgb([red, green, blue])
            default: return members["hex"]?.string.flatMap { RGBColour(hexText: $0) }
            }
        }
        let models = ["xy", "hs", "rgb", "hex"]
        let stated = models.filter { mode?.hasPrefix($0) ?? false }
        guard let colour = (stated + models).lazy.compactMap(reading).first else {
            // An object without a colour: nothing, or channels of white light.
            if members.allSatisfy({ $0.value.isNull || whiteChannels.contains($0.key) }) { return nil }
            throw wrong
        }
        return colour
    }

    /// The channels of cold and warm white, or of the only white.
    private static let whiteChannels: Set = ["c", "w"]

    /// Whether of a colour's channels only the white ones are lit.
    static func isWhite(_ value: JSONValue) -> Bool {
        guard let members = value.object else { return false }
        let isLit = whiteChannels.contains { (members[$0]?.statedNumber ?? 0) > 0 }
        return isLit
            && members.allSatisfy { whiteChannels.contains($0.key) || ($0.value.statedNumber ?? 0) == 0 }
    }

    private static func rgb(_ channels: [JSONValue]) -> RGBColour? {
        let numbers = channels.compactMap(\.statedNumber)
        return numbers.count == channels.count ? rgb(numbers) : nil
    }

    /// A colour from three numbers of 0 to 255.
    static func rgb(_ numbers: [Double]) -> RGBColour? {
        guard numbers.count >= 3, numbers.prefix(3).allSatisfy({ (0...255).contains($0) }) else { return nil }
        return RGBColour(
            red: UInt8(numbers[0].rounded()),
            green: UInt8(numbers[1].rounded()),
            blue: UInt8(numbers[2].rounded())
        )
    }

    /// A colour temperature in mired or kelvin; `nil` for 0 and an empty text.
    static func temperature(
        _ value: JSONValue,
        named name: String,
        isKelvin: Bool
    ) throws(LampMessageError) -> ColourTemperature? {
        if value == "" || value.statedNumber == 0 { return nil }
        guard let number = value.statedNumber, (1...100_000).contains(number),
            let temperature = isKelvin ? ColourTemperature(kelvin: number) : ColourTemperature(mired: number)
        else {
            throw LampMessageError("\(name) must be a number of \(isKelvin ? "kelvin" : "mired")", is: value)
        }
        return temperature
    }
}

extension LampMessageError {
    init(_ cause: String, is value: JSONValue) { self.init(cause: cause, value: QuotedValue.of(value)) }
    init(_ cause: String, is text: String) { self.init(cause: cause, value: QuotedValue.of(text)) }
}

extension LampState {
    /// From a report: a brightness of 0 is ignored with "OFF", and means off with "ON".
    init(
        isOn: Bool?,
        reported level: Double?,
        colour: RGBColour?,
        temperature: ColourTemperature? = nil,
        isWhite: Bool = false
    ) {
        self.init(
            isOn: isOn,
            level: isOn == false && level == 0 ? nil : level,
            colour: colour,
            temperature: temperature,
            isWhite: isWhite
        )
    }

    /// The level as a step from 1 to `scale`, so that a level above 0 stays above 0.
    func steps(of scale: Double) -> Int? {
        level.map { Int(max(($0 * scale).rounded(), 1)) }
    }
}
