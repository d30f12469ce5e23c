import Controller
import MQTT
import Messages
import Settings
import Threading

/// So many unacknowledged publications are usual.
private let busyLimit = 16

extension Capability {
    /// The device's motion for displays on the broker.
    static let frames = Capability(name: "frames", settings: .frames) { context in
        guard context.configuration.frames.isEnabled else { return nil }
        let client = context.client
        let publisher = FramePublisher(
            on: context.loop,
            topic: context.topics.frame,
            now: { context.clock().steadyMilliseconds },
            // A frame in the socket's buffer counts as written, even if the broker does not read it. The broker keeps up
            // only if it acknowledges other publications.
            isBrokerBusy: { client.counters.queued > busyLimit },
            // A frame that is not written by then is lost with its link.
            send: { try? await client.publishAndWait($0, timeout: .seconds(5)) }
        )
        var parts = CapabilityParts()
        parts.features = ["frames"]
        parts.observer = StateObserver(where: FramePublisher.isInterested) { snapshot in
            publisher.onExecutor { $0.observe(snapshot) }
        }
        parts.brokerLinkChanged = { isUp in publisher.onExecutor { $0.brokerChanged(isUp: isUp) } }
        parts.services = [DaemonService.untilShutdown("frames") { await publisher.run() }]
        return parts
    }
}
