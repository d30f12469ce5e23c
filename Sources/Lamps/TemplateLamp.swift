import JSON
import Things

/// A lamp whose topics and payloads the user describes.
package struct TemplateLamp: LampDialect {
    package struct Settings: Sendable, Hashable {
        /// `nil` for a lamp without state reports.
        package var stateTopic: String?
        /// JSON paths of the values in a state; without any the payload is plain text: on, off, or a
        /// brightness.
        package var statePath: String?
        package var brightnessPath: String?
        package var colourPath: String?
        package var temperaturePath: String?
        /// Whether the colour temperature is in kelvin instead of mired.
        package var isKelvin = false
        package var on = "ON"
        package var off = "OFF"
        package var scale = 255.0
        package var commandTopic: String
        package var command: CommandTemplate
        /// Sent instead of `command` to switch the lamp off.
        package var offCommand: CommandTemplate?
        package var availability: LampAvailability?

        package init(commandTopic: String, command: CommandTemplate) {
            self.commandTopic = commandTopic
            self.command = command
        }
    }

    private let settings: Settings

    package init(_ settings: Settings) { self.settings = settings }

    package var commandTopics: [String] { [settings.commandTopic] }
    package var stateTopics: [String] { settings.stateTopic.map { [$0] } ?? [] }
    package var availabilityGroups: [[String]] { settings.availability.map { [[$0.topic]] } ?? [] }
    package var longestFade: Double { settings.command.uses(.transition) ? 3600 : 0 }

    package func report(on topic: String, _ payload: [UInt8]) throws(LampMessageError) -> LampReport {
        if let availability = settings.availability, topic == availability.topic {
            return try availability.report(payload)
        }
        if payload.isEmpty { return .nothing }
        let paths = [
            settings.statePath, settings.brightnessPath, settings.colourPath, settings.temperaturePath,
        ]
        if paths.allSatisfy({ $0 == nil }) { return .state(try plain(try LampPayload.text(payload))) }
        let root = JSONValue.object(try LampPayload.object(payload))
        func value(at path: String?) -> JSONValue? {
            path?.split(separator: ".").reduce(root) { value, key in
                value?[String(key)]
                    ?? Int(key).flatMap { index in
                        value?.array.flatMap { $0.indices.contains(index) ? $0[index] : nil }
                    }
            }
        }
        var reading = LampReading()
        let isOn = reading.read(\.isOn, value(at: settings.statePath), self.isOn)
        let level = reading.read(\.level, value(at: settings.brightnessPath)) {
            value throws(LampMessageError) in
            try LampPayload.level(value, named: "the brightness", scale: settings.scale)
        }
        let temperature = reading.read(\.colour, value(at: settings.temperaturePath)) {
            value throws(LampMessageError) in
            try LampPayload.temperature(
                value,
                named: "the colour temperature",
                isKelvin: settings.isKelvin
            )
        }
        let colour = reading.read(\.colour, value(at: settings.colourPath)) {
            value throws(LampMessageError) in
            try LampPayload.colour(value, mode: nil)
        }
        return reading.report(
            LampState(isOn: isOn, reported: level, colour: colour, temperature: temperature)
        )
    }

    private func plain(_ text: String) throws(LampMessageError) -> LampState {
        if let isOn = word(text) { return LampState(isOn: isOn) }
        guard JSONValue.string(text).statedNumber != nil else {
            throw LampMessageError("the state must be \(settings.on), \(settings.off) or a number", is: text)
        }
        let level = try LampPayload.level(.string(text), named: "the brightness", scale: settings.scale)
        return LampState(isOn: level.map { $0 > 0 }, level: level)
    }

    private func word(_ text: String) -> Bool? {
        text.lowercased() == settings.on.lowercased()
            ? true : text.lowercased() == settings.off.lowercased() ? false : nil
    }

    private func isOn(_ value: JSONValue) throws(LampMessageError) -> Bool? {
        if let isOn = word(value.string ?? value.text) ?? value.bool { return isOn }
        throw LampMessageError("the state must be \(settings.on) or \(settings.off)", is: value)
    }

    package func order(_ wanted: LampState, from lamp: LampState, over seconds: Double?) -> [LampMessage] {
        let isOff = wanted.isOn == false
        let template = isOff ? settings.offCommand ?? settings.command : settings.command
        // A template has a place for every value, so unchanged values are repeated.
        let level = isOff ? 0 : wanted.level ?? lamp.level ?? 1
        let colour = wanted.shownColour ?? lamp.shownColour ?? RGBColour(red: 255, green: 255, blue: 255)
        let temperature = wanted.temperature ?? lamp.temperature
        let text = template.text { name in
            switch name {
            case .state: isOff ? settings.off : settings.on
            case .brightness: "\(level > 0 ? max(Int((level * settings.scale).rounded()), 1) : 0)"
            case .level: Self.text(level, decimals: 10_000)
            case .percent: "\(level > 0 ? max(Int((level * 100).rounded()), 1) : 0)"
            case .r: "\(colour.red)"
            case .g: "\(colour.green)"
            case .b: "\(colour.blue)"
            case .hex: String(colour.hexText.dropFirst())
            case .h: Self.text(colour.hueSaturationValue.hue, decimals: 10)
            case .s: Self.text(colour.hueSaturationValue.saturation * 100, decimals: 10)
            case .x: Self.text(colour.chromaticity.x, decimals: 10_000)
            case .y: Self.text(colour.chromaticity.y, decimals: 10_000)
            case .kelvin: "\(temperature?.kelvin ?? 4000)"
            case .mired: "\(temperature?.mired ?? 250)"
            case .transition: Self.text(seconds ?? 0, decimals: 1000)
            }
        }
        return [LampMessage(settings.commandTopic, text)]
    }

    private static func text(_ number: Double, decimals: Double) -> String {
        JSONValue.number((number * decimals).rounded() / decimals).text
    }
}
