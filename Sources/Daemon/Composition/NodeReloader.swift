import Bridge
import Controller
import ServiceLifecycle
import Threading

/// Exchanges parts of a node that runs, when its configuration has changed.
struct NodeReloader: Sendable {
    let runtime: NodeRuntime
    let bridge: MQTTBridge
    let store: StateStore
    let context: CapabilityContext
    let parts: NodeParts
    let inputs: SensorInputs
    /// The capabilities' services that start before the controller, and those that start after it.
    let early: ReplaceableServices
    let late: ReplaceableServices

    /// Whether a source of readings has ended with an error.
    var hasFailedSource: Bool { inputs.hasFailed }

    /// Follows the rules of another configuration from now on, and answers whoever asked for it.
    func use(_ plan: NodePlan) { runtime.send(.configurationApplied(plan.controller)) }

    /// Builds what the changes concern again, and starts it in place of what was there.
    ///
    /// - Throws: If a part cannot be built; nothing has changed then.
    func apply(_ changes: NodeChanges, _ plan: NodePlan) async throws {
        guard !changes.isEmpty else { return }
        let concerned = plan.capabilities.filter { changes.capabilities.contains($0.name) }
        var context = context
        context.configuration = plan.configuration
        context.switchedOff = Set(await runtime.state.sensors.filter { !$0.value }.keys)
        let built = try concerned.map { ($0.name, try $0.build(context)) }

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
        for (name, part) in built { await early.replace(name, with: part?.services ?? []) }
        if changes.concernsSensors {
            let sensing = NodeSensing(
                plan,
                parts.all,
                inputs: inputs,
                store: store,
                send: runtime.send,
                logger: context.logger
            )
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
            context.loop.perform {
                let snapshot = runtime.assumeIsolated {
                    $0.use(parts.policies, showing: new.compactMap(\.observer))
                }
                bridge.assumeIsolated {
                    if $0.isConnected { for part in new { part.brokerLinkChanged?(true) } }
                    $0.use(
                        plan.bridge.with(parts),
                        renderers: parts.all.flatMap(\.renderers),
                        clearing: topics.sorted(),
                        snapshot
                    )
                }
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
