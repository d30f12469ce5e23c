import Sensors

extension ConfigurationKey {
    /// Receivers of the place that hear the device.
    static let receivers: [ConfigurationKey] = [
        .init(
            "sensors.espresense.device",
            \.sensors.espresenseDevice,
            .optional(.topicLevel),
            "This device's id in ESPresense, such as phone:anna or iBeacon:<uuid>-<major>-<minor>; null uses no ESPresense."
        ),
        .init(
            "sensors.espresense.topic",
            \.sensors.espresenseTopic,
            .topic,
            "The nodes publish on <topic>/devices/<device>/<node>."
        ),
    ]
}

extension ConfigurationType<String> {
    /// One level of an MQTT topic.
    fileprivate static var topicLevel: ConfigurationType {
        .one("one level of a topic: 1 to 200 bytes without +, # and /") { text in
            let isLegal =
                !text.isEmpty && text.utf8.count <= 200
                && !text.unicodeScalars.contains {
                    "+#/".unicodeScalars.contains($0) || $0.properties.generalCategory == .control
                }
            return isLegal ? text : nil
        } show: {
            $0
        }
    }
}

extension TrilateralConfiguration.Sensors {
    /// Where ESPresense nodes speak of this device; `nil` when nobody listens.
    package var espresenseFilter: String? {
        espresenseDevice.map { ESPresenseReport.filter(base: espresenseTopic, device: $0) }
    }
}
