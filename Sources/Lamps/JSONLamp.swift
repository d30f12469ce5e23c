import JSON
import Things

/// A light with Home Assistant's JSON schema: ESPHome, many bridges, and things of another Trilateral.
/// - Source: Home Assistant 2025.x, MQTT light, JSON schema.
package struct JSONLamp: LampDialect {
    /// How a colour is encoded for the lamp; reports in every model are accepted.
    package enum ColourModel: String, Sendable, Hashable, CaseIterable {
        case rgb, hs, xy
    }

    private let stateTopic: String
    private let commandTopic: String
    private let availability: LampAvailability?
    private let scale: Double
    private let model: ColourModel
    private let isKelvin: Bool

    /// - Parameters:
    ///   - scale: The value of full brightness.
    ///   - isKelvin: Whether colour temperatures are in kelvin instead of mired.
    package init(
        stateTopic: String,
        commandTopic: String,
        availability: LampAvailability? = nil,
        scale: Double = 255,
        model: ColourModel = .rgb,
        isKelvin: Bool = false
    ) {
        self.stateTopic = stateTopic
        self.commandTopic = commandTopic
        self.availability = availability
        self.scale = scale
        self.model = model
        self.isKelvin = isKelvin
    }

    package var commandTopics: [String] { [commandTopic] }
    package var stateTopics: [String] { [stateTopic] }
    package var availabilityGroups: [[String]] { availability.map { [[$0.topic]] } ?? [] }
    package let longestFade = 3600.0

    package func report(on topic: String, _ payload: [UInt8]) throws(LampMessageError) -> LampReport {
        if let availability, topic == availability.topic { return try availability.report(payload) }
        if payload.isEmpty { return .nothing }
        return LampReading.light(try LampPayload.object(payload), scale: scale, isKelvin: isKelvin)
    }

    package func order(_ wanted: LampState, from lamp: LampState, over seconds: Double?) -> [LampMessage] {
        var members: JSONObject = ["state": wanted.isOn == false ? "OFF" : "ON"]
        if wanted.isOn != false {
            members["brightness"] = wanted.steps(of: scale).map { JSONValue($0) }
            members["color"] = wanted.colour.map { Self.colour($0, in: model) }
            members["color_temp"] = wanted.temperature.map { JSONValue(isKelvin ? $0.kelvin : $0.mired) }
        }
        members["transition"] = seconds.map { .number($0) }
        return [LampMessage(commandTopic, JSONValue.object(members).text)]
    }

    /// A colour in one of the models, rounded.
    private static func colour(_ colour: RGBColour, in model: ColourModel) -> JSONValue {
        switch model {
        case .rgb:
            return [
                "r": JSONValue(Int(colour.red)), "g": JSONValue(Int(colour.green)),
                "b": JSONValue(Int(colour.blue)),
            ]
        case .hs:
            let (hue, saturation, _) = colour.hueSaturationValue
            return [
                "h": .number((hue * 1000).rounded() / 1000),
                "s": .number((saturation * 100_000).rounded() / 1000),
            ]
        case .xy:
            let (x, y) = colour.chromaticity
            return [
                "x": .number((x * 10_000).rounded() / 10_000), "y": .number((y * 10_000).rounded() / 10_000),
            ]
        }
    }
}

/// A topic that reports whether a lamp is online, and its two payloads.
package struct LampAvailability: Sendable, Hashable {
    package let topic: String
    private let online: String
    private let offline: String

    package init(topic: String, online: String = "online", offline: String = "offline") {
        self.topic = topic
        self.online = online
        self.offline = offline
    }

    /// One of the two in any case, as a text or as the `state` of an object.
    func report(_ payload: [UInt8]) throws(LampMessageError) -> LampReport {
        let text = try LampPayload.text(payload)
        // A cleared retained message.
        if text.isEmpty { return .available(nil) }
        let word = (try? JSONValue(parsing: text))?["state"]?.string ?? text
        if word.lowercased() == online.lowercased() { return .available(true) }
        if word.lowercased() == offline.lowercased() { return .available(false) }
        throw LampMessageError("the availability must be \(online) or \(offline)", is: text)
    }
}
