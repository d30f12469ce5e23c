import Bridge
import Controller
import HomeAssistant
import JSON
import Logging
import MQTT
import Messages
import People
import Receivers
import ServiceLifecycle
import Threading

/// The nodes of further devices: each has a bridge of its own, and a connection to the broker with a will of its own.
///
/// The state of all of them is in the one controller.
/// - Source: contrib/design/0112-several-devices.md.
final class DeviceNodes: Sendable {
    struct Link: Sendable {
        let client: MQTTClient
        let bridge: MQTTBridge
    }

    /// What all of them share with the first node.
    struct Parts: Sendable {
        let loop: LoopExecutor
        let epoch: String
        let started: Instant
        let installation: String
        let formerEpoch: String?
        /// The discovery topics that earlier runs published, with their components.
        let announced: [String: String]
        /// That of the daemon's own node, which takes over the announcements of removed nodes.
        let first: MQTTBridge
        let commands: CommandTable
        let identify: Identify
        let clock: @Sendable () -> Instant
        let seconds: @Sendable () -> Double
        let remember: @Sendable (ControllerEffect.PersistedRecord) -> Void
        let send: @Sendable (ControllerEvent) -> Void
        let flareURL: @Sendable () -> String
        /// How all nodes are announced to Home Assistant.
        let discovery: @Sendable () -> DiscoverySettings
        let mayConnect: @Sendable () async -> Void
        let logger: Logger
    }

    private let parts: Parts
    private let links = Locked<[String: Link]>([:])
    /// What is remembered of the discovery topics of nodes that were removed in this run.
    private let memories = Locked<[String: String]>([:])
    /// What the broker refuses them, for the first node.
    private let alerts = Locked(DeviceBrokerAlerts())
    /// A group for each node.
    let connections: ReplaceableServices
    /// Yields when there are nodes to be repeated.
    private let arrivals: AsyncStream<Void>
    private let arrival: AsyncStream<Void>.Continuation

    init(_ plan: NodePlan, _ parts: Parts) {
        self.parts = parts
        (arrivals, arrival) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        var links: [String: Link] = [:]
        for device in plan.devices.devices {
            links[device.node] = Self.link(device.node, plan, parts, parts.announced, alerts)
        }
        connections = ReplaceableServices(
            "devices",
            links.sorted { $0.key < $1.key }.map { ($0.key, Self.services($0.value, parts)) },
            logger: parts.logger
        )
        self.links.withLock { $0 = links }
        if !links.isEmpty { arrival.yield() }
    }

    /// The bridge of a device's node; `nil` for one that is not listed.
    func bridge(of node: String) -> MQTTBridge? { links.withLock { $0[node]?.bridge } }

    private var all: [(node: String, link: Link)] {
        links.withLock { $0.sorted { $0.key < $1.key }.map { (node: $0.key, link: $0.value) } }
    }

    // MARK: A node

    private static func link(
        _ node: String,
        _ plan: NodePlan,
        _ parts: Parts,
        _ announced: [String: String],
        _ alerts: Locked<DeviceBrokerAlerts>
    ) -> Link {
        var logger = parts.logger
        logger[metadataKey: "node"] = "\(node)"
        let client = MQTTClient(
            plan.link(installation: parts.installation, of: node),
            logger: logger,
            aroundRead: parts.loop.lend
        )
        let configuration = Self.configuration(of: node, plan, parts)
        let (topics, send, remember) = (Topics(root: configuration.root), parts.send, parts.remember)
        let bridge = MQTTBridge(
            on: parts.loop,
            configuration: configuration,
            commands: parts.commands,
            identity: BridgeIdentity(
                epoch: parts.epoch,
                started: parts.started,
                formerEpoch: parts.formerEpoch,
                installation: parts.installation,
                announced: announced.filter { DiscoveryConfiguration.isTopic($0.key, of: node) }
            ),
            client: client,
            renderers: [
                MessageRenderer { snapshot in
                    snapshot.changes.contains(.lifecycle)
                        ? [(topics.lifecycle, snapshot.state.lifecycleJSON.bytes)] : []
                }
            ],
            identify: parts.identify,
            logger: logger,
            clock: parts.clock,
            seconds: parts.seconds,
            isPlaceShared: { false },
            remember: { record in
                // The first node says when this run was connected.
                if case .epoch = record { return }
                remember(record)
            },
            send: { event in
                send(.node(node, event))
                if let alert = alerts.withLock({ $0.observe(event, of: node) }) { send(alert) }
            }
        )
        return Link(client: client, bridge: bridge)
    }

