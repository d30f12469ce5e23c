import JSON
import Things

/// A light strip with WLED.
/// - Source: kno.wled.ge, MQTT and JSON API; WLED 0.14, mqtt.cpp and xml.cpp for what it publishes.
package struct WLEDLamp: LampDialect {
    private let topic: String

    /// - Parameter topic: The device topic, such as `wled/abcdef`.
    package init(topic: String) { self.topic = topic }

    /// The bare topic may be that of a group.
    package var commandTopics: [String] { ["\(topic)/api", topic, "\(topic)/col"] }
    /// It reports changes, and on connecting; its state cannot be requested over MQTT.
    package var stateTopics: [String] { ["\(topic)/g", "\(topic)/c", "\(topic)/v"] }
    package var availabilityGroups: [[String]] { [["\(topic)/status"]] }

    /// Tenths of a second in 16 bits.
    package let longestFade = 6553.0

    package func report(on topic: String, _ payload: [UInt8]) throws(LampMessageError) -> LampReport {
        if topic == "\(self.topic)/status" { return try LampAvailability(topic: topic).report(payload) }
        let text = try LampPayload.text(payload)
        if text.isEmpty { return .nothing }
        switch topic.dropFirst(self.topic.count) {
        case "/g":
            guard let brightness = Double(text), (0...255).contains(brightness) else {
                throw LampMessageError("the brightness must be a number from 0 to 255", is: text)
            }
            return .state(LampState(isOn: brightness > 0, level: brightness / 255))
        case "/c":
            return .state(LampState(colour: try colour(text)))
        default:
            return try state(ofXML: text)
        }
    }

    /// `#RRGGBB`, or `#WWRRGGBB` without leading zeros.
    private func colour(_ text: String) throws(LampMessageError) -> RGBColour? {
        let digits = text.dropFirst()
        guard text.first == "#", (6...8).contains(digits.utf8.count), let number = UInt32(digits, radix: 16)
        else {
            throw LampMessageError("the colour must be #RRGGBB or #WWRRGGBB", is: text)
        }
        let colour = RGBColour(hex: number)
        // White light alone, or black, which is expressed as brightness.
        if number & 0xFF_FFFF == 0 {
            return number > 0 ? RGBColour(red: 255, green: 255, blue: 255) : nil
        }
        return colour
    }

    /// `<ac>` is the brightness, three `<cl>` are the colour channels.
    private func state(ofXML text: String) throws(LampMessageError) -> LampReport {
        var unknowns = LampUnknowns()
        func numbers(_ name: String) -> [Double] {
            let parts = text.split(separator: "<\(name)>", omittingEmptySubsequences: false)
            return parts.dropFirst().prefix(3).compactMap { part in
                Double(part.prefix { $0 != "<" }).flatMap { (0...255).contains($0) ? $0 : nil }
            }
        }
        let level = numbers("ac").first.map { $0 / 255 }
        let colour = LampPayload.rgb(numbers("cl"))
        if level == nil || colour == nil {
            let error = LampMessageError("the XML has no ac and three cl of 0 to 255", is: text)
            if level == nil, colour == nil { throw error }
            unknowns.errors = [error]
        }
        unknowns.isOn = level == nil
        unknowns.level = level == nil
        unknowns.colour = colour == nil
        // The three are 0 for white light.
        let shown = colour.flatMap { LampState(colour: $0).colour }
        return .state(LampState(isOn: level.map { $0 > 0 }, level: level, colour: shown), unknowns)
    }

    package func order(_ wanted: LampState, from lamp: LampState, over seconds: Double?) -> [LampMessage] {
        var members: JSONObject = ["on": .bool(wanted.isOn != false)]
        if wanted.isOn != false {
            members["bri"] = wanted.steps(of: 255).map { JSONValue($0) }
            if let colour = wanted.shownColour {
                var segment: JSONObject = [
                    "col": [
                        [
                            JSONValue(Int(colour.red)), JSONValue(Int(colour.green)),
                            JSONValue(Int(colour.blue)),
                        ]
                    ]
                ]
                // For strips with white LEDs; others show the colour.
                segment["cct"] = wanted.temperature.map { JSONValue(min(max($0.kelvin, 1900), 10_091)) }
                members["seg"] = .object(segment)
            }
        }
        members["tt"] = seconds.map { JSONValue(Int(min(max($0 * 10, 0), 65_535).rounded())) }
        return [LampMessage("\(topic)/api", JSONValue.object(members).text)]
    }
}
