import Controller
import HomeAssistant
import MQTT

/// What the bridge keeps for Home Assistant: what it was told, and when it is told next.
struct DiscoverySchedule: Sendable {
    var announcer: DiscoveryPublisher
    let births: [String]
    let remember: @Sendable (ControllerEffect.PersistedRecord) -> Void
    /// Whether the next batch of announcements is on its way.
    var isAnnouncing = false
    /// Whether a birth is going to be answered.
    var isBirthAwaited = false
    /// Whether Home Assistant may know our entities by the ids of another daemon, which announced on our topics.
    var hasForeignIDs = false
    /// How often the link was lost.
    private(set) var lostLinks = 0
    /// Whether the states wait for what has to be told before them.
    var isFirstWord = false
    /// Whether all states are told again once everything is announced.
    var resendsStates = false
    /// The topics whose states are still to be published again.
    var resends: ArraySlice<String> = []

    init(
        _ configuration: DiscoveryConfiguration,
        remembered: [String: String],
        remember: @escaping @Sendable (ControllerEffect.PersistedRecord) -> Void
    ) {
        announcer = DiscoveryPublisher(configuration, remembered: remembered)
        births = configuration.settings.isEnabled ? [configuration.birthTopic] : []
        self.remember = remember
    }

    /// What was to be said is said anew when there is a link again.
    mutating func linkLost() {
        lostLinks += 1
        resendsStates = false
        resends = []
        announcer.setOnline(nil)
    }

    /// Remembers what was announced, before it is sent.
    mutating func rememberNews() {
        for (topic, components) in announcer.drainAnnounced() {
            remember(.announced(topic: topic, components: components))
        }
    }
}

extension Announcement {
    var message: MQTTMessage {
        MQTTMessage(topic: topic, payload: payload, qos: .atLeastOnce, isRetained: true)
    }
}
