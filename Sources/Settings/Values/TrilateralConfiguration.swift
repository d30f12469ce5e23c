package import Bridge
package import Controller
package import FlareClient
package import FlareServer
package import HomeAssistant
package import MQTT
package import Positioning
import Resolution
package import Text

/// Everything a user can configure, as typed values with their defaults.
///
/// Capabilities add values of their own: see ``ConfigurationDefaults``. For the keys of the file see
/// ``ConfigurationSchema``.
@dynamicMemberLookup
package struct TrilateralConfiguration: Sendable, Hashable {
    /// The connection to the broker, without a will; the password is from ``passwordFile`` or the environment.
    package var mqtt = MQTTConfiguration()
    /// The file of the broker's password.
    package var passwordFile: String?
    /// The level of this daemon's topics; `nil` uses the slug of the host name.
    package var node: String?
    /// What is published, and below which topics; the daemon adds its node and what it has.
    package var bridge = BridgeConfiguration()
    package var discovery = DiscoverySettings()
    package var flare = Platform()
    package var profiles = ProfileSettings()
    package var controller = ControllerConfiguration()
    package var device = Device()
    /// Whether this machine is a device itself.
    package var isPresent = true
    package var sensors = Sensors()
    package var positioning = Positioning()
    package var log = Log()
    /// What capabilities add, by type.
    ///
    /// Defaults are not stored, so that equal configurations compare equal.
    private var added: [ObjectIdentifier: AddedValues] = [:]

    package init() {}

    /// What a capability adds.
    package subscript<Values: Sendable & Hashable>(
        dynamicMember section: any KeyPath<ConfigurationDefaults, Values> & Sendable
    ) -> Values {
        get {
            added[ObjectIdentifier(Values.self)]?.values as? Values
                ?? ConfigurationDefaults()[keyPath: section]
        }
        set {
            let isDefault = newValue == ConfigurationDefaults()[keyPath: section]
            added[ObjectIdentifier(Values.self)] = isDefault ? nil : AddedValues(values: newValue)
        }
    }

    /// The Flare server that stores the place.
    package struct Platform: Sendable, Hashable {
        package enum Mode: String, Sendable, CaseIterable {
            case embedded, remote
        }

        package var mode = Mode.embedded
        /// Whether the embedded server accepts connections of other programs.
        package var isServerEnabled = true
        package var listen = HostAndPort(host: "127.0.0.1", port: 1234)
        package var allowedHosts: [String] = []
        package var allowedOrigins: [String] = []
        package var store = FlareStore.Options()
        /// Who may use the embedded server.
        package var access = FlareAccess.Mode.auto
        /// Networks that need no token, with ``FlareAccess/Mode/auto``.
        package var trustedNetworks: [String] = []
        package var dialect = FlareDialect.origin
        package var isSteady = false

        package var remote = Remote()
        /// Remote servers that the service of a profile file chooses from.
        package var servers: [NamedServer] = []

        /// Whether the embedded server accepts connections.
        package var isServing: Bool { mode == .embedded && isServerEnabled }
    }

    /// A Flare server on another machine.
    package struct Remote: Sendable, Hashable {
        /// The revision of Engine.IO.
        package enum Revision: String, Sendable, CaseIterable {
            case auto
            case three = "3"
            case four = "4"
        }

        /// `http://HOST[:PORT]`, or with https.
        package var url: String?
        /// The name or serial of a registered station, instead of ``url``.
        package var serial: String?
        /// A user's token at the server, from `token_file`; never from the configuration file itself.
        package var token: Secret?
        package var tokenFile: String?
        /// Whom to ask where it is.
        package var resolver = HostAndPort(host: "localhost", port: DirectoryMessage.standardPort)
        package var revision = Revision.auto
        /// Transport, timeouts, and how changes arrive; host, port and TLS are added by the URL.
        package var client = FlareClientConfiguration(host: "", port: 0)
        package var tls = FlareClientConfiguration.TLS()
        /// Whether the last place is shown after a start without the server.
        package var isMirrored = false
    }

    package struct Device: Sendable, Hashable {
        /// `nil` uses the host name.
        package var name: String?
    }

    /// What is not a capability's.
    package struct Sensors: Sendable, Hashable {
        package var cmxEnabled = true
        package var replayFile: String?
        package var replaySpeed = 1.0
        package var replayLoop = false
    }

    package struct Positioning: Sendable, Hashable {
        package enum Estimator: String, Sendable, CaseIterable {
            case grid, centroid
        }

        package var estimator = Estimator.grid
        package var grid = GridEstimator.Settings()
    }

    package struct Log: Sendable, Hashable {
        package enum Level: String, Sendable, CaseIterable {
            case trace, debug, info, notice, warning, error, critical, none
        }

        package enum Format: String, Sendable, CaseIterable {
            case text, json
        }

        package var level = Level.info
        package var format = Format.text
        /// A second output; `nil` for none.
        package var file: String?
        package var fileLevel = Level.info
    }
}

/// Values of any type, for comparison.
private struct AddedValues: Sendable, Hashable {
    let values: any Sendable & Hashable

    static func == (left: AddedValues, right: AddedValues) -> Bool {
        AnyHashable(left.values) == AnyHashable(right.values)
    }

    func hash(into hasher: inout Hasher) { hasher.combine(AnyHashable(values)) }
}
