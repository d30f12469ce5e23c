package import Flare

/// What a user may decide about the controller's rules.
package struct ControllerConfiguration: Sendable, Hashable {
    /// Who decides which zone we are in and what is near.
    package enum Presence: Sendable, Hashable {
        /// The Flare server, by the origin's rule.
        case server
        /// We do, from the own position, with margins.
        case steady(SteadyPresence.Settings)
    }

    package var presence = Presence.steady(SteadyPresence.Settings())
    /// How long a position may be lost before nothing is near any more, with ``Presence/steady(_:)``, seconds.
    package var lostSeconds = 60.0
    /// Whether a thing stays the nearby one after the device has gone away from it.
    package var stayPaired = false
    /// Whether the nearby thing's brightness follows the distance to it.
    package var brightnessByProximity = false
    /// Whether commands may move, turn and rename the own device.
    package var allowsDeviceSet = false
    /// Whether Home Assistant is told of what there is.
    package var announces = true
    /// The name of a device that has to be made; its description; its `data.mac`, lower case, if there is one.
    package var deviceName = "trilateral"
    package var deviceDescription = ""
    package var deviceMAC: String?
    /// Whether this run follows a reload of the configuration.
    package var isReloaded = false

    package init() {}
}

/// What earlier runs left: read once at start.
package struct PersistedState: Sendable, Hashable {
    package var environment: FlareID?
    /// The own device of each environment.
    package var devices: [FlareID: FlareID] = [:]
    package var slugs = SlugRegistry()
    package var sensors: [SensorKind: Bool] = [:]

    package init() {}
}
