import Accounts
import Controller
import JSON
import Logging
import Messages
import OperatingSystem
import Positioning
import Receivers
import Sensing
import Sensors
import ServiceLifecycle
import Settings
import Threading
import Web

extension Capability {
    /// Devices beside the daemon's own, each a node with a connection to the broker; their list, and enrolling.
    ///
    /// The nodes are not built here: `DeviceNodes` follow the list, and leave alone what has not changed.
    static let devices = Capability(
        name: "devices",
        settings: .devices,
        alerts: ["devices", "device-removal", DeviceBrokerAlerts.alert],
        // A list in another configuration file builds nothing again.
        inputs: { _ in [] },
        access: { configuration in
            // Devices are listed by verbs too, and somebody may look at what is heard at any time.
            let topic = configuration.espresense.topic
            let heard = ["devices/+/+", "rooms/+/status", "rooms/+/telemetry"].map { "\(topic)/\($0)" }
            return (heard + Set(configuration.devices.compactMap(\.location)).sorted()).map {
                AccessList.Grant(access: .read, filter: $0)
            }
        },
        secrets: { configuration in
            // As they are written there; the registry names them as they are stored.
            configuration.devices.flatMap(\.heardAs).filter { text in
                if case .key? = try? HeardID(text: text) { true } else { false }
            }.map { String($0.dropFirst("irk:".count)) }
        },
        build: { context in
            let kept = context.keptDevices
            let (loop, state) = (context.loop, context.state)
            let api = DevicesLocalAPI(kept.service) {
                await withCheckedContinuation { done in
                    loop.perform { done.resume(returning: state().placedDevicesJSON.array ?? []) }
                }
            }
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
                        bits: packet.bits,
                        rssi: packet.rssi,
                        by: packet.receiver
                    )
                }
            )
            heard.onBegin { receivers.lookBegins() }
            return parts
        }
    )
}

/// What is heard and answers requests about the list of devices, as long as the daemon runs: a reload keeps both.
final class KeptDevices: Service {
    /// For whoever hears packets.
    let heard: HeardNow
    let service: DeviceService

    init(_ context: CapabilityContext) {
        heard = HeardNow(clock: context.clock)
        let receivers = context.receivers
        service = DeviceService(context.devices, heard, context.accounts, epoch: context.epoch) {
            receivers.device
        }
    }

    func run() async throws {
        await cancelWhenGracefulShutdown { [heard] in await heard.run() }
        // The group treats a service that returns early as failed.
        try? await gracefulShutdown()
    }
}

extension CapabilityContext {
    /// What is kept of the list of devices beside the list itself.
    fileprivate var keptDevices: KeptDevices { kept.service { KeptDevices(self) } }

    /// Misses receivers that are silent while any device of the list is heard by them.
    func watchReceivers(for list: DeviceList) {
        receivers.watch(list.devices.contains { !$0.heardAs.isEmpty })
    }
}

extension DeviceRegistry {
    /// The list of a node's daemon, with the devices of its configuration file and of its database.
    ///
    /// - Throws: What is wrong in the configuration.
    convenience init(_ plan: NodePlan, _ store: StateStore, logger: Logger) throws(DeviceListError) {
        try self.init(
            store,
            file: plan.configuration.devices,
            first: plan.name,
            limit: OpenFiles.mostDevices(ofLimit: OpenFiles.raisedLimit()),
            cipher: AESBlock.cipher,
            hide: { [secrets = plan.daemon.secrets] in secrets.add(keys: $0) },
            logger: logger
        )
    }
}
