import Bridge
import Controller
package import Flare
import FlareClient
import FlareServer
import HTTPListener
import HomeAssistant
import Messages
import OperatingSystem
package import Positioning
import Profiles
package import Sensing
import Sensors
package import Settings
import SocketIO
import Things

// Conversions of the user's configuration to those of the modules.

extension TrilateralConfiguration.Platform {
    /// Whether the embedded server accepts connections.
    package var isServing: Bool { mode == .embedded && isServerEnabled }
}

extension FlareClientConfiguration {
    /// `nil` if no remote server is configured.
    package init?(_ remote: TrilateralConfiguration.Remote) {
        guard let url = remote.url, let scheme = ["http://", "https://"].first(where: url.hasPrefix) else {
            return nil
        }
        let rest = String(url.dropFirst(scheme.count))
        let isSecure = scheme == "https://"
        // Without a port: the default of the scheme.
        let place = HostAndPort(rest) ?? HostAndPort(host: rest, port: isSecure ? 443 : 80)
        self = remote.client
        (host, port) = (place.host, place.port)
        revision = remote.revision == .auto ? nil : remote.revision == .three ? .three : .four
        if let token = remote.token {
            headers.append(Header("Authorization", "Bearer \(token.reveal())"))
        }
        if isSecure { tls = remote.tls }
    }
}

extension FlareDialect {
    package init(_ flare: TrilateralConfiguration.Platform) {
        self = flare.isStrict ? .strict : .origin
    }
}

extension HTTPListenerConfiguration {
    package init(_ flare: TrilateralConfiguration.Platform) {
        self.init(section: "flare.server", host: flare.listen.host, port: flare.listen.port)
        allowedHosts = flare.allowedHosts
        allowedOrigins = flare.allowedOrigins
        maximumConnections = min(8192, OpenFiles.raiseLimit() * 3 / 4)
    }
}

extension ControllerConfiguration {
    init(_ plan: DaemonPlan) {
        self = plan.configuration.controller
        announces = plan.configuration.discovery.isEnabled
        switchedOff = plan.configuration.switchedOff()
        catalog = ThingCatalog(plan.configuration.profiles)
        deviceName = plan.configuration.device.name ?? plan.traits.hostName
        deviceDescription = plan.traits.description
        deviceMAC = plan.traits.mac
        isReloaded = plan.isReloaded
    }
}

extension ThingCatalog {
    /// The profiles that there are, and those that the configuration gives to things.
    init(_ profiles: ProfileSettings) {
        var assignments: [String: String] = [:]
        for entry in profiles.things {
            assignments[entry.thing] = entry.profile
            if let slug = SlugRegistry.slug(from: entry.thing) { assignments[slug] = entry.profile }
        }
        self.init(profiles.library, assignments: assignments, language: profiles.language)
    }
}

extension TrilateralConfiguration.Sensors {
    /// The recording that the configuration names, if any.
    package var replays: [ReplaySettings] {
        guard let replayFile else { return [] }
        return [ReplaySettings(file: replayFile, speed: .times(replaySpeed), isLooping: replayLoop)]
    }
}

extension TrilateralConfiguration.Positioning {
    package func makeEstimator(_ map: BeaconMap) -> any PositionEstimator {
        switch estimator {
        case .grid: GridEstimator(map: map, settings: grid)
        case .centroid: CentroidEstimator(map: map)
        }
    }
}

extension TrilateralConfiguration {
    /// The margins of the embedded server for zones and nearness; `nil` for the rule of the original server.
    package var steadiness: SteadyPresence.Settings? {
        flare.isSteady ? controller.steadiness : nil
    }
}

extension BridgeConfiguration {
    init(_ configuration: TrilateralConfiguration, node: String) {
        self.init()
        base = configuration.mqtt.base
        responseTopics = configuration.mqtt.responseTopics
        self.node = node
        version = ProgramInfo.currentVersion
        flareMode = configuration.flare.mode.rawValue
        features = configuration.flare.isServing ? ["flare-rest", "flare-socketio"] : []
        publicURL = configuration.web.publicURL ?? ""
        publishesLocation = configuration.device.publishLocation
        positionsPerSecond = configuration.mqtt.rates.positionPerSecond
        anglesPerSecond = configuration.mqtt.rates.anglePerSecond
        copiesPerSecond = configuration.mqtt.rates.copiesPerSecond
        hasMap = configuration.map.isEnabled
        hasUserTopics = configuration.people.userTopics
        waitsForAccessList = configuration.people.accessFile != nil
        hasStation = configuration.station.announce != nil
        let named = configuration.profiles.library.application
        application = .init(version: named.version, name: named.name, identifier: named.identifier)
        healthInterval = .seconds(configuration.mqtt.healthIntervalSeconds)
    }
}
