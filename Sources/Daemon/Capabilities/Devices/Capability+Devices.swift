import Accounts
import Messages
import Positioning
import Receivers
import Sensors
import ServiceLifecycle
import Web

extension Capability {
    /// The list of devices besides the first one, and enrolling.
    static let devices = Capability(name: "devices") { context in
        let kept = try context.devices
        let api = DevicesLocalAPI(kept.service)
        var parts = CapabilityParts()
        parts.routes = WebRoute.devices { await api.answer($0, by: $1, from: $2) }
        parts.localAnswers = [{ await api.answer($0) }]
        let (heard, receivers) = (kept.heard, context.receivers)
        receivers.listen(
            .init(isRecording: { heard.isRecording }) { packet in
                heard.record(
                    packet.id,
                    name: packet.name,
                    address: packet.address,
                    rssi: packet.rssi,
                    by: packet.receiver
                )
            }
        )
        heard.onBegin { receivers.lookBegins() }
        return parts
    }
}

/// The list of devices and what is heard, as long as the daemon runs: a reload keeps both.
final class KeptDevices: Service {
    /// The list, for whoever runs the devices' nodes.
    let registry: DeviceRegistry
    /// For whoever hears packets.
    let heard: HeardNow
    let service: DeviceService

    init(_ context: CapabilityContext) throws {
        registry = try DeviceRegistry(
            context.store,
            first: context.nodeName,
            cipher: AESBlock.cipher,
            hide: context.hideSecrets,
            logger: context.logger
        )
        heard = HeardNow(clock: context.clock)
        service = DeviceService(registry, heard, context.accounts, epoch: context.epoch)
    }

    func run() async throws {
        await cancelWhenGracefulShutdown { [heard] in await heard.run() }
        // The group treats a service that returns early as failed.
        try? await gracefulShutdown()
    }
}

extension CapabilityContext {
    /// The node of the daemon itself: the last level of its topics' root.
    fileprivate var nodeName: String {
        topics.root.split(separator: "/").last.map(String.init) ?? topics.root
    }

    /// The list of devices, which is read when it is asked for first.
    var devices: KeptDevices { get throws { try kept.service { try KeptDevices(self) } } }
}
