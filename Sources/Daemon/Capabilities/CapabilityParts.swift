package import Bridge
package import Controller
package import Sensors
package import ServiceLifecycle

/// What a capability brings to its node.
///
/// All of it is optional.
package struct CapabilityParts: Sendable {
    /// Names in the node's `info`.
    package var features: [String] = []
    /// What runs as long as the node does.
    package var services: [any Service] = []
    /// Where readings come from.
    package var sources: [SensorSource] = []
    /// The address of the adapter that hears beacons, by which its error is known again.
    package var adapterAddress: (@Sendable () -> String?)?
    /// Called when a sensor is switched, so that it need not work for nobody.
    package var sensorSwitched: (@Sendable (SensorKind, Bool) -> Void)?
    /// Figures for the health message.
    package var counters: @Sendable () -> [String: Int] = { [:] }
    /// What follows the state, in the turn.
    package var observer: StateObserver?
    /// Renders retained topics of its own.
    package var renderer: (any TopicRenderer)?
    /// What has a say in every change that somebody asks for.
    package var policy: (any CommandPolicy)?
    /// Called on the loop when the link to the broker comes and goes.
    package var brokerLinkChanged: (@Sendable (Bool) -> Void)?
    /// Receives the answers to the commands of one speaker, on the loop.
    package var answers: (speaker: Command.Speaker, receive: @Sendable (Answer) -> Void)?

    package init() {}
}
