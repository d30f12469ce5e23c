import Bridge
import Controller
import JSON
import Logging
import MQTT
import Messages
import Profiles
import Settings

extension Capability {
    /// Things that wait to be set up, by the names of their access points; off unless a profile has an `ssidRegex`.
    static let setup = Capability(
        name: "setup",
        inputs: { [$0.profiles.library.discoverable] }
    ) { context in
        let profiles = context.configuration.profiles.library.discoverable
        guard !profiles.isEmpty else { return nil }
        let refused = RefusalLog("what a scanner says is ignored", context.logger)
        let (client, send) = (context.client, context.send)
        let scanners = SetupScanners(
            profiles: profiles,
            onRefused: refused.record,
            send: { send(SetupCandidates.event(.heard($0))) }
        )
        let (topics, loop) = (context.topics, context.loop)
        var parts = CapabilityParts()
        parts.features = ["setup"]
        parts.counters = { ["setup_refused": refused.count] }
        // Scanners repeat what they hear, so once a second at most.
        parts.renderers = [
            MessageRenderer(spacing: 1000) { snapshot in
                guard snapshot.changes.contains(.setupCandidates) else { return [] }
                return [(topics.setupCandidates, snapshot.state.slices[SetupCandidates.self].json.bytes)]
            }
        ]
        parts.topics = [topics.setupCandidates]
        parts.services = [
            DaemonService.untilShutdown("setup") {
                // Scanners repeat what they hear: of a flood the newest messages are enough.
                let (messages, port) = AsyncStream.makeStream(
                    of: MQTTMessage.self,
                    bufferingPolicy: .bufferingNewest(8)
                )
                let subscription = client.subscribe([topics.setupSSIDs], qos: .atMostOnce, on: loop) {
                    port.yield($0)
                }
                await scanners.run(messages)
                subscription.cancel()
            }
        ]
        return parts
    }
}
