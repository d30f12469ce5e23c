package import Bridge
package import Controller
package import Flare
package import HTTPListener
package import HomeAssistant
package import Positioning
package import Sensors
package import ServiceLifecycle
package import Web

/// What a capability adds to its node; all of it is optional.
package struct CapabilityParts: Sendable {
    /// Names in `features` of the node's `info`: what runs.
    package var features: [String] = []
    /// Links that are there as long as the node, by name.
    package var links: [String] = []
    /// Services that run as long as the node.
    package var services: [any Service] = []
    /// Sources of sensor readings.
    package var sources: [SensorSource] = []
    /// The address of the adapter that scans, under which its offset is stored.
    package var adapterAddress: (@Sendable () -> String?)?
    /// Called with each packet of a beacon, whether or not it is of the place, while the sensor is on.
    package var beaconHeard: (@Sendable (BeaconSighting) -> Void)?
    /// Called when a sensor is switched on or off.
    package var sensorSwitched: (@Sendable (SensorKind, Bool) -> Void)?
    /// Called when positions by this machine's Bluetooth adapter begin, and when they end.
    package var positionsTracked: (@Sendable (Bool) -> Void)?
    /// Counters for the health message.
    package var counters: @Sendable () -> [String: Int] = { [:] }
    /// When the last backup was finished, seconds since 1970; `nil` if there was none.
    package var lastBackup: (@Sendable () -> Int?)?
    /// Called in the turn with changes of the state.
    package var observer: StateObserver?
    /// Render retained topics of its own.
    package var renderers: [any TopicRenderer] = []
    /// Retained topics that end with the capability.
    package var topics: [String] = []
    /// What the web listener answers beside its own paths.
    package var routes: [WebRoute] = []
    /// Answer requests of verbs at `admin.sock`, each with a path of its own below `/api/`.
    package var localAnswers: [LocalAnswer] = []
    /// How the node is announced to Home Assistant; without it, it is not.
    package var discovery: DiscoverySettings?
    /// Allows or refuses requested changes.
    package var policy: (any CommandPolicy)?
    /// Called on the loop when the connection to the broker is made or lost.
    package var brokerLinkChanged: (@Sendable (Bool) -> Void)?
    /// Called with the events of the Flare server; what a reload adds gets none.
    package var receivedFromFlare: (@Sendable (FlareEvent) -> Void)?
    /// Sends orders to things at the edge; called on the loop, within the turn.
    package var edge: (@Sendable (EdgeOrder) -> Void)?
    /// Receives the answers to one actor's commands, on the loop.
    package var answers: (actor: Command.Actor, receive: @Sendable (Answer) -> Void)?
    /// Builds a service that needs the finished node; it starts after the node's other services and stops before them.
    package var service: (@Sendable (NodeRuntime, MQTTBridge) -> any Service)?

    package init() {}
}
