import Sensors
package import Settings

/// ESPresense nodes that receive this device's advertisements.
package struct ESPresenseConfiguration: ConfigurationValues {
    /// The device's id in ESPresense; `nil` ignores the nodes.
    package var device: String?
    package var topic = "espresense"

    package init() {}

    /// The topic filter of the nodes' reports about this device; `nil` when they are ignored.
    package var filter: String? { device.map { ESPresenseReport.filter(base: topic, device: $0) } }
}

extension TrilateralConfiguration {
    package var espresense: ESPresenseConfiguration {
        get { self[ESPresenseConfiguration.self] }
        set { self[ESPresenseConfiguration.self] = newValue }
    }
}

extension ConfigurationSection {
    static let espresense = ConfigurationSection(
        summaries: [
            "sensors.espresense":
                "ESPresense nodes that hear this device; each is a thing that has the node's name in data.receiver."
        ],
        keys: [
            .init(
                "sensors.espresense.device",
                \.espresense.device,
                .optional(.topicLevel),
                "This device's id in ESPresense, such as phone:anna or iBeacon:<uuid>-<major>-<minor>; null uses no ESPresense."
            ),
            .init(
                "sensors.espresense.topic",
                \.espresense.topic,
                .topic,
                "The nodes publish on <topic>/devices/<device>/<node>."
            ),
        ]
    )
}

extension ConfigurationType<String> {
    /// One level of an MQTT topic.
    fileprivate static var topicLevel: ConfigurationType {
        checked("one level of a topic: 1 to 200 bytes without +, # and /") { text in
            !text.isEmpty && text.utf8.count <= 200
                && !text.unicodeScalars.contains {
                    "+#/".unicodeScalars.contains($0) || $0.properties.generalCategory == .control
                }
        }
    }
}