    private static func configuration(of node: String, _ plan: NodePlan, _ parts: Parts)
        -> BridgeConfiguration
    {
        var configuration = plan.bridge(of: node)
        (configuration.flareURL, configuration.discovery) = (parts.flareURL(), parts.discovery())
        return configuration
    }

    private static func services(_ link: Link, _ parts: Parts) -> [any Service] {
        let (client, bridge) = (link.client, link.bridge)
        return [
            DaemonService(name: "mqtt of a device") {
                await parts.mayConnect()
                if Task.isShuttingDownGracefully { return }
                // So that commands are received from the moment at which `status` is online.
                await bridge.subscribe()
                await withGracefulShutdownHandler {
                    await client.run()
                } onGracefulShutdown: {
                    // A task, because this handler must not wait for the broker; run() returns after it.
                    Task {
                        await bridge.end()
                        await client.stop(last: await bridge.farewell)
                    }
                }
            }
        ]
    }

    /// Repeats what is due on all nodes, so that a device at rest wakes nobody up by itself; and without nodes nothing does.
    func run() async {
        for await _ in arrivals {
            var ticks = 0
            while !links.withLock({ $0.isEmpty }), (try? await Task.sleep(for: Self.interval)) != nil {
                ticks += 1
                let isHealthDue = ticks.isMultiple(of: Self.ticksToHealth)
                // In one job of the loop, so that the threads change once and not once a node.
                let present = all
                parts.loop.perform {
                    for (_, link) in present { link.bridge.onExecutor { $0.tick(isHealthDue: isHealthDue) } }
                }
            }
        }
    }

    private static let interval = Duration.seconds(10)
    private static let ticksToHealth = 6

    /// Sets the address at which the Flare server answers.
    func setFlareURL(_ url: String) async {
        for (_, link) in all { await link.bridge.setFlareURL(url) }
    }

    /// Says farewell on all of them, at once.
    func close() async { await withAll { await $0.close() } }

    /// Clears everything that the broker retains of them.
    func leave() async { await withAll { await $0.leave() } }

    private func withAll(_ work: @escaping @Sendable (MQTTBridge) async -> Void) async {
        await withDiscardingTaskGroup { tasks in
            for (_, link) in all { tasks.addTask { await work(link.bridge) } }
        }
    }

    // MARK: Another configuration

    /// Adds the nodes that the plan has and that are not there yet; before the controller adds them.
    func add(_ plan: NodePlan) async {
        for device in plan.devices.devices where bridge(of: device.node) == nil {
            await parts.first.release(device.node)
            let announced = memories.withLock { parts.announced.merging($0) { $1 } }
            let link = Self.link(device.node, plan, parts, announced, alerts)
            links.withLock { $0[device.node] = link }
            arrival.yield()
            await connections.replace(device.node, with: Self.services(link, parts))
        }
    }

    /// Clears and removes the nodes that the plan does not have; after the controller has removed them.
    func remove(_ plan: NodePlan) async {
        let gone = all.filter { plan.devices[node: $0.node] == nil }
        guard !gone.isEmpty else { return }
        let (connections, remember, first) = (connections, parts.remember, parts.first)
        await withDiscardingTaskGroup { [memories] tasks in
            for (node, link) in gone {
                tasks.addTask {
                    let isCleared = await link.bridge.leave()
                    let memory = await link.bridge.discoveryMemories
                    memories.withLock { $0.merge(memory) { $1 } }
                    await first.adopt(memory, isCleared: isCleared)
                    await connections.replace(node, with: [])
                    // What could not be cleared, the first node of a later run clears.
                    if isCleared { remember(.root(link.bridge.root, isUsed: false)) }
                }
            }
        }
        links.withLock { links in for (node, _) in gone { links[node] = nil } }
        for (node, _) in gone {
            if let alert = alerts.withLock({ $0.remove(node) }) { parts.send(alert) }
        }
    }

    /// Lets the nodes that stay use another configuration.
    ///
    /// - Parameter snapshot: The state of a node, with everything as changed.
    func use(_ plan: NodePlan, _ snapshot: (String) -> StateSnapshot?) {
        for (node, link) in all {
            guard let state = snapshot(node) else { continue }
            let configuration = Self.configuration(of: node, plan, parts)
            link.bridge.onExecutor { $0.use(configuration, state) }
        }
    }

    /// Connects all of them with another configuration of the link.
    func reconnect(_ plan: NodePlan, isElsewhere: Bool) async {
        let installation = parts.installation
        await withDiscardingTaskGroup { tasks in
            for (node, link) in all {
                let configuration = plan.link(installation: installation, of: node)
                tasks.addTask { await link.bridge.reconnect(configuration, isElsewhere: isElsewhere) }
            }
        }
    }
}
