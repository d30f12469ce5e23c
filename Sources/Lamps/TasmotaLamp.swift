import JSON
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
    package var lampTopics: Set<String> { Set(powerKeys.map { "\(command)/\($0)" }) }
    package var stateTopics: [String] {
        powerTopics + (["RESULT"] + Self.results).map { "\(status)/\($0)" } + ["\(telemetry)/STATE"]
    }
    /// Where a device with `SetOption4 1` answers commands that concern its light.
    private static let results = ["STATE", "DIMMER", "HSBCOLOR", "COLOR", "CT", "WHITE", "CHANNEL"]
    /// The plain state, or with `SetOption4 1` also JSON.
    private var powerTopics: [String] { powerKeys.map { "\(status)/\($0)" } }
    package var availabilityGroups: [[String]] { [["\(telemetry)/LWT"]] }

    /// Speed is limited to 40 half seconds.
    package let longestFade = 20.0

    private var key: String { "POWER\(relay.map(String.init) ?? "")" }
    /// Of several relays the first also has a name without number, and the only one may have one (`SetOption26`).
    private var powerKeys: [String] {
        relay == nil ? [key, "POWER1"] : relay == 1 ? [key, "POWER"] : [key]
    }
    private var power: String { "\(command)/\(key)" }

    package func report(on topic: String, _ payload: [UInt8]) throws(LampMessageError) -> LampReport {
        if topic == "\(telemetry)/LWT" { return try LampAvailability(topic: topic).report(payload) }
        if payload.isEmpty { return .nothing }
        if powerTopics.contains(topic), !payload.contains(UInt8(ascii: "{")) {
            let text = try LampPayload.text(payload)
            return .state(LampState(isOn: try LampPayload.isOn(.string(text), named: key)))
        }
        let members = try LampPayload.object(payload)
        var reading = LampReading()
        let power = powerKeys.lazy.compactMap { members[$0] }.first
        let isOn = reading.read(\.isOn, power) { value throws(LampMessageError) in
            try LampPayload.isOn(value, named: key)
        }
        let level = reading.read(\.level, members["Dimmer"]) { value throws(LampMessageError) in
            try LampPayload.level(value, named: "Dimmer", scale: 100)
        }
        // From hue and saturation, otherwise from the channels, which are dimmed and may be followed by white ones.
        let light =
            reading.read(\.colour, members["HSBColor"]) { value throws(LampMessageError) in
                try Self.light(hsb: value, white: members["White"]?.statedNumber ?? 0)
            }
            ?? reading.read(\.colour, members["Color"]) { value throws(LampMessageError) in
                try Self.light(color: value)
            }
            ?? reading.read(\.colour, members["Channel"]) { value throws(LampMessageError) in
                try Self.light(channels: value)
            }
        var temperature: ColourTemperature?
        if light?.colour == nil {
            temperature = reading.read(\.colour, members["CT"]) { value throws(LampMessageError) in
                try LampPayload.temperature(value, named: "CT", isKelvin: false)
            }
        }
        // Answers to unrelated commands arrive here too.
        return reading.report(
            LampState(
                isOn: isOn,
                reported: level,
                colour: light?.colour,
                temperature: temperature,
                isWhite: light?.isWhite ?? false
            )
        )
    }

    /// What channels of 0 to 255 show: red, green and blue, and white ones; `nil` if they are not valid.
    private static func light(of channels: [Double]) -> LampState? {
        guard !channels.isEmpty, channels.allSatisfy({ $0 >= 0 }) else { return nil }
        // A light that has white channels only.
        guard channels.count >= 3 else { return LampState() }
        guard let colour = LampPayload.rgb(channels) else { return nil }
        guard colour == LampState.black else { return LampState(colour: colour) }
        return LampState(isWhite: channels.dropFirst(3).contains { $0 > 0 })
    }

    private static func light(hsb value: JSONValue, white: Double) throws(LampMessageError) -> LampState {
        let numbers = numbers(value.string ?? "")
        guard let numbers, numbers.count == 3, (0...360).contains(numbers[0]), (0...100).contains(numbers[1])
        else {
            throw LampMessageError("HSBColor must be hue, saturation and brightness", is: value)
        }
        if numbers[2] == 0, white > 0 { return LampState(isWhite: true) }
        return LampState(colour: RGBColour(hue: numbers[0], saturation: numbers[1] / 100))
    }

    /// `RRGGBB…` or `r,g,b…`, followed by white channels; fewer channels are white light.
    private static func light(color value: JSONValue) throws(LampMessageError) -> LampState {
        let text = value.string ?? ""
        let channels: [Double]?
        if text.contains(",") {
            channels = numbers(text)
        } else {
            let digits = Array((text.hasPrefix("#") ? text.dropFirst() : text[...]).utf8)
            guard digits.count.isMultiple(of: 2), (2...10).contains(digits.count) else {
                throw unsupported("Color", value)
            }
            channels = stride(from: 0, to: digits.count, by: 2).map {
                UInt8(String(decoding: digits[$0...($0 + 1)], as: UTF8.self), radix: 16).map(Double.init)
                    ?? -1
            }
        }
        guard let channels, let light = light(of: channels) else { throw unsupported("Color", value) }
        return light
    }

    /// Percent of each channel.
    private static func light(channels value: JSONValue) throws(LampMessageError) -> LampState {
        let channels = value.array?.map { ($0.statedNumber ?? -1) * 2.55 } ?? []
        guard let light = light(of: channels) else { throw unsupported("Channel", value) }
        return light
    }

    private static func unsupported(_ name: String, _ value: JSONValue) -> LampMessageError {
        LampMessageError("unsupported \(name)", is: value)
    }

    /// Numbers between commas; `nil` if one is none.
    private static func numbers(_ text: String) -> [Double]? {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { JSONValue.string(String($0).trimmingSpace).statedNumber }
        return numbers.count == parts.count ? numbers : nil
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
