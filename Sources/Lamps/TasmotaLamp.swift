import Flare
import Things

/// A light, dimmer or relay with the Tasmota firmware.
/// - Source: Tasmota documentation: MQTT, Lights, Commands (Power, Dimmer, HSBColor, CT, Color, Fade, Speed, Backlog).
package struct TasmotaLamp: LampDialect {
    private let command: String
    private let status: String
    private let telemetry: String
    /// The number of the relay when the device has several.
    private let relay: Int?

    /// - Parameters:
    ///   - topic: The device's topic, for `%topic%`.
    ///   - fullTopic: The device's setting `FullTopic`, with `%prefix%` and `%topic%`.
    package init(topic: String, fullTopic: String = "%prefix%/%topic%/", relay: Int? = nil) {
        func place(_ prefix: String) -> String {
            let place = fullTopic.replacing("%prefix%", with: prefix).replacing("%topic%", with: topic)
            return place.hasSuffix("/") ? String(place.dropLast()) : place
        }
        command = place("cmnd")
        status = place("stat")
        telemetry = place("tele")
        self.relay = relay
    }

    package var commandTopics: [String] { [power, "\(command)/Backlog"] }
    /// Of several relays the first also has a name without number.
    package var lampTopics: Set<String> {
        Set(
            (relay.map { $0 == 1 ? ["POWER", "POWER1"] : ["POWER\($0)"] } ?? ["POWER", "POWER1"]).map {
                "\(command)/\($0)"
            }
        )
    }
    package var stateTopics: [String] { ["\(status)/RESULT", "\(status)/\(key)", "\(telemetry)/STATE"] }
    package var availabilityTopics: [String] { ["\(telemetry)/LWT"] }

    /// Speed is limited to 40 half seconds.
    package let longestFade = 20.0

    private var key: String { "POWER\(relay.map(String.init) ?? "")" }
    private var power: String { "\(command)/\(key)" }

    package func report(on topic: String, _ payload: [UInt8]) throws(LampMessageError) -> LampReport {
        if topic == "\(telemetry)/LWT" { return try LampPayload.available(payload) }
        if payload.isEmpty { return .nothing }
        if topic == "\(status)/\(key)" {
            let text = try LampPayload.text(payload)
            return .state(LampState(isOn: try LampPayload.isOn(.string(text), named: key)))
        }
        let members = try LampPayload.object(payload)
        let value = members[key] ?? (relay == nil ? members["POWER1"] : nil)
        let isOn = try LampPayload.isOn(value ?? .null, named: key)
        let level = try LampPayload.level(members["Dimmer"] ?? .null, named: "Dimmer", scale: 100)
        let temperature =
            Self.isWhite(members)
            ? try LampPayload.temperature(members["CT"] ?? .null, named: "CT", isKelvin: false) : nil
        let colour = temperature == nil ? try Self.colour(members) : nil
        let state = LampState(isOn: isOn, reported: level, colour: colour, temperature: temperature)
        // Answers to unrelated commands arrive here too.
        return state.isEmpty ? .nothing : .state(state)
    }

    /// Whether a report describes white light: the colour channels are dark or absent.
    private static func isWhite(_ members: [String: JSONValue]) -> Bool {
        guard members["CT"] != nil else { return false }
        guard let colour = members["HSBColor"]?.string else { return true }
        let brightness = colour.split(separator: ",").last.flatMap { Double($0) }
        return brightness == 0 && (members["White"]?.number ?? 0) > 0
    }

    /// From hue and saturation, otherwise from the channels, which are dimmed and may be followed by white
    /// ones.
    private static func colour(_ members: [String: JSONValue]) throws(LampMessageError) -> RGBColour? {
        if let value = members["HSBColor"] {
            let numbers = value.string?.split(separator: ",").compactMap { Double($0) } ?? []
            guard numbers.count == 3, (0...360).contains(numbers[0]), (0...100).contains(numbers[1]) else {
                throw LampMessageError(
                    cause: "HSBColor must be hue, saturation and brightness",
                    value: QuotedValue.of(value)
                )
            }
            return RGBColour(hue: numbers[0], saturation: numbers[1] / 100)
        }
        if let value = members["Color"] {
            guard let text = value.string, let colour = colour(text) else {
                throw LampMessageError(cause: "unsupported Color", value: QuotedValue.of(value))
            }
            return colour.isDark ? nil : colour.colour
        }
        if let channels = members["Channel"]?.array, channels.count >= 3 {
            let shares = channels.compactMap(\.number).map { $0 * 2.55 }
            return LampPayload.rgb(shares).flatMap { LampState(colour: $0).colour }
        }
        return nil
    }

    /// `RRGGBB…` or `r,g,b…`; fewer channels are white light.
    private static func colour(_ text: String) -> (colour: RGBColour, isDark: Bool)? {
        let none = (RGBColour(red: 0, green: 0, blue: 0), true)
        let colour: RGBColour?
        if text.contains(",") {
            let numbers = text.split(separator: ",").compactMap { Double($0) }
            if numbers.count < 3 { return numbers.isEmpty ? nil : none }
            colour = LampPayload.rgb(numbers)
        } else {
            let digits = text.hasPrefix("#") ? text.dropFirst() : text[...]
            guard digits.utf8.count.isMultiple(of: 2), (2...10).contains(digits.utf8.count),
                digits.allSatisfy({ $0.isASCII && $0.isHexDigit })
            else { return nil }
            if digits.count < 6 { return none }
            colour = RGBColour(hexText: "#" + digits.prefix(6))
        }
        return colour.map { ($0, $0 == none.0) }
    }

    package func order(_ wanted: LampState, from lamp: LampState, over seconds: Double?) -> [LampMessage] {
        var steps: [String] = []
        if let seconds {
            // Speed is the time from off to full brightness.
            let whole = seconds / max(way(from: lamp, to: wanted), 0.01)
            steps += ["Fade2 1", "Speed2 \(Int(min(max((whole * 2).rounded(), 1), 40)))"]
        }
        if wanted.isOn == false {
            steps.append("\(key) OFF")
        } else if let colour = wanted.colour {
            let (hue, saturation, _) = colour.hueSaturationValue
            let level = wanted.steps(of: 100) ?? lamp.steps(of: 100) ?? 100
            // Tasmota does not accept a hue of 360.
            steps.append(
                "HSBColor \(Int(hue.rounded()) % 360),\(Int((saturation * 100).rounded())),\(level)"
            )
        } else {
            if let temperature = wanted.temperature {
                steps.append("CT \(min(max(temperature.mired, 153), 500))")
            }
            if let level = wanted.steps(of: 100) { steps.append("Dimmer \(level)") }
        }
        // Brightness and colour switch the light on, unless the device is configured otherwise.
        if wanted.isOn == true, lamp.isOn != true || steps.isEmpty { steps.append("\(key) ON") }
        if steps.count == 1, steps[0].hasPrefix(key) {
            return [LampMessage(power, wanted.isOn == false ? "OFF" : "ON")]
        }
        return [LampMessage("\(command)/Backlog", steps.map { "NoDelay;\($0)" }.joined(separator: ";"))]
    }

    /// The largest change as a fraction of the range from off to full brightness.
    private func way(from lamp: LampState, to wanted: LampState) -> Double {
        let before = lamp.isOn == false ? 0 : lamp.level ?? 0
        let after = wanted.isOn == false ? 0 : wanted.level ?? lamp.level ?? 1
        let colours = wanted.shownColour.flatMap { end in
            lamp.shownColour.map { Double($0.distance(to: end)) / 255 }
        }
        return max(abs(after - before), (colours ?? 0) * after)
    }

    package func stateRequest(for wanted: LampState) -> [LampMessage] {
        [LampMessage("\(command)/STATE", "")]
    }
}
