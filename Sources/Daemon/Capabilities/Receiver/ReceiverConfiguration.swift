import OperatingSystem
package import Receivers
package import Sensing
import Sensors
package import Settings

/// This machine as a receiver: it publishes what its Bluetooth adapter hears.
package struct ReceiverConfiguration: Sendable, Hashable {
    /// Whether the daemon is one as well.
    package var isEnabled = false
    /// `nil` for the daemon's node.
    package var name: String?
    package var topic = "espresense"
    package var periodSeconds = 1.0
    package var keysFile: String?
    /// The contents of that file.
    package var keys = KeyList()
    package var publishesStrangers = false
}

extension ConfigurationDefaults {
    package var receiver: ReceiverConfiguration { ReceiverConfiguration() }
}

extension ReceiverSettings {
    /// What the receiver of this machine is called, and what it publishes.
    package init(_ configuration: TrilateralConfiguration, _ traits: HostInfo = .ofThisMachine()) {
        let receiver = configuration.receiver
        self.init(
            name: receiver.name ?? NodeAddress(configuration, traits).node,
            topic: receiver.topic,
            period: receiver.periodSeconds,
            publishesStrangers: receiver.publishesStrangers,
            keys: receiver.keys,
            version: ProgramInfo.currentVersion
        )
    }
}

extension ConfigurationSection {
    static let receiver = ConfigurationSection(
        summaries: [
            "receiver":
                "This machine as a receiver: it publishes which phones, watches and tags its Bluetooth adapter hears."
        ],
        keys: ConfigurationKey.table([
            .init("receiver.enabled", \.receiver.isEnabled, .flag):
                "Whether this daemon is a receiver as well; trilateral receiver is one without a daemon.",
            .init("receiver.name", \.receiver.name, .optional(.receiverName)):
                "The receiver's name, the last level of its topics; null uses mqtt.node, or else the host name.",
            .init("receiver.topic", \.receiver.topic, .topic):
                "It publishes on <topic>/devices/<id>/<name> and <topic>/rooms/<name>/….",
            .init("receiver.period_seconds", \.receiver.periodSeconds, .number(0.1...3600)):
                "Of each device it publishes one report in this time at most, seconds.",
            .init("receiver.keys_file", \.receiver.keysFile, .optional(.path)):
                "A file with the identity keys of phones and watches, a name and a key on each line; see contrib/manual/receivers.md.",
            .init("receiver.strangers", \.receiver.publishesStrangers, .flag):
                "Whether unknown addresses are published, too. Whoever reads the broker can then follow passers-by.",
        ]),
        exchangeable: [.init(\.receiver)],
        rules: [
            .init(paths: ["receiver.enabled", "sensors.beacons.adapter", "sensors.replay.file"]) {
                $0.receiver.isEnabled ? noAdapter($0) : nil
            }
        ],
        files: [
            ConfigurationFile("receiver.keys_file") { loaded in
                guard let file = loaded.values.receiver.keysFile else { return .success(nil) }
                return ReceiverKeys.load(file).map { keys in
                    loaded.values.receiver.keys = keys
                    return FileContents.openness(of: file)
                }
            }
        ]
    )

    /// What keeps a receiver from hearing anything; `nil` if it can.
    package static func noAdapter(_ configuration: TrilateralConfiguration) -> String? {
        configuration.beacons.scanning.adapter == .off && configuration.sensors.replayFile == nil
            ? "needs a Bluetooth adapter: sensors.beacons.adapter must be auto, hci0 and so on, or an adapter's address (is none)"
            : nil
    }
}

extension ConfigurationType<String> {
    /// The name of a receiver.
    package static var receiverName: ConfigurationType {
        checked("a receiver's name: \(ReceiverTopics.nameRule)") { ReceiverTopics.isName($0) }
    }
}

/// The identity keys of a receiver, from a file.
enum ReceiverKeys {
    static func load(_ file: String) -> Result<KeyList, FileError> {
        FileContents.read(file, upTo: KeyList.longestPayload).flatMap(\.words).flatMap { text in
            Result { () throws(ReportError) in try KeyList(file: text) }
                .mapError { FileError(message: $0.description) }
        }
    }
}
