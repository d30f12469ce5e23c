package import MQTT
package import Receivers

/// What a receiver of ours is called, and what it publishes.
package struct ReceiverSettings: Sendable, Hashable {
    package var name: String
    /// The levels before `/devices` and `/rooms`.
    package var topic: String
    /// Of each id at most one report in this time, seconds.
    package var period: Double
    /// Whether addresses of nobody are published.
    package var publishesStrangers: Bool
    /// The identity keys of the file.
    package var keys: KeyList
    /// Of this program.
    package var version: String

    package init(
        name: String,
        topic: String = "espresense",
        period: Double = 1,
        publishesStrangers: Bool = false,
        keys: KeyList = KeyList(),
        version: String
    ) {
        (self.name, self.topic, self.period) = (name, topic, period)
        (self.publishesStrangers, self.keys, self.version) = (publishesStrangers, keys, version)
    }

    var topics: ReceiverTopics { ReceiverTopics(base: topic) }

    /// Whether keys may come over a link: nobody can listen to it, and the broker knows who may publish them.
    package static func takesKeys(over link: MQTTConfiguration) -> Bool {
        link.tls.isEnabled && link.username != nil
    }

    /// The connection of the receiver itself, with its last will.
    ///
    /// - Parameter link: That of the daemon, or of the configuration.
    func link(from link: MQTTConfiguration) -> MQTTConfiguration {
        var link = link
        // A name of its own, which is the same after a restart: the broker ends the connection before, and its will comes first.
        link.clientID = "trilateral-receiver-\(name)"
        link.will = status(.offline)
        link.birth = status(.online)
        link.maximumPayload = KeyList.longestPayload
        link.maximumQueued = Self.mostQueued
        return link
    }

    /// Reports that are older than a second help nobody.
    private static let mostQueued = 4096

    func status(_ status: ReceiverStatus) -> MQTTMessage {
        MQTTMessage(
            topic: topics.status(of: name),
            payload: status.payload,
            qos: .atLeastOnce,
            isRetained: true
        )
    }
}
