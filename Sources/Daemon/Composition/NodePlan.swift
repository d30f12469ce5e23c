package import Bridge
package import Controller
import MQTT
import Messages
package import OperatingSystem
import Sensing
package import Sensors
package import Settings

/// The device, topics and sensors of a node.
package struct NodePlan: Sendable {
    /// The level of its topics, `[a-z0-9-]`.
    package var name: String
    package var configuration: TrilateralConfiguration
    package var host: HostInfo
    package var controller: ControllerConfiguration
    package var bridge: BridgeConfiguration
    /// Opens the recordings that replace this machine's sensors.
    package var recordings: @Sendable (TrilateralConfiguration) throws -> [SensorSource]
    package var capabilities = Capability.all
    /// The clocks of the sensors and of the publishing intervals.
    package var clocks = SensorClocks.ofThisMachine
    /// Called with the actual port when the web listener accepts connections.
    package var onListening: @Sendable (_ port: Int) async -> Void = { _ in }
    /// What is in the files that the configuration names, by key path.
    package var files: [String: [FileFingerprint]] = [:]
    /// The controller's slices as they were before a reload.
    var former = Slices()
    /// Receives the slices at the end.
    package var onEnd: @Sendable (Slices) -> Void = { _ in }
    /// The ports that the system chose before a reload.
    package var ports = ListenerPorts()
    /// What the command log must not show.
    package var secrets: KnownSecrets
    /// Additional counters for the health message.
    package var counters: @Sendable () -> [String: Int] = { [:] }

    /// The one node of a daemon.
    ///
    /// - Parameter last: The plan that it followed until now.
    package init(_ plan: DaemonPlan, after last: NodePlan? = nil) {
        configuration = plan.configuration
        host = plan.traits
        name = NodeAddress(configuration.mqtt, plan.traits).node
        controller = ControllerConfiguration(plan)
        // Another catalog would be another profile for every thing.
        if let last, last.configuration.profiles == configuration.profiles {
            controller.catalog = last.controller.catalog
        }
        bridge = BridgeConfiguration(configuration, node: name)
        recordings = plan.recordings
        (files, ports, secrets) = (plan.files, plan.ports, plan.secrets)
        (onListening, former, onEnd) = (plan.onWebBound, plan.former, plan.onEnd)
        counters = { ["log_lines_dropped": plan.droppedLogLines()] }
    }

    /// The connection to the broker.
    ///
    /// - Parameter installation: The id of this installation, so that the client ids of two installations differ.
    func link(installation: String) -> MQTTConfiguration {
        var link = MQTTConfiguration(configuration.mqtt, clientID: "trilateral-\(name)-\(installation)")
        let topics = Topics(root: bridge.root)
        (link.birth, link.will) = (topics.message(isOnline: true), topics.message(isOnline: false))
        return link
    }

    /// The settings of the controller, with the slices of the capabilities.
    var rules: ControllerConfiguration {
        var rules = controller
        rules.slices = Slices(capabilities.flatMap { $0.slices(configuration) }).resuming(former)
        return rules
    }
}
