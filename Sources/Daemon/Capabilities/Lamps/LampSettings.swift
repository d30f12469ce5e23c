package import Lamps

/// A thing's link to a real lamp; the kind determines which keys are legal.
package struct LampSettings: Sendable, Hashable {
    package enum Kind: String, Sendable, CaseIterable {
        case zigbee2mqtt, tasmota, wled, json, template
    }

    /// The number of the entry, from 1.
    package let number: Int
    /// The thing's short name, name or identifier.
    package var thing = ""
    /// `nil` only while the entry is decoded.
    package var kind: Kind?
    package var topic: String?
    package var fullTopic: String?
    package var relay: Int?
    package var stateTopic: String?
    package var commandTopic: String?
    package var command: CommandTemplate?
    package var offCommand: CommandTemplate?
    package var statePath: String?
    package var brightnessPath: String?
    package var colourPath: String?
    package var payloadOn: String?
    package var payloadOff: String?
    package var brightnessScale: Int?
    package var temperaturePath: String?
    package var isKelvin: Bool?
    package var colourModel: JSONLamp.ColourModel?
    package var availabilityTopic: String?
    package var payloadAvailable: String?
    package var payloadNotAvailable: String?

    package init(number: Int) { self.number = number }

    /// The lamp's protocol; `nil` if a required key is missing.
    package var dialect: (any LampDialect)? {
        switch kind {
        case .zigbee2mqtt?: topic.map { ZigbeeLamp(topic: $0) }
        case .tasmota?:
            topic.map { TasmotaLamp(topic: $0, fullTopic: fullTopic ?? "%prefix%/%topic%/", relay: relay) }
        case .wled?: topic.map { WLEDLamp(topic: $0) }
        case .json?: jsonLamp
        case .template?: templateLamp
        case nil: nil
        }
    }

    private var availability: LampAvailability? {
        availabilityTopic.map {
            LampAvailability(
                topic: $0,
                online: payloadAvailable ?? "online",
                offline: payloadNotAvailable ?? "offline"
            )
        }
    }

    private var jsonLamp: JSONLamp? {
        guard let stateTopic, let commandTopic else { return nil }
        return JSONLamp(
            stateTopic: stateTopic,
            commandTopic: commandTopic,
            availability: availability,
            scale: Double(brightnessScale ?? 255),
            model: colourModel ?? .rgb,
            isKelvin: isKelvin ?? false
        )
    }

    private var templateLamp: TemplateLamp? {
        guard let commandTopic, let command else { return nil }
        var settings = TemplateLamp.Settings(commandTopic: commandTopic, command: command)
        settings.stateTopic = stateTopic
        settings.statePath = statePath
        settings.brightnessPath = brightnessPath
        settings.colourPath = colourPath
        settings.temperaturePath = temperaturePath
        settings.isKelvin = isKelvin ?? false
        settings.on = payloadOn ?? settings.on
        settings.off = payloadOff ?? settings.off
        settings.scale = brightnessScale.map(Double.init) ?? settings.scale
        settings.offCommand = offCommand
        settings.availability = availability
        return TemplateLamp(settings)
    }
}
