package import Bridge
package import Controller
package import Sensors
package import Settings

/// What a node is built from: a device, its topics and its sensors.
package struct NodePlan: Sendable {
    /// The level of its topics, `[a-z0-9-]`.
    package var name: String
    package var configuration: TrilateralConfiguration
    package var host: HostInfo
    package var controller: ControllerConfiguration
    package var bridge: BridgeConfiguration
    /// Recordings in the place of this machine's sensors.
    package var recordings: [SensorSource]
    /// What it can do.
    package var capabilities = Capability.all
    /// Further figures for the health message.
    package var counters: @Sendable () -> [String: Int] = { [:] }

    /// The one node of a daemon.
    package init(_ plan: DaemonPlan) {
        configuration = plan.configuration
        host = plan.traits
        name = NodeAddress(configuration.mqtt, plan.traits).node
        controller = ControllerConfiguration(plan)
        bridge = BridgeConfiguration(configuration, node: name)
        recordings = plan.recordings
        counters = { ["log_lines_dropped": plan.droppedLogLines()] }
    }
}
