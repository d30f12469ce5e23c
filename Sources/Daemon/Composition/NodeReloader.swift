import Accounts
import Administration
import Bridge
import Controller
import Logging
import Receivers
import Sensors
import ServiceLifecycle
import Settings
import Threading

/// Runs the parts of a node, and exchanges those that another configuration changes.
actor NodeReloader {
    private let runtime: NodeRuntime
    private let bridge: MQTTBridge
    private let devices: DeviceNodes
    private let positions: DevicePositions
    private let flare: FlareBackend
    private let administration: AccountsAPI
    private let context: CapabilityContext
    private let parts: NodeParts
    /// With the configuration in use.
    private var plan: NodePlan
    /// Whether somebody changes the node, and who waits for that.
    private var isChanging = false
    private var waiting: [CheckedContinuation<Void, Never>] = []
    let inputs = SensorInputs()
    /// The capabilities' services that start before the controller, and those that start after it.
    let early: ReplaceableServices
    let late: ReplaceableServices

    init(
        _ runtime: NodeRuntime,
        _ bridge: MQTTBridge,
        _ devices: DeviceNodes,
        _ positions: DevicePositions,
        _ flare: FlareBackend,
        _ administration: AccountsAPI,
        _ context: CapabilityContext,
        _ parts: NodeParts,
        _ plan: NodePlan,
        recordings: [SensorSource]
    ) {
        (self.runtime, self.bridge, self.flare) = (runtime, bridge, flare)
        (self.devices, self.positions) = (devices, positions)
        (self.administration, self.context, self.parts) = (administration, context, parts)
        self.plan = plan
        early = ReplaceableServices("capabilities", parts.services(\.services), logger: context.logger)
        let sensing = NodeSensing(plan, parts.all, recordings, context, inputs)
        late = ReplaceableServices(
            "sensors and pages",
            [(NodeSensing.name, sensing.services)]
                + parts.services { $0.service.map { [$0(runtime, bridge)] } ?? [] },
            logger: context.logger
        )
    }

    /// The configuration in use.
    var configuration: TrilateralConfiguration { plan.configuration }

    /// Decides what a configuration that was read again changes, and changes it.
    func reload(_ loaded: LoadedConfiguration) async -> TrilateralDaemon.Reload {
        await begin()
        defer { end() }
        var daemon = plan.daemon
        (daemon.configuration, daemon.files) = (loaded.values, loaded.files)
        var new = NodePlan(daemon, after: plan)
        do throws(DeviceListError) {
            new = new.with(try context.devices.list(file: loaded.values.devices, first: new.name))
        } catch {
            return .refused("devices: \(error)")
        }
        guard let changes = NodeChanges(from: plan, to: new, hasFailedSource: inputs.hasFailed) else {
            return .rebuild
        }
        let isSame =
            configuration == daemon.configuration && changes.names.isEmpty && plan.devices == new.devices
        if !isSame {
            do {
                try await apply(changes, new)
            } catch {
                return .refused("\(error)")
            }
        }
        let last = plan
        plan = new
        daemon.secrets.use(loaded.values, new.capabilities)
        do throws(DeviceListError) {
            // A verb may have changed the list meanwhile: that is followed next.
            try context.devices.use(file: loaded.values.devices, first: new.name)
        } catch {
            context.logger.error("devices: \(error)")
        }
        // Before the next log line: its level or form may have changed.
        daemon.onApplied(loaded)
        let names = changes.names.joined(separator: ", ")
        context.logger.notice(
            isSame
                ? "configuration read again; nothing has changed"
                : "configuration read again; \(names.isEmpty ? "using it" : "restarted: \(names)")"
        )
        // Answers the command that asked for it.
        runtime.send(.configurationApplied(new.rules))
        runtime.send(.alert("devices", .warning, new.devices.problem))
        if last.devices != new.devices { await removeNodes(new) }
        return .applied
    }

    /// Follows a list of devices that a verb or the page has changed: only the nodes that were added or removed notice.
    func follow(_ change: DeviceRegistry.Change) async {
        await begin()
        defer { end() }
        let new = plan.with(context.devices.list)
        // A reload follows the list by itself.
        guard new.devices != plan.devices || !change.leavingPlace.isEmpty || !change.removed.isEmpty else {
            return
        }
        plan = new
        context.accounts.use(new.configuration.accounts(devices: new.devices))
        positions.forget(change.removed)
        positions.use(DevicePositions.Settings(new))
        context.watchReceivers(for: new.devices)
        await devices.add(new)
        runtime.send(
            .nodesListed(
                new.devices.listed,
                leavingPlace: change.leavingPlace,
                removed: change.removed
            )
        )
        runtime.send(.alert("devices", .warning, new.devices.problem))
        await removeNodes(new)
    }

    private func removeNodes(_ plan: NodePlan) async {
        await runtime.settled()
        await devices.remove(plan)
    }

    /// Waits until nobody else changes the node: each change awaits what it starts.
    private func begin() async {
        while isChanging { await withCheckedContinuation { waiting.append($0) } }
        isChanging = true
    }

    private func end() {
        isChanging = false
        let next = waiting
        waiting = []
        for change in next { change.resume() }
    }

    /// Builds what the changes concern again, starts it in place of what was there, and hands everybody else the
    /// configuration.
    ///
    /// - Throws: If a part cannot be built; nothing has changed then.
    private func apply(_ changes: NodeChanges, _ plan: NodePlan) async throws {
        let configuration = plan.configuration
        let concerned = plan.capabilities.filter { changes.capabilities.contains($0.name) }
        var context = context
        let recordings = changes.concernsSensors ? try plan.daemon.recordings(configuration) : []
        if changes.concernsSensors { context.isReplaying = !recordings.isEmpty }
        context.configuration = configuration
        context.switchedOff = Set(await runtime.state.sensors.filter { !$0.value }.keys)
        let built = try concerned.map { ($0.name, try $0.build(context)) }
        let link = plan.link(installation: try context.store.installationID())

        context.accounts.use(configuration.accounts(devices: plan.devices))
        administration.use(configuration.administration(epoch: context.epoch))
        await flare.use(configuration, context.accounts, clock: context.clock)

        if changes.concernsBroker {
            async let others: Void = devices.reconnect(plan, isElsewhere: changes.isElsewhere)
            await bridge.reconnect(link, isElsewhere: changes.isElsewhere)
            await others
        }
        if changes.concernsSensors { await late.replace(NodeSensing.name, with: []) }
        for capability in concerned.reversed() {
            await late.replace(capability.name, with: [])
            await early.replace(capability.name, with: [])
        }
        for alert in concerned.flatMap(\.alerts) { runtime.send(.alertCleared(alert)) }
        if changes.concernsSensors { runtime.send(.alertCleared("sensors")) }

        let old = concerned.compactMap { parts[$0.name] }
        for (name, new) in built { parts[name] = new }
        let new = built.compactMap(\.1)
        await follow(old, new, plan)
        positions.use(DevicePositions.Settings(plan))
        context.watchReceivers(for: plan.devices)
        await devices.add(plan)
        for (name, part) in built { await early.replace(name, with: part?.services ?? []) }
        if changes.concernsSensors {
            let sensing = NodeSensing(plan, parts.all, recordings, context, inputs)
            await late.replace(NodeSensing.name, with: sensing.services)
        }
        for (name, part) in built {
            await late.replace(name, with: part?.service.map { [$0(runtime, bridge)] } ?? [])
        }
    }

    /// Lets the node and its bridge use the new parts, in one turn of the loop.
    private func follow(_ old: [CapabilityParts], _ new: [CapabilityParts], _ plan: NodePlan) async {
        let topics = Set(old.flatMap(\.topics)).subtracting(new.flatMap(\.topics))
        let links = (old: Set(old.flatMap(\.links)), new: Set(new.flatMap(\.links)))
        await withCheckedContinuation { done in
            context.loop.perform { [runtime, bridge, devices, parts] in
                let snapshot = runtime.onExecutor {
                    $0.use(parts.policies, showing: new.compactMap(\.observer))
                }
                bridge.onExecutor {
                    if $0.isConnected { for part in new { part.brokerLinkChanged?(true) } }
                    $0.use(
                        plan.bridge.with(parts),
                        renderers: parts.all.flatMap(\.renderers),
                        clearing: topics.sorted(),
                        snapshot
                    )
                }
                devices.use(plan) { node in runtime.onExecutor { $0.snapshot(of: node) } }
                done.resume()
            }
        }
        for link in links.old.subtracting(links.new) {
            await bridge.setLink(link, isUp: nil)
            runtime.send(.linkChanged(link, isUp: nil))
        }
        for link in links.new.subtracting(links.old) { await bridge.setLink(link, isUp: false) }
    }
}
