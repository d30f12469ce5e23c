import Bindings
import Bridge
import Controller
import Logging
import MQTT
import Messages
import People
import Settings
import Things
import Threading

extension CapabilityParts {
    /// Adds what lets things speak on the broker: `bindings.edge`.
    mutating func addEdge(_ service: BindingService, _ context: CapabilityContext) {
        let (client, send, logger) = (context.client, context.send, context.logger)
        let isOpen = context.configuration.hasOpenEdge
        let bridge = EdgeBridge(
            on: context.loop,
            context.topics,
            link: EdgeLink(client),
            logger: logger,
            clock: context.clock,
            EdgePorts(service)
        )
        edge = { [state = context.state] order in
            guard let outgoing = service.outgoing(order, state()) else {
                return logger.warning(
                    "an order is for a thing that is not at the edge",
                    metadata: ["thing": "\(order.thing)"]
                )
            }
            service.sent(order)
            bridge.onExecutor { bridge in
                bridge.send(outgoing.command, to: outgoing.address) { result in
                    // The broker also takes what nobody there reads.
                    guard case .success = result, service.edge.isSpeaker(outgoing.thing) else { return }
                    service.delivered(outgoing.command.id)
                }
            }
        }
        services.append(
            DaemonService.untilShutdown("edge") {
                send(.alert("edge-open", .warning, isOpen ? openEdge : nil))
                await withTaskGroup(of: Void.self) { group in
                    group.addTask { await service.edge.run() }
                    let subscription = bridge.subscribe(to: client)
                    defer { subscription.cancel() }
                    await bridge.run()
                }
            }
        )
    }

    /// Forgets what things have said on the broker, after a reload that ended that.
    mutating func endEdge(_ service: BindingService) {
        services.append(DaemonService.untilShutdown("edge") { service.edge.clear() })
    }
}

/// What is wrong with a broker that has no users.
private let openEdge = """
    Things speak on a broker that the daemon uses without a user name, so whoever reaches the broker can speak for any of \
    them. Give the broker users, set mqtt.username, and give it the list that `trilateral acl --things` prints.
    """

extension TrilateralConfiguration {
    /// Whether things speak on a broker that knows no users.
    var hasOpenEdge: Bool { self.bindings.isEdge && mqtt.username == nil }
}

extension EdgeSettings {
    /// The broker that the daemon uses, also after a reload.
    init(_ context: CapabilityContext) {
        let ownName = HostInfo.ofThisMachine().hostName
        self.init(context.topics) { [client = context.client] in
            let link = client.configuration
            return Broker(host: link.host, port: link.port, isSecure: link.tls.isEnabled, ownName: ownName)
        }
    }
}
