import Flare
import Things

/// Parsing that several kinds of lamps share.
enum LampPayload {
    /// Longest accepted message, bytes.
    static let limit = 16_384

    static func text(_ payload: [UInt8]) throws(LampMessageError) -> String {
        guard payload.count <= limit else {
            throw LampMessageError(cause: "the message is longer than \(limit) bytes", value: "")
        }
        guard let text = String(validating: ByteOrderMark.skipped(in: payload), as: UTF8.self) else {
            throw LampMessageError(cause: "the message is not UTF-8 text", value: "")
        }
        return text.trimmingSpace
    }

    static func object(_ payload: [UInt8]) throws(LampMessageError) -> [String: JSONValue] {
        let text = try text(payload)
        guard let value = try? JSONValue(parsing: text) else {
            throw LampMessageError(cause: "the message is not JSON", value: QuotedValue.of(text))
        }
        guard let members = value.object else {
            throw LampMessageError(cause: "the message is not a JSON object", value: QuotedValue.of(value))
        }
        return members
    }

    /// `ON` or `OFF` in any case, or a boolean; `nil` for null and texts that mean "unknown".
    static func isOn(_ value: JSONValue, named name: String) throws(LampMessageError) -> Bool? {
        if let flag = value.bool { return flag }
        switch value.string?.uppercased() {
        case "ON": return true
        case "OFF": return false
        case nil where value.isNull, "NONE", "UNKNOWN", "": return nil
        default: throw LampMessageError(cause: "\(name) must be ON or OFF", value: QuotedValue.of(value))
        }
    }

    /// A number from 0 to `scale`, as a fraction.
    static func level(_ value: JSONValue, named name: String, scale: Double) throws(LampMessageError)
        -> Double?
    {
        if value.isNull { return nil }
        let number = value.number ?? value.string.flatMap(Double.init)
        // A lamp with a scale of 254 may report 255.
        guard let number, number >= 0, number <= max(scale, 255) else {
            throw LampMessageError(
                cause: "\(name) must be a number from 0 to \(JSONValue.number(scale))",
                value: QuotedValue.of(value)
            )
        }
        return min(number / scale, 1)
    }

    /// `online` or `offline` in any case, as a text or as the `state` of an object.
    static func available(
        _ payload: [UInt8],
        online: String = "online",
        offline: String = "offline"
    ) throws(LampMessageError) -> LampReport {
        let text = try text(payload)
        // A cleared retained message: the availability is unknown.
        if text.isEmpty { return .nothing }
        let word = (try? JSONValue(parsing: text))?["state"]?.string ?? text
        if word.lowercased() == online.lowercased() { return .available(true) }
        if word.lowercased() == offline.lowercased() { return .available(false) }
        throw LampMessageError(
            cause: "the availability must be \(online) or \(offline)",
            value: QuotedValue.of(text)
        )
    }

    /// Colours of JSON lights: x and y, hue and saturation (or h and s), r, g and b, or `hex`.
    ///
    /// - Parameter mode: The model to use when several are given: `xy`, `hs`, `rgb`.
    static func colour(_ value: JSONValue, mode: String?) throws(LampMessageError) -> RGBColour? {
        if value.isNull { return nil }
        let wrong = LampMessageError(cause: "unsupported colour", value: QuotedValue.of(value))
        if let text = value.string {
            guard let colour = RGBColour(hexText: text) else { throw wrong }
            return colour
        }
        guard let members = value.object else { throw wrong }
        func number(_ name: String) -> Double? { members[name]?.number }
        let hue = number("hue") ?? number("h")
        let saturation = number("saturation") ?? number("s")
        let readings: [(String, () -> RGBColour?)] = [
            (
                "xy",
                {
                    guard let x = number("x"), let y = number("y"), (0...1).contains(x), (0...1).contains(y)
                    else { return nil }
                    return RGBColour(x: x, y: y)
                }
            ),
            (
                "hs",
                {
                    guard let hue, let saturation, (0...360).contains(hue), (0...100).contains(saturation)
                    else { return nil }
                    return RGBColour(hue: hue, saturation: saturation / 100)
                }
            ),
            (
                "rgb",
                {
                    guard let red = number("r"), let green = number("g"), let blue = number("b") else {
                        return nil
                    }
                    return rgb([red, green, blue])
                }
            ),
            ("hex", { members["hex"]?.string.flatMap { RGBColour(hexText: $0) } }),
        ]
        let first = readings.first { mode?.hasPrefix($0.0) ?? false }
        guard let colour = first?.1() ?? readings.lazy.compactMap({ $0.1() }).first else {
            // An object without a colour.
            if members.values.allSatisfy(\.isNull) { return nil }
            throw wrong
        }
        return colour
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

    /// A colour temperature in mired or kelvin; `nil` for null, 0 and an empty text.
    static func temperature(
        _ value: JSONValue,
        named name: String,
        isKelvin: Bool
    ) throws(LampMessageError) -> ColourTemperature? {
        if value.isNull || value == 0 || value == "" { return nil }
        let number = value.number ?? value.string.flatMap(Double.init)
        guard let number, (1...100_000).contains(number),
            let temperature = isKelvin ? ColourTemperature(kelvin: number) : ColourTemperature(mired: number)
        else {
            throw LampMessageError(
                cause: "\(name) must be a number of \(isKelvin ? "kelvin" : "mired")",
                value: QuotedValue.of(value)
            )
        }
        return temperature
    }

    /// A JSON light: `state`, `brightness`, `color`, `color_temp`, `color_mode`.
    static func light(
        _ members: [String: JSONValue],
        scale: Double,
        isKelvin: Bool = false
    ) throws(LampMessageError) -> LampReport {
        guard ["state", "brightness", "color", "color_temp"].contains(where: { members[$0] != nil }) else {
            return .nothing
        }
        let isOn = try isOn(members["state"] ?? .null, named: "state")
        let level = try level(members["brightness"] ?? .null, named: "brightness", scale: scale)
        let mode = members["color_mode"]?.string
        // In another mode color_temp is that of the last white light, or undefined.
        let temperature =
            mode == nil || mode == "color_temp"
            ? try temperature(members["color_temp"] ?? .null, named: "color_temp", isKelvin: isKelvin) : nil
        // Both may be present; without a mode the colour is used.
        let isWhite = mode == "color_temp" && temperature != nil
        let colour = isWhite ? nil : try colour(members["color"] ?? .null, mode: mode)
        return .state(LampState(isOn: isOn, reported: level, colour: colour, temperature: temperature))
    }
}

extension LampState {
    /// From a report: a brightness of 0 is ignored with "OFF", and means off with "ON".
    init(isOn: Bool?, reported level: Double?, colour: RGBColour?, temperature: ColourTemperature? = nil) {
        self.init(
            isOn: isOn,
            level: isOn == false && level == 0 ? nil : level,
            colour: colour,
            temperature: temperature
        )
    }

    /// The level as a step from 1 to `scale`, so that a level above 0 stays above 0.
    func steps(of scale: Double) -> Int? {
        level.map { Int(max(($0 * scale).rounded(), 1)) }
    }
}
