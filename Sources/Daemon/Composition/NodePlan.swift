package import Bridge
package import Controller
import MQTT
import Messages
import Sensing
package import Sensors
package import Settings

/// The device, topics and sensors of a node.
package struct NodePlan: Sendable {
    /// The level of its topics, `[a-z0-9-]`.
    package var name: String
    /// The daemon that it is a node of.
    package var daemon: DaemonPlan
    package var controller: ControllerConfiguration
    package var bridge: BridgeConfiguration
    package var capabilities = Capability.all
    /// The clocks of the sensors and of the publishing intervals.
    package var clocks = SensorClocks.ofThisMachine

    /// The one node of a daemon.
    ///
    /// - Parameter last: The plan that it followed until now.
    package init(_ plan: DaemonPlan, after last: NodePlan? = nil) {
        daemon = plan
        let configuration = plan.configuration
        name = NodeAddress(configuration.mqtt, plan.traits).node
        controller = ControllerConfiguration(plan)
        // Another catalog would be another profile for every thing.
        if let last, last.configuration.profiles == configuration.profiles {
            controller.catalog = last.controller.catalog
        }
        bridge = BridgeConfiguration(configuration, node: name)
    }

    package var configuration: TrilateralConfiguration { daemon.configuration }

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
        rules.slices = Slices(capabilities.flatMap { $0.slices(configuration) }).resuming(daemon.former)
        return rules
    }
}
