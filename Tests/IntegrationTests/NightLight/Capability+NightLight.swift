import Bridge
import Controller
import Daemon
import Flare
import HTTPListener
import JSON
import MQTT
import Messages
import Settings
import Things
import Threading
import Web

private struct NightLightConfiguration: Sendable, Hashable {
    var topic = "night"
    var isEnabled = true
}

extension ConfigurationDefaults {
    fileprivate var nightLight: NightLightConfiguration { NightLightConfiguration() }
}

extension Capability {
    /// Counts the changes of the table lamp, keeps and publishes its state, switches it by a command of its own, and
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
                ),
                .init(
                    "night_light.enabled",
                    \.nightLight.isEnabled,
                    .flag,
                    "Whether there is a night light."
                ),
            ]
        ),
        commands: [.nightLightSet],
        slices: { _ in [NightLightSlice()] },
        access: { _ in [.init(access: .read, filter: "night/#")] },
        build: { context in
            guard context.configuration.nightLight.isEnabled else { return nil }
            let changes = Locked(0)
            let topic = context.configuration.nightLight.topic
            var parts = CapabilityParts()
            parts.features = ["night-light"]
            parts.counters = { ["night_light_changes": changes.withLock { $0 }] }
            parts.observer = StateObserver(
                where: { if case .object(let object) = $0 { object.kind == .thing } else { false } },
                handle: { _ in changes.withLock { $0 += 1 } }
            )
            parts.renderers = [
                MessageRenderer { snapshot in
                    guard snapshot.changes.contains(.slice("night light")),
                        let isOn = snapshot.state.slices[NightLightSlice.self].isOn
                    else { return [] }
                    return [("\(context.topics.root)/\(topic)", Array((isOn ? "lit" : "dark").utf8))]
                }
            ]
            parts.routes = [
                .reading("/night-light/state") {
                    ["lit": .bool($0.slices[NightLightSlice.self].isOn ?? false)]
                }
            ]
            parts.localAnswers = [
                { request in
                    guard request.path == ["api", "night-light"] else { return nil }
                    return LocalResponse(200, JSONValue.object(["topic": .string(topic)]).bytes)
                }
            ]
            parts.policy = NightLightPolicy()
            return parts
        }
    )
}

/// Whether the table lamp is on.
private struct NightLightSlice: Slice {
    private(set) var isOn: Bool?

    mutating func follow(
        _ event: ControllerEvent,
        in core: ControllerState,
        at now: Instant
    ) -> [SliceEffect] {
        let lamp = core.things.values.first { $0.name == "Table lamp" }
        guard let lamp, isOn != (lamp.data["on"] == true) else { return [] }
        isOn = lamp.data["on"] == true
        return [.changed(.slice("night light"))]
    }
}

private struct NightLightPolicy: CommandPolicy {
    func decide(_ request: ChangeRequest, in state: ControllerState) -> PolicyDecision {
        guard case .action = request.kind else { return .allow }
        return .refuse(Refusal(.notAllowed, "the night light has no actions at night"))
    }
}
