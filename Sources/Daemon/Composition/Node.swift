import Accounts
import Administration
package import Bridge
package import Controller
import Flare
import FlareServer
import Foundation
import HomeAssistant
import JSON
package import Logging
package import MQTT
import Messages
import People
import Profiles
import Sensing
import Sensors
package import ServiceLifecycle
import Settings
import Things
package import Threading

/// One device in a place: its controller, its topics on the broker, its sensors and its capabilities.
///
/// Several nodes may share a loop and an embedded server.
package struct Node: Sendable {
    package let runtime: NodeRuntime
    package let bridge: MQTTBridge
    package let client: MQTTClient
    package let writer: StateWriter
    /// In the order in which they start.
    package let services: [any Service]
    let reloader: NodeReloader
    /// The nodes of further devices.
    let devices: DeviceNodes

    /// Builds a node.
    ///
    /// - Parameters:
    ///   - store: The node's persistent state.
    ///   - flare: The server that stores its place.
    ///   - onStorageFault: Called when something cannot be stored.
    ///   - mayConnect: Returns when the node may connect to the broker.
    ///   - shell: Called with requests that only the shell can perform.
    /// - Throws: `StateStoreError`, or a ``ResourceError`` of a sensor.
    package static func build(
        _ given: NodePlan,
        on loop: LoopExecutor,
        store: StateStore,
        flare: FlareBackend,
        clock: @escaping @Sendable () -> Instant,
        onStorageFault: @escaping @Sendable (StateStoreError) -> Void,
        mayConnect: @escaping @Sendable () async -> Void = {},
        shell: @escaping @Sendable (ShellRequest) -> Void,
        logger: Logger
    ) throws -> Node {
        let registry = try DeviceRegistry(given, store, logger: logger)
        // From before it is read: nothing that changes later is missed.
        let changes = registry.changes()
        let plan = given.with(registry.list)
        let configuration = plan.configuration
        let started = clock()
        let epoch = epochText(started)
        let installation = try store.installationID()
        var controller = DeviceController(
            epoch: epoch,
            configuration: plan.rules,
            memory: try store.memory()
        )
        controller.advise = { [profiles = configuration.profiles.library.profiles.map(\.name)] model in
            ModelAdvice(on: model, profiles: profiles).warnings.map {
                PlaceAdvice.Finding(place: $0.place, message: $0.message)
            }
        }
        let runtime = NodeRuntime(
            on: loop,
            controller: controller,
            clock: clock,
            program: ProgramInfo(started: started)
        )
        let writer = StateWriter(on: loop, store, onFault: onStorageFault)
        let client = MQTTClient(
            plan.link(installation: installation),
            logger: logger,
            aroundRead: loop.lend
        )
        let accounts = try store.withAccounts { accounts in
            try accounts.prepare(owner: configuration.people.owner, at: started.wallMilliseconds)
            return try AccountsRegistry(
                accounts,
                configuration.accounts(devices: plan.devices),
                clock: { clock().wallMilliseconds },
                mask: { [secrets = plan.daemon.secrets] in secrets.mask },
                changed: { [weak runtime] in runtime?.send(.peopleChanged($0)) }
            )
        }
        let (topics, formerEpoch) = (Topics(root: plan.bridge.root), try store.epoch())
        let outbox = Outbox(
            topics,
            publish: { client.publishWithReceipt($0, needsReader: true) },
            report: { [weak runtime] problem in runtime?.send(.alert("outbox", .warning, problem)) },
            logger: logger
        )
        let administration = AccountsAPI(
            accounts,
            configuration.administration(epoch: epoch),
            place: AccountsPlace(runtime, flare, registry),
            steady: { clock().steadyMilliseconds },
            send: { outbox.send($0.json.object ?? [:], by: .email, as: "an email message") }
        )
        let (links, linkPort) = AsyncStream.makeStream(of: (name: String, isUp: Bool?).self)
        let recordings = try plan.daemon.recordings(configuration)
        let commands = CommandTable(plan.capabilities)
        let parts = NodeParts()
        let kept = KeptServices()
        let databases = OpenDatabases(folder: URL(filePath: store.path).deletingLastPathComponent())
        flare.add(to: databases)
        let context = CapabilityContext(
            configuration: configuration,
            epoch: epoch,
            topics: topics,
            commands: commands,
            routes: { [weak parts] in parts?.routes ?? [] },
            loop: loop,
            client: client,
            outbox: outbox,
            store: store,
            databases: databases,
            kept: kept,
            accounts: accounts,
            administration: administration,
            localAnswers: { [weak parts, models = flare.models] in
                (models.map { [$0.answer] } ?? []) + (parts?.localAnswers ?? [])
            },
            isReplaying: !recordings.isEmpty,
            switchedOff: Set(controller.state.sensors.filter { !$0.value }.keys),
            clock: clock,
            clocks: plan.clocks,
            packets: plan.daemon.packets,
            receivers: ReceiverMessages(),
            receiverErrors: LearntReceiverErrors(memory: store, logger: logger),
            send: runtime.send,
            remember: { record in loop.perform { writer.onExecutor { $0.add(record) } } },
            isStored: { !writer.hasUnsaved },
            state: { runtime.onExecutor { $0.state } },
            allows: { request in runtime.onExecutor { $0.allows(request) } },
            service: plan.daemon.service,
            onListening: { [daemon = plan.daemon] port in
                daemon.service.opened("web")
                await daemon.onWebBound(port)
            },
            sockets: plan.daemon.sockets,
            devices: registry,
            links: SensorLinkReport(send: runtime.send) { linkPort.yield((name: $0, isUp: $1)) },
            logger: logger
        )
        context.watchReceivers(for: plan.devices)
        parts.use(try plan.capabilities.map { ($0.name, try $0.build(context)) })

        let announced = try store.announced()
        var bridgeConfiguration = plan.bridge.with(parts)
        bridgeConfiguration.flareURL = flare.url
        let bridge = MQTTBridge(
            on: loop,
            configuration: bridgeConfiguration,
            commands: commands,
            identity: BridgeIdentity(
                epoch: epoch,
                started: started,
                formerRoots: try store.roots().filter { root in !plan.deviceRoots.contains(root) },
                formerEpoch: formerEpoch,
                installation: installation,
                announced: announced.filter { !plan.announcesOnDevice($0.key) }
            ),
            client: client,
            renderers: parts.all.flatMap(\.renderers),
            identify: accounts.identify,
            logger: logger,
            clock: clock,
            seconds: plan.clocks.steady,
            counters: {
                let own = ["log_lines_dropped": plan.daemon.droppedLogLines()]
                return parts.all.reduce(into: own.merging(flare.counters) { $1 }) {
                    $0.merge($1.counters()) { _, new in new }
                }
            },
            measure: { [weak runtime] in
                NodeMeasurements(store: store, folder: plan.daemon.folder).now(
                    of: runtime,
                    at: clock(),
                    lastBackup: { parts.all.compactMap { $0.lastBackup?() }.max() }
                )
            },
            isPlaceShared: { flare.isShared },
            remember: { record in writer.onExecutor { $0.add(record) } },
            send: { event in
                if case .brokerLinkChanged(let isUp) = event {
                    for part in parts.all { part.brokerLinkChanged?(isUp) }
                }
                runtime.send(event)
            }
        )
        let devices = DeviceNodes(
            plan,
            DeviceNodes.Parts(
                loop: loop,
                epoch: epoch,
                started: started,
                installation: installation,
                formerEpoch: formerEpoch,
                announced: announced,
                first: bridge,
                commands: CommandTable(ofDevice: commands),
                identify: accounts.identify,
                clock: clock,
                seconds: plan.clocks.steady,
                remember: { record in loop.perform { writer.onExecutor { $0.add(record) } } },
                send: runtime.send,
                flareURL: { flare.url },
                discovery: { [weak parts] in parts?.discovery ?? .off },
                mayConnect: mayConnect,
                logger: logger
            )
        )
        let positions = DevicePositions(
            DevicePositions.Settings(plan),
            client: client,
            errors: context.receiverErrors,
            survey: context.survey.channel,
            receivers: context.receivers,
            clocks: plan.clocks,
            logger: logger,
            send: runtime.send
        )
        let reloader = NodeReloader(
            runtime,
            bridge,
            devices,
            positions,
            flare,
            administration,
            context,
            parts,
            plan,
            recordings: recordings
        )
        let receivers = parts.all.compactMap(\.receivedFromFlare)
        let connection = flare.connect { problem in
            runtime.send(.alert("flare-address", .error, problem))
        } _: { event in
            runtime.receive(event)
            for receive in receivers { receive(event) }
        }
        let ports = NodeRuntime.Ports(
            flare: connection.send,
            edge: { order in parts.edge?(order) },
            sensors: { input in
                reloader.inputs.send(input)
                if case .track(let place) = input { positions.track(place) }
            },
            remember: { record in writer.onExecutor { $0.add(record) } },
            store: {
                guard writer.hasUrgent else { return }
                // What rules remember must not be newer than what they saw: after a crash that would be news.
                flare.storeReadings()
                writer.onExecutor { _ = $0.flush() }
            },
            publish: { snapshot, output in
                bridge.onExecutor { bridge in
                    bridge.publish(snapshot, output, parts) {
                        for observer in parts.observers { observer.observe(snapshot) }
                        snapshot.logUnknownNames(context.logger)
                    }
                }
            },
            log: { record in
                guard record.isKept else { return }
                accounts.log(record.logEntry(epoch: epoch, in: accounts.table))
            },
            shell: shell,
            publishNode: { node, snapshot, output in
                guard let bridge = devices.bridge(of: node) else { return }
                bridge.onExecutor { $0.publish(snapshot, output, parts) }
            },
            switchNodeSensor: { node, sensor, on in positions.setSwitch(of: node, sensor, on: on) }
        )
        let policies = parts.policies
        loop.perform { runtime.onExecutor { $0.connect(ports, policies: policies) } }
        runtime.send(.peopleChanged(accounts.table))
        if let problem = plan.devices.problem { runtime.send(.alert("devices", .warning, problem)) }
        if !policies.isEmpty {
            flare.ask(accounts, configuration.flare, runtime, epoch: epoch, clock: clock)
        }
        for (sensor, isOn) in controller.state.sensors where !isOn {
            reloader.inputs.send(.switched(sensor, on: false))
        }
        let services: [any Service] =
            [
                DaemonService(name: "mqtt") {
                    await mayConnect()
                    if Task.isShuttingDownGracefully { return }
                    // So that commands are received from the moment at which `status` is online.
                    await bridge.subscribe()
                    await withGracefulShutdownHandler {
                        await client.run()
                    } onGracefulShutdown: {
                        // A task, because this handler must not wait for the broker; run() returns after it.
                        Task { await client.stop(last: await bridge.farewell) }
                    }
                },
                DaemonService.untilShutdown("bridge") { await bridge.run() },
                DaemonService.untilShutdown("links") {
                    for await link in links {
                        await bridge.setLink(link.name, isUp: link.isUp)
                        runtime.send(.linkChanged(link.name, isUp: link.isUp))
                    }
                },
            ] + kept.services + [
                devices.connections,
                DaemonService.untilShutdown("devices at rest") { await devices.run() },
                DaemonService.untilShutdown("positions of devices") { await positions.run() },
                DaemonService.untilShutdown("list of devices") {
                    for await change in changes { await reloader.follow(change) }
                },
                reloader.early,
                DaemonService(name: "flare") { await connection.run() },
                DaemonService(name: "controller") {
                    await cancelWhenGracefulShutdown { await kept.prepared() }
                    connection.open()
                    try? await gracefulShutdown()
                    plan.daemon.onEnd(await runtime.end())
                    connection.close()
                },
                reloader.late,
                DaemonService(name: "farewell") {
                    // Stops first: the others still run while the last commands arrive.
                    try? await gracefulShutdown()
                    async let others: Void = devices.close()
                    await bridge.close()
                    await others
                },
            ]
        return Node(
            runtime: runtime,
            bridge: bridge,
            client: client,
            writer: writer,
            services: services,
            reloader: reloader,
            devices: devices
        )
    }

    /// 16 hexadecimal digits: the time, so that epochs sort by time, and a random part.
    private static func epochText(_ now: Instant) -> String {
        let value = UInt64(clamping: now.wallMilliseconds) << 16 | UInt64(UInt16.random(in: .min ... .max))
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: max(0, 16 - digits.count)) + digits
    }
}

extension MQTTBridge {
    /// Publishes what a turn has led to.
    ///
    /// - Parameter show: Shows others the changes, if there are any.
    fileprivate func publish(
        _ snapshot: StateSnapshot,
        _ output: NodeRuntime.TurnOutput,
        _ parts: NodeParts,
        show: () -> Void = {}
    ) {
        if !snapshot.changes.isEmpty {
            publish(snapshot)
            show()
        }
        if output.announces { announceAll(snapshot.state) }
        if output.resendsState { resend(snapshot.state) }
        for event in output.events { publish(event) }
        for answer in output.answers {
            if let receive = parts.receiver(of: answer.actor) { receive(answer) } else { publish(answer) }
        }
    }
}
