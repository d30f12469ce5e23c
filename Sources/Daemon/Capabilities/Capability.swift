package import Controller
package import Logging
package import MQTT
package import Messages
package import Sensing
package import Settings
package import Threading

/// One thing that a user can name and switch: bluetooth, compass, lamps, discovery, map.
///
/// ``all`` is the list that the daemon is built from. A new capability is a file in this folder and a line of that
/// list.
package struct Capability: Sendable {
    package let name: String
    /// What the daemon's user on the broker must be allowed beyond the topics of its own node.
    package let access: @Sendable (TrilateralConfiguration) -> [AccessList.Grant]
    /// Builds what the capability brings; `nil` while it is switched off.
    package let build: @Sendable (CapabilityContext) throws -> CapabilityParts?

    package init(
        name: String,
        access: @escaping @Sendable (TrilateralConfiguration) -> [AccessList.Grant] = { _ in [] },
        build: @escaping @Sendable (CapabilityContext) throws -> CapabilityParts?
    ) {
        (self.name, self.access, self.build) = (name, access, build)
    }

    /// In the order in which they are built, and in which their services start.
    package static let all: [Capability] = [
        .control, .brokerReadings, .bluetooth, .localSensors, .lamps, .map, .discovery,
    ]
}

/// What a capability is built from: the node that it belongs to.
package struct CapabilityContext: Sendable {
    package let configuration: TrilateralConfiguration
    /// The topics of the node.
    package let topics: Topics
    package let loop: LoopExecutor
    package let client: MQTTClient
    package let store: StateStore
    /// Whether recordings play instead of this machine's sensors.
    package let isReplaying: Bool
    /// The sensors that were switched off, by the configuration or at run time.
    package let switchedOff: Set<SensorKind>
    package let clock: @Sendable () -> Instant
    package let send: @Sendable (ControllerEvent) -> Void
    /// Where sensors report the state of their links.
    package let links: SensorLinkReport
    package let logger: Logger
}
