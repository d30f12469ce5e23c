import Bridge
import Controller
package import Flare
import FlareClient
package import Foundation
package import HomeAssistant
import MQTT
package import PlaceMap
package import Positioning
package import Sensors

/// Everything a user can configure, as typed values with their defaults.
///
/// The keys of the file, their limits and their meaning stand in ``ConfigurationKey/all``.
package struct TrilateralConfiguration: Sendable, Hashable {
    package var mqtt = Broker()
    package var discovery = DiscoverySettings()
    package var flare = Platform()
    package var controller = Rules()
    package var control = Control()
    package var presence = Presence()
    package var device = Device()
    package var sensors = Sensors()
    package var positioning = Positioning()
    package var map = Map()
    package var web = Pages()
    package var links: [LampSettings] = []
    package var log = Log()

    package init() {}

    /// The link to the broker, and what is said there.
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
        /// `nil`: the slug of the host name.
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

    /// How often what moves is told, per second.
    package struct Rates: Sendable, Hashable {
        private static let bridge = BridgeConfiguration()

        package var positionPerSecond = Self.bridge.positionsPerSecond
        package var anglePerSecond = Self.bridge.anglesPerSecond
        package var copiesPerSecond = Self.bridge.copiesPerSecond
    }

    /// Where the place is kept.
    package struct Platform: Sendable, Hashable {
        package enum Mode: String, Sendable, CaseIterable {
            case embedded, remote
        }

        package enum Synchronous: String, Sendable, CaseIterable {
            case normal, full
        }

        package var mode = Mode.embedded
        /// Whether the embedded server is offered to other programs.
        package var isServerEnabled = true
        package var listen = HostAndPort(host: "127.0.0.1", port: 1234)
        package var allowedHosts: [String] = []
        package var allowedOrigins: [String] = []
        package var synchronous = Synchronous.normal
        /// Whether the origin's plain bugs are put right.
        package var isStrict = false
        package var isSteady = false
        package var remote = Remote()
    }

    /// A Flare server on another machine.
    package struct Remote: Sendable, Hashable {
        /// The revision of Engine.IO.
        package enum Revision: String, Sendable, CaseIterable {
            case auto
            case three = "3"
            case four = "4"
        }

        package enum Transport: String, Sendable, CaseIterable {
            case auto, websocket, polling
        }

        private static let client = FlareClientConfiguration(host: "", port: 0)

        /// `http://HOST[:PORT]`, or with https.
        package var url: String?
        package var revision = Revision.auto
        package var transport = Transport.auto
        package var timeoutSeconds = Self.client.answerSeconds
        package var reconnectMaxSeconds = Self.client.reconnectMaximumSeconds
        package var caFile: String?
        package var certificateFile: String?
        package var keyFile: String?
        package var verifyHostname = FlareClientConfiguration.TLS().verifiesName
    }

    /// Who may drive what.
    package struct Control: Sendable, Hashable {
        /// Things and zones that nobody may drive.
        package var readOnly: [String] = []
    }

    package struct Rules: Sendable, Hashable {
        package enum Presence: String, Sendable, CaseIterable {
            case steady, server
        }

        package var presence = Presence.steady
        package var stayPaired = ControllerConfiguration().stayPaired
        package var brightnessByProximity = ControllerConfiguration().brightnessByProximity
    }

    /// When a zone is entered and left, and a thing near and far.
    package struct Presence: Sendable, Hashable {
        package var steady = SteadyPresence.Settings()
        package var lostSeconds = ControllerConfiguration().lostSeconds
    }

    package struct Device: Sendable, Hashable {
        /// `nil`: the host's name.
        package var name: String?
        package var allowSet = ControllerConfiguration().allowsDeviceSet
        package var publishLocation = BridgeConfiguration().publishesLocation
    }

    package struct Sensors: Sendable, Hashable {
        /// In the order in which they count.
        package enum CompassSource: String, Sendable, CaseIterable {
            case auto, iio, gpsd, mqtt
        }

        package var beaconsEnabled = true
        /// `nil`: the environment's `data.uuid`.
        package var beaconsUUID: UUID?
        package var scanning = ScanSettings()
        package var identityKeysFile: String?
        /// What stands in that file.
        package var ephemeralBeacons: [EphemeralBeacon] = []
        /// The device's id at ESPresense; `nil`: its nodes are not heard.
        package var espresenseDevice: String?
        package var espresenseTopic = "espresense"
        package var compassEnabled = true
        package var compassSource = CompassSource.auto
        package var compass = CompassSettings()
        /// `nil`: headings are magnetic.
        package var declination: DeclinationSetting?
        package var gpsEnabled = true
        /// `nil`: none is asked.
        package var gpsd: HostAndPort? = HostAndPort(host: GPSDSettings().host, port: GPSDSettings().port)
        package var gpsErrorMetres = 100.0
        package var cmxEnabled = true
        package var replayFile: String?
        package var replaySpeed = 1.0
        package var replayLoop = false

        package init() {}
    }

    package struct Positioning: Sendable, Hashable {
        package enum Estimator: String, Sendable, CaseIterable {
            case grid, centroid
        }

        package var estimator = Estimator.grid
        package var grid = GridEstimator.Settings()
    }

    package struct Map: Sendable, Hashable {
        package var isEnabled = false
        package var intervalSeconds = 5
        package var style = PictureStyle.auto
    }

    package struct Pages: Sendable, Hashable {
        /// `nil`: no pages are served.
        package var listen: HostAndPort?
        package var allowedHosts: [String] = []
        package var allowedOrigins: [String] = []
    }

    package struct Log: Sendable, Hashable {
        package enum Level: String, Sendable, CaseIterable {
            case trace, debug, info, notice, warning, error, critical
        }

        package enum Format: String, Sendable, CaseIterable {
            case text, json
        }

        package var level = Level.info
        package var format = Format.text
    }
}
