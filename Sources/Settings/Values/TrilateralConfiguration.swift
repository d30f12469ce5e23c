import Bridge
package import Controller
package import FlareClient
package import FlareServer
package import HomeAssistant
import MQTT
package import Positioning
import Resolution

/// Everything a user can configure, as typed values with their defaults.
///
/// Capabilities add values of their own: see ``ConfigurationDefaults``. For the keys of the file see
/// ``ConfigurationSchema``.
@dynamicMemberLookup
package struct TrilateralConfiguration: Sendable, Hashable {
    package var mqtt = Broker()
    package var discovery = DiscoverySettings()
    package var flare = Platform()
    package var profiles = ProfileSettings()
    package var controller = ControllerConfiguration()
    package var device = Device()
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

    /// The broker, and how messages are published.
    package struct Broker: Sendable, Hashable {
        package enum Version: String, Sendable, CaseIterable {
            case automatic = "auto"
            case version5 = "5"
            case version311 = "3.1.1"
        }

        private static let link = MQTTConfiguration()
        private static let bridge = BridgeConfiguration()

        package var host = Self.link.host
        package var port = Self.link.port
        package var version = Version.automatic
        package var clientID: String?
        package var username: String?
        /// From `password_file` or the environment, never from the configuration file itself.
        package var password: Secret?
        package var passwordFile: String?
        package var keepaliveSeconds = Self.link.keepAliveSeconds
        package var base = Self.bridge.base
        package var responseTopics = Self.bridge.responseTopics
        /// `nil` uses the slug of the host name.
        package var node: String?
        package var tls = TLS()
        package var reconnectMinSeconds = Self.link.reconnectMinimumSeconds
        package var reconnectMaxSeconds = Self.link.reconnectMaximumSeconds
        package var maxQueued = Self.link.maximumQueued
        package var healthIntervalSeconds = Int(Self.bridge.healthInterval.components.seconds)
        package var rates = Rates()

        package var address: HostAndPort { HostAndPort(host: host, port: port) }
    }

    package struct TLS: Sendable, Hashable {
        package var isEnabled = false
        package var caFile: String?
        package var certificateFile: String?
        package var keyFile: String?
        package var alpn: String?
        package var verifyHostname = MQTTTLS().verifyHostname
    }

    /// Publication limits, per second.
    package struct Rates: Sendable, Hashable {
        private static let bridge = BridgeConfiguration()

        package var positionPerSecond = Self.bridge.positionsPerSecond
        package var anglePerSecond = Self.bridge.anglesPerSecond
        package var copiesPerSecond = Self.bridge.copiesPerSecond
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
        /// Whether plain bugs of the original server are corrected.
        package var isStrict = false
        package var isSteady = false

        package var remote = Remote()
        /// Remote servers that the service of a profile file chooses from.
        package var servers: [NamedServer] = []
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
        package var publishLocation = BridgeConfiguration().publishesLocation
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
