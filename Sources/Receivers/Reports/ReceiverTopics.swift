import Positioning

/// The topics of receivers, as those of ESPresense.
///
/// - Source: ESPresense, main.cpp: `<topic>/devices/<id>/<receiver>`, `<topic>/rooms/<receiver>/…`.
package struct ReceiverTopics: Sendable, Hashable {
    /// The levels before; `espresense` unless configured.
    package let base: String

    package init(base: String) { self.base = base }

    /// What one of these topics is about.
    package enum Message: Sendable, Hashable {
        /// A device was heard; its id as it is written.
        case report(id: String, receiver: String)
        case status(receiver: String)
        case telemetry(receiver: String)
        /// Identity keys for all receivers.
        case keys
        /// A setting that a receiver publishes, such as `absorption`.
        case setting(receiver: String, name: String)
    }

    package func report(_ id: HeardID, by receiver: String) -> String { "\(base)/devices/\(id)/\(receiver)" }
    package func status(of receiver: String) -> String { "\(base)/rooms/\(receiver)/status" }
    package func telemetry(of receiver: String) -> String { "\(base)/rooms/\(receiver)/telemetry" }
    package var keys: String { "\(base)/rooms/*/keys/set" }

    /// The filters of a daemon that listens to all receivers.
    package var filters: [String] {
        ["\(base)/devices/+/+", "\(base)/rooms/+/status", "\(base)/rooms/+/telemetry"]
    }

    /// - Returns: `nil` for a topic of somebody else, or with a name that no receiver can have.
    package func message(of topic: String) -> Message? {
        guard topic.utf8.count <= 1024, topic.utf8.starts(with: base.utf8), topic != base else { return nil }
        let rest = topic.utf8.dropFirst(base.utf8.count)
        guard rest.first == UInt8(ascii: "/") else { return nil }
        let levels = rest.dropFirst().split(
            separator: UInt8(ascii: "/"),
            omittingEmptySubsequences: false
        ).map { String(decoding: $0, as: UTF8.self) }
        switch (levels.first, levels.count) {
        case ("devices", 3):
            guard (1...HeardID.longest).contains(levels[1].utf8.count), Self.isName(levels[2]) else {
                return nil
            }
            return .report(id: levels[1], receiver: levels[2])
        case ("rooms", 4) where topic == keys: return .keys
        case ("rooms", 3):
            guard Self.isName(levels[1]), !levels[2].isEmpty else { return nil }
            switch levels[2] {
            case "status": return .status(receiver: levels[1])
            case "telemetry": return .telemetry(receiver: levels[1])
            default: return .setting(receiver: levels[1], name: levels[2])
            }
        default: return nil
        }
    }

    /// Says what is legal as a receiver's name, for messages.
    package static let nameRule =
        "1 to \(BeaconMap.longestReceiverName) bytes, one level of a topic: without +, #, / and *"

    /// Whether a receiver can have the name: it is a level of a topic, and `*` means all of them.
    package static func isName(_ name: String) -> Bool {
        (1...BeaconMap.longestReceiverName).contains(name.utf8.count)
            && !name.unicodeScalars.contains {
                "+#/*".unicodeScalars.contains($0) || $0.properties.generalCategory == .control
            }
    }
}
