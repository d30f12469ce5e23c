package import Bridge
package import Controller
import Flare
import HomeAssistant
import MQTT
import Messages
import Profiles
package import Receivers
import Sensing
package import Sensors
package import Settings
import Things

/// The device, topics and sensors of a node.
package struct NodePlan: Sendable {
    /// The level of its topics, `[a-z0-9-]`.
    package var name: String
    /// The daemon that it is a node of.
    package var daemon: DaemonPlan
    package var controller: ControllerConfiguration
    package var bridge: BridgeConfiguration
    package var capabilities = Capability.all
    /// The devices beside this one.
    package private(set) var devices = DeviceList()
    /// The clocks of the sensors and of the publishing intervals.
    package var clocks = SensorClocks.ofThisMachine

    /// The one node of a daemon.
    ///
    /// - Parameter last: The plan that it followed until now.
    package init(_ plan: DaemonPlan, after last: NodePlan? = nil) {
        daemon = plan
        let configuration = plan.configuration
        name = NodeAddress(configuration, plan.traits).node
        controller = ControllerConfiguration(plan)
        controller.node = name
        if let last { capabilities = last.capabilities }
        // Another catalog would be another profile for every thing.
        if let last, last.configuration.profiles == configuration.profiles {
            controller.catalog = last.controller.catalog
        }
        bridge = BridgeConfiguration(configuration, node: name)
    }

    package var configuration: TrilateralConfiguration { daemon.configuration }

    /// The plan with a list of devices: those of the configuration and those of the database.
    package func with(_ list: DeviceList) -> NodePlan {
        var plan = self
        plan.devices = list
        plan.controller.nodes = list.listed
        return plan
    }

    /// The connection to the broker.
    ///
    /// - Parameters:
    ///   - installation: The id of this installation, so that the client ids of two installations differ.
    ///   - device: The node of a further device; `nil` for the first node.
    func link(installation: String, of device: String? = nil) -> MQTTConfiguration {
        var link = configuration.mqtt
        if let device, let id = link.clientID { link.clientID = "\(id)-\(device)" }
        link.clientID = link.clientID ?? "trilateral-\(device ?? name)-\(installation)"
        let topics = Topics(root: device.map { bridge(of: $0).root } ?? bridge.root)
        (link.birth, link.will) = (topics.message(isOnline: true), topics.message(isOnline: false))
        return link
    }

    /// Whether a discovery topic is of the node of a further device.
    func announcesOnDevice(_ topic: String) -> Bool {
        devices.devices.contains { DiscoveryConfiguration.isTopic(topic, of: $0.node) }
    }

    /// `<base>/<node>` of each further device.
    var deviceRoots: Set<String> { Set(devices.devices.map { bridge(of: $0.node).root }) }

    /// What the node of a further device publishes.
    func bridge(of device: String) -> BridgeConfiguration {
        var bridge = bridge
        (bridge.place, bridge.node) = (name, device)
        (bridge.features, bridge.links) = (["mqtt"], [])
        (bridge.hasMap, bridge.hasStation, bridge.waitsForAccessList) = (false, false, false)
        // Its location is published as this device's is.
        return bridge
    }

    /// The settings of the controller, with the slices of the capabilities.
    var rules: ControllerConfiguration {
        var rules = controller
        rules.slices = Slices(capabilities.flatMap { $0.slices(configuration) }).resuming(daemon.former)
        return rules
    }
}

extension ControllerConfiguration {
    init(_ plan: DaemonPlan) {
        self = plan.configuration.controller
        announces = plan.configuration.discovery.isEnabled
        isPresent = plan.configuration.isPresent
        switchedOff = plan.configuration.switchedOff()
        catalog = ThingCatalog(plan.configuration.profiles)
        names = plan.configuration.names
        deviceName = plan.configuration.device.name ?? plan.traits.hostName
        deviceDescription = plan.traits.description
        deviceMAC = plan.traits.mac
        isReloaded = plan.isReloaded
    }
}

extension TrilateralConfiguration {
    /// The things and zones that it names, without those of `links`, whose lamps look for them.
    package var names: [ConfiguredName] {
        self.control.readOnly.filter { $0 != "all" }.map {
            ConfiguredName($0, in: "control.read_only", [.thing, .zone])
        }
            + self.profiles.things.map {
                ConfiguredName($0.thing, in: "profiles.things", [.thing], isName: true)
            }
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

extension BridgeConfiguration {
    init(_ configuration: TrilateralConfiguration, node: String) {
        self = configuration.bridge
        self.node = node
        version = ProgramInfo.currentVersion
        flareMode = configuration.flare.mode.rawValue
        features = configuration.flare.isServing ? ["flare-rest", "flare-socketio"] : []
        publicURL = configuration.web.publicURL ?? ""
        hasMap = configuration.map.isEnabled
        hasUserTopics = configuration.people.userTopics
        waitsForAccessList = configuration.people.accessFile != nil
        hasStation = configuration.station.announce != nil
        let named = configuration.profiles.library.application
        application = .init(version: named.version, name: named.name, identifier: named.identifier)
    }
}
