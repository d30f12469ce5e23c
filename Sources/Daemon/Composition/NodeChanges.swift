import Bridge
import Controller
import HomeAssistant
import MQTT
import Settings

/// What another configuration changes in a node that runs.
package struct NodeChanges: Sendable, Equatable {
    /// The names of the capabilities to build again.
    var capabilities: Set<String> = []
    /// Whether the sensors and their pipeline start again.
    var concernsSensors = false
    /// Whether there is another connection to the broker.
    var concernsBroker = false
    /// Whether that is another broker.
    var isElsewhere = false

    /// - Parameter hasFailedSource: Whether a source of readings has ended with an error: a reload starts it again.
    /// - Returns: `nil` if the node, and what is around it, must be built again.
    package init?(from old: NodePlan, to new: NodePlan, hasFailedSource: Bool) {
        let schema = ConfigurationSchema(old.capabilities)
        guard old.name == new.name, schema.fixed(of: old.configuration) == schema.fixed(of: new.configuration)
        else { return nil }
        let (was, now) = (old.daemon.files, new.daemon.files)
        let files = Set(was.keys).union(now.keys).filter { was[$0] != now[$0] }
        var known = Self.filesInValues.union(Self.recordings).union(Self.certificates)
        for capability in old.capabilities {
            let keys = Set(capability.settings.keys.map(\.path)).union(capability.files)
            known.formUnion(keys)
            if !keys.isDisjoint(with: files.subtracting(Self.filesInValues))
                || capability.inputs(old.configuration) != capability.inputs(new.configuration)
            {
                capabilities.insert(capability.name)
            }
        }
        guard files.isSubset(of: known) else { return nil }
        concernsSensors =
            hasFailedSource || old.configuration.sensing != new.configuration.sensing
            || !files.isDisjoint(with: Self.recordings) || !capabilities.isDisjoint(with: Self.sensors)
        if concernsSensors { capabilities.formUnion(Self.sensors) }
        let brokers = (old: old.configuration.mqtt, new: new.configuration.mqtt)
        isElsewhere = brokers.old.address != brokers.new.address
        concernsBroker =
            brokers.old != brokers.new || old.configuration.passwordFile != new.configuration.passwordFile
            || !files.isDisjoint(with: Self.certificates)
    }

    /// What starts again, for the log.
    package var names: [String] {
        capabilities.sorted() + (concernsSensors ? ["sensors"] : [])
            + (concernsBroker ? ["the link to the broker"] : [])
    }

    /// Those that provide readings, and so start again together with the pipeline.
    private static let sensors: Set<String> = Set(
        [Capability.bluetooth, .brokerReadings, .localSensors].map(\.name)
    )

    private static let recordings: Set<String> = ["sensors.replay.file"]
    private static let certificates: Set<String> = [
        "mqtt.tls.ca_file", "mqtt.tls.certificate_file", "mqtt.tls.key_file",
    ]

    /// What is in these files is read together with the configuration, and is part of its values.
    private static let filesInValues: Set<String> = [
        "profiles.files", "mqtt.password_file", "flare.remote.token_file",
    ]
}

extension TrilateralConfiguration {
    /// What the sensor pipeline reads, apart from the sections of capabilities.
    fileprivate var sensing: [AnyHashable] {
        [positioning, sensors.replayFile, sensors.replaySpeed, sensors.replayLoop]
    }
}

extension BridgeConfiguration {
    /// Adds what the capabilities provide.
    func with(_ parts: NodeParts) -> BridgeConfiguration {
        var result = self
        result.discovery = parts.discovery ?? .off
        result.features = ["mqtt"] + features + parts.features
        result.links = parts.links
        return result
    }
}
