import Bridge
import Controller
import HomeAssistant
import Settings

/// What another configuration changes in a node that runs.
struct NodeChanges: Sendable {
    /// The names of the capabilities to build again.
    var capabilities: Set<String> = []
    /// Whether the sensors and their pipeline start again.
    var concernsSensors = false

    /// - Parameter hasFailedSource: Whether a source of readings has ended with an error: a reload starts it again.
    /// - Returns: `nil` if the node, and what is around it, must be built again.
    init?(from old: NodePlan, to new: NodePlan, hasFailedSource: Bool) {
        guard old.name == new.name, old.bridge.withoutParts == new.bridge.withoutParts,
            old.configuration.fixed == new.configuration.fixed,
            old.configuration.steadiness == new.configuration.steadiness,
            old.configuration.switchedOff(old.capabilities) == new.configuration.switchedOff(new.capabilities)
        else { return nil }
        let files = Set(old.files.keys).union(new.files.keys).filter { old.files[$0] != new.files[$0] }
        var known: Set<String> = []
        for capability in old.capabilities {
            let keys = Set(capability.settings.keys.map(\.path))
            known.formUnion(keys)
            if !keys.isDisjoint(with: files)
                || capability.inputs(old.configuration) != capability.inputs(new.configuration)
            {
                capabilities.insert(capability.name)
            }
        }
        guard files.isSubset(of: known), capabilities.isDisjoint(with: Self.fixed) else { return nil }
        concernsSensors =
            hasFailedSource || old.configuration.sensing != new.configuration.sensing
            || !capabilities.isDisjoint(with: Self.sensors)
        guard concernsSensors else { return }
        // A recording cannot be played again from where it is.
        guard old.recordings.isEmpty, new.recordings.isEmpty else { return nil }
        capabilities.formUnion(Self.sensors)
    }

    var isEmpty: Bool { capabilities.isEmpty && !concernsSensors }

    /// Those that provide readings, and so start again together with the pipeline.
    private static let sensors: Set<String> = Set(
        [Capability.bluetooth, .brokerReadings, .localSensors].map(\.name)
    )

    /// Those whose parts are not only theirs.
    private static let fixed: Set<String> = Set(
        [Capability.people, .discovery, .lamps, .setup].map(\.name)
    )
}

extension TrilateralConfiguration {
    /// What a running node cannot exchange: everything apart from the sections whose readers are known here.
    fileprivate var fixed: TrilateralConfiguration {
        var result = self
        let defaults = TrilateralConfiguration()
        // The log, the controller's rules, and the sensor pipeline.
        (result.log, result.controller, result.lifecycle) = (
            defaults.log, defaults.controller, defaults.lifecycle
        )
        // The embedded server may use it too: see `steadiness`.
        result.presence = defaults.presence
        (result.device.name, result.device.allowSet) = (defaults.device.name, defaults.device.allowSet)
        (result.positioning, result.sensors.cmxEnabled) = (defaults.positioning, defaults.sensors.cmxEnabled)
        // Capabilities.
        (result.map, result.frames, result.control) = (defaults.map, defaults.frames, defaults.control)
        (result.station, result.resolver) = (defaults.station, defaults.resolver)
        (result.beacons, result.espresense) = (defaults.beacons, defaults.espresense)
        (result.compass, result.gps) = (defaults.compass, defaults.gps)
        result.web = defaults.web
        // Links in email messages begin with it.
        result.web.publicURL = web.publicURL
        return result
    }

    /// What the sensor pipeline reads, apart from the sections of capabilities.
    fileprivate var sensing: [AnyHashable] { [positioning] }
}

extension BridgeConfiguration {
    /// What a running bridge cannot exchange.
    fileprivate var withoutParts: BridgeConfiguration {
        var result = self
        (result.hasMap, result.hasStation) = (false, false)
        return result
    }

    /// Adds what the capabilities provide.
    func with(_ parts: NodeParts) -> BridgeConfiguration {
        var result = self
        result.discovery = parts.discovery ?? .off
        result.features = ["mqtt"] + features + parts.features
        result.links = parts.links
        return result
    }
}
