package import Flare
package import Things

/// User settings for the controller's rules.
package struct ControllerConfiguration: Sendable, Hashable {
    /// Who decides the current zone and the nearby thing.
    package enum Presence: Sendable, Hashable {
        /// The Flare server, by the rule of the original server.
        case server
        /// The controller, from the device's position, with margins that prevent flapping.
        case steady(SteadyPresence.Settings)
    }

    /// The same as a word.
    package enum Decider: String, Sendable, Hashable, CaseIterable {
        case steady, server
    }

    package var decider = Decider.steady
    /// The margins with ``Decider/steady``.
    package var steadiness = SteadyPresence.Settings()
    /// How long a position may be lost before zone and nearness end, with ``Presence/steady(_:)``, seconds.
    package var lostSeconds = 60.0
    /// Whether a thing remains the nearby one after the device has moved away from it.
    package var stayPaired = false
    /// Whether the nearby thing's brightness follows its distance.
    package var brightnessByProximity = false
    /// Whether commands may move, turn and rename this device.
    package var allowsDeviceSet = false
    /// Whether Home Assistant discovery is published.
    package var announces = true
    /// The sensors that are off until somebody switches them on.
    package var switchedOff: Set<SensorKind> = []
    /// The profiles of things.
    package var catalog = ThingCatalog.none
    /// The things and zones that it names.
    package var names: [ConfiguredName] = []
    /// Whether this machine is a device itself; the same as long as the node.
    package var isPresent = true
    /// The node of this device.
    package var node = ""
    /// The devices that are listed beside it.
    package var nodes: [ListedNode] = []
    /// Name, description and optional `data.mac` (lower case) of a newly created device.
    package var deviceName = "trilateral"
    package var deviceDescription = ""
    package var deviceMAC: String?
    /// Whether this run follows a reload of the configuration.
    package var isReloaded = false
    /// What the capabilities add to the state, with their settings.
    package var slices = Slices()

    package init() {}

    /// Who decides, with what it needs for it.
    package var presence: Presence {
        get {
            switch decider {
            case .server: .server
            case .steady: .steady(steadiness)
            }
        }
        set {
            switch newValue {
            case .server: decider = .server
            case .steady(let settings): (decider, steadiness) = (.steady, settings)
            }
        }
    }
}

/// State saved by earlier runs, read once at the start; what somebody switches is added.
package struct PersistedState: Sendable, Hashable {
    package var environment: FlareID?
    /// The identifier of this device in each environment.
    package var devices: [FlareID: FlareID] = [:]
    package var slugs = SlugRegistry()
    package var sensors: [SensorKind: Bool] = [:]
    /// How old this device's position in each environment is; nothing of one that nobody has measured.
    package var positions: [FlareID: MeasuredPosition] = [:]
    /// What belongs to further nodes.
    package var nodes: [String: Node] = [:]

    package init() {}
}
