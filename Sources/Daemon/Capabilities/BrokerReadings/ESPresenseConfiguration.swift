package import Settings

/// ESPresense nodes that receive this device's advertisements.
package struct ESPresenseConfiguration: Sendable, Hashable {
    /// The device's id in ESPresense; `nil` ignores the nodes.
    package var device: String?
    package var topic = "espresense"

    /// The topic filter of the nodes' reports about this device; `nil` when they are ignored.
    package var filter: String? { device.map { "\(topic)/devices/\($0)/+" } }
}

extension ConfigurationDefaults {
    package var espresense: ESPresenseConfiguration { ESPresenseConfiguration() }
}

extension ConfigurationSection {
    static let espresense = ConfigurationSection(
        summaries: [
            "sensors.espresense":
                "ESPresense nodes that hear this device; each is a thing that has the node's name in data.receiver."
        ],
        keys: ConfigurationKey.table([
            .init("sensors.espresense.device", \.espresense.device, .optional(.espresenseDevice)):
                "This device's id in ESPresense, such as phone:anna or iBeacon:<uuid>-<major>-<minor>; null uses no ESPresense.",
            .init("sensors.espresense.topic", \.espresense.topic, .topic):
                "The nodes publish on <topic>/devices/<device>/<node>.",
        ]),
        exchangeable: [.init(\.espresense)]
    )
}

extension ConfigurationType<String> {
    /// An id as ESPresense writes it; it is compared letter by letter.
    ///
    /// - Source: ESPresense, BleFingerprint.cpp: addresses and keys in lower case, addresses without colons.
    fileprivate static var espresenseDevice: ConfigurationType {
        checked(
            "an id as ESPresense writes it: one level of a topic without +, # and /, such as phone:anna, "
                + "iBeacon:<uuid>-<major>-<minor> with a UUID in lower case, irk:<32 digits a-f, 0-9>, or the 12 digits of an "
                + "address in lower case"
        ) { text in
            let isLevel =
                !text.isEmpty && text.utf8.count <= 200
                && !text.unicodeScalars.contains {
                    "+#/".unicodeScalars.contains($0) || $0.properties.generalCategory == .control
                }
            return isLevel && canMatch(text)
        }
    }

    private static func canMatch(_ text: String) -> Bool {
        let (prefix, rest) =
            text.firstIndex(of: ":").map {
                (String(text[..<$0]), String(text[text.index(after: $0)...]))
            } ?? ("", text)
        switch prefix.lowercased() {
        case "ibeacon":
            let form = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}-(\d{1,5})-(\d{1,5})/
            guard prefix == "iBeacon", let found = rest.wholeMatch(of: form) else { return false }
            return [found.2, found.3].allSatisfy { UInt16($0) != nil }
        case "irk": return prefix == "irk" && rest.wholeMatch(of: /[0-9a-f]{32}/) != nil
        case "known": return prefix == "known" && rest.wholeMatch(of: /[0-9a-f]{12}/) != nil
        default:
            // An address with colons or hyphens, or in upper case.
            let isAddress = text.wholeMatch(of: /([0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}/) != nil
            let isUpperCase = text.wholeMatch(of: /[0-9A-Fa-f]{12}/) != nil && text != text.lowercased()
            return !isAddress && !isUpperCase && !(text.contains("<") && text.contains(">"))
        }
    }
}
