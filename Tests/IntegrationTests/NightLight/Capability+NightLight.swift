import Bridge
import Controller
import Daemon
import Flare
import JSON
import MQTT
import Messages
import Settings
import Things
import Threading

private struct NightLightConfiguration: ConfigurationValues {
    var topic = "night"
}

extension TrilateralConfiguration {
    fileprivate var nightLight: NightLightConfiguration {
        get { self[NightLightConfiguration.self] }
        set { self[NightLightConfiguration.self] = newValue }
    }
}

extension Capability {
    /// Counts the changes of the table lamp, publishes its state on a topic, switches it by a command of its own, and
    /// refuses its actions.
    static let nightLight = Capability(
        name: "night light",
        settings: ConfigurationSection(
            summaries: ["night_light": "The lamp beside the bed."],
            keys: [
                .init(
                    "night_light.topic",
                    \.nightLight.topic,
                    .topic,
                    "Where the lamp's state is published, below <base>/<node>."
                )
            ]
        ),
        commands: [.nightLightSet],
        access: { _ in [.init(access: .read, filter: "night/#")] },
        build: { context in
            let changes = Locked(0)
            let topic = context.configuration.nightLight.topic
            var parts = CapabilityParts()
            parts.features = ["night-light"]
            parts.counters = { ["night_light_changes": changes.withLock { $0 }] }
            parts.observer = StateObserver(
                where: { if case .object(let object) = $0 { object.kind == .thing } else { false } },
                handle: { _ in changes.withLock { $0 += 1 } }
            )
            parts.renderers = [NightLightRenderer(topic: "\(context.topics.root)/\(topic)")]
            parts.policy = NightLightPolicy()
            return parts
        }
    )
}

private struct NightLightRenderer: TopicRenderer {
    let topic: String
    private var isOn: Bool?

    init(topic: String) { self.topic = topic }

    mutating func observe(_ snapshot: StateSnapshot) {
        let lamp = snapshot.state.things.values.first { $0.name == "Table lamp" }
        isOn = lamp?.data["on"] == true
    }

    mutating func render(into store: inout RetainedTopicStore, at now: Int64) {
        guard let isOn else { return }
        let text = isOn ? "lit" : "dark"
        store.set(MQTTMessage(topic: topic, payload: Array(text.utf8), isRetained: true))
        self.isOn = nil
    }

    var nextDue: Int64? { nil }
}

private struct NightLightPolicy: CommandPolicy {
    func decide(_ request: ChangeRequest, in state: ControllerState) -> PolicyDecision {
        guard case .action = request.kind else { return .allow }
        return .refuse(Refusal(.notAllowed, "the night light has no actions at night"))
    }
}
