import JSON
import Things

/// A lamp or group of zigbee2mqtt.
/// - Source: zigbee2mqtt.io, MQTT topics and messages, device availability; tried with versions 1.x and 2.x.
package struct ZigbeeLamp: LampDialect {
    private let topic: String
    private static let scale = 254.0

    /// - Parameter topic: `<base>/<friendly name>`.
    package init(topic: String) { self.topic = topic }

    package var commandTopics: [String] { ["\(topic)/set"] }
    package var stateTopics: [String] { [topic] }

    /// The device's own topic, and that of zigbee2mqtt.
    ///
    /// Both its base topic and the friendly name may have several levels, and nothing says where one ends.
    package var availabilityGroups: [[String]] {
        let levels = topic.split(separator: "/", omittingEmptySubsequences: false)
        let bases = (1..<max(levels.count, 2)).prefix(Self.mostLevels).map {
            levels.prefix($0).joined(separator: "/")
        }
        return [["\(topic)/availability"], bases.map { "\($0)/bridge/state" }]
    }

    /// Most levels of a base topic.
    private static let mostLevels = 8

    /// Tenths of a second in 16 bits.
    package let longestFade = 6553.0

    package func report(on topic: String, _ payload: [UInt8]) throws(LampMessageError) -> LampReport {
        guard topic == self.topic else { return try LampAvailability(topic: topic).report(payload) }
        if payload.isEmpty { return .nothing }
        return LampReading.light(try LampPayload.object(payload), scale: Self.scale)
    }

    package func order(_ wanted: LampState, from lamp: LampState, over seconds: Double?) -> [LampMessage] {
        // zigbee2mqtt converts to hue and saturation for lamps that need them.
        JSONLamp(stateTopic: topic, commandTopic: "\(topic)/set", scale: Self.scale, model: .xy)
            .order(wanted, from: lamp, over: seconds)
    }

    package func stateRequest(for wanted: LampState) -> [LampMessage] {
        var members: JSONObject = ["state": ""]
        if wanted.level != nil { members["brightness"] = "" }
        if wanted.temperature != nil { members["color_temp"] = "" }
        if wanted.colour != nil { members["color"] = ["x": "", "y": ""] }
        return [LampMessage("\(topic)/get", JSONValue.object(members).text)]
    }
}
