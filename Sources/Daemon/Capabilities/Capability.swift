package import Accounts
package import Administration
package import Controller
import HTTPListener
package import Logging
package import MQTT
package import Messages
package import Sensing
package import Sensors
package import Settings
package import Threading
import Web

/// Something that a user can name and switch: bluetooth, compass, lamps, discovery, map.
///
/// ``all`` is the list from which the daemon is built. A new capability is a folder beside this file and a line of that
/// list.
package struct Capability: Sendable {
    package let name: String
    /// Its part of the configuration.
    package let settings: ConfigurationSection
    /// The alerts of its parts, which end with them.
    let alerts: [String]
    /// What ``build`` reads of a configuration: when it has changed, a reload builds the parts again.
    let inputs: @Sendable (TrilateralConfiguration) -> [AnyHashable]
    /// Further keys whose files ``build`` reads.
    let files: [String]
    /// The sensors that the configuration switches off.
    package let switchedOff: @Sendable (TrilateralConfiguration) -> [SensorKind]
    /// Its slices of the controller's state that need settings, or commands.
    package let slices: @Sendable (TrilateralConfiguration) -> [any Slice]
    /// The access that the daemon's user on the broker needs beyond the topics of its own node.
    package let access: @Sendable (TrilateralConfiguration) -> [AccessList.Grant]
    /// The passwords that its files hold, for the mask of the log; `nil` for what is not configured or cannot be read.
    let secrets: @Sendable (TrilateralConfiguration) -> [String?]
    /// Whether things have users of their own on the broker: `people.acl_file` has sections for them then.
    let hasThingUsers: @Sendable (TrilateralConfiguration) -> Bool
    /// Its commands, whether it is switched on or off: what is off refuses them.
    package let commands: [CommandDescriptor]
    /// Builds the parts; returns `nil` if the capability is switched off.
    ///
    /// A capability that is off is absent everywhere: it has no feature in `info`, no counters and links in `health`,
    /// and no alerts.
    package let build: @Sendable (CapabilityContext) throws -> CapabilityParts?

    /// - Parameters:
    ///   - inputs: What `build` reads of a configuration; by default the keys of `settings`.
    ///   - files: Keys of others whose files it reads.
    package init(
        name: String,
        settings: ConfigurationSection = ConfigurationSection(),
        alerts: [String] = [],
        inputs: (@Sendable (TrilateralConfiguration) -> [AnyHashable])? = nil,
        files: [String] = [],
        commands: [CommandDescriptor] = [],
        switchedOff: @escaping @Sendable (TrilateralConfiguration) -> [SensorKind] = { _ in [] },
        slices: @escaping @Sendable (TrilateralConfiguration) -> [any Slice] = { _ in [] },
        access: @escaping @Sendable (TrilateralConfiguration) -> [AccessList.Grant] = { _ in [] },
        secrets: @escaping @Sendable (TrilateralConfiguration) -> [String?] = { _ in [] },
        hasThingUsers: @escaping @Sendable (TrilateralConfiguration) -> Bool = { _ in false },
        build: @escaping @Sendable (CapabilityContext) throws -> CapabilityParts?
    ) {
        (self.name, self.settings, self.switchedOff) = (name, settings, switchedOff)
        (self.access, self.build, self.alerts, self.files) = (access, build, alerts, files)
        (self.commands, self.slices) = (commands, slices)
        (self.secrets, self.hasThingUsers) = (secrets, hasThingUsers)
        self.inputs = inputs ?? { configuration in settings.keys.map { $0.encode(configuration) } }
    }

    /// In the order in which they are built, and in which their services start.
    package static let all: [Capability] = [
        .people, .devices, .bindings, .control, .lifecycle, .rules, .bluetooth, .brokerReadings,
        .localSensors, .survey, .receiver, .lamps, .map, .frames, .discovery,
        .setup, .kiosk, .resolver, .station, .mirror, .backup, .supervision,
    ]
}

extension ConfigurationSchema {
    package init(_ capabilities: [Capability]) { self.init(capabilities.map(\.settings)) }

    /// The configuration of this program.
    package static let program = ConfigurationSchema(Capability.all)
}

extension CommandTable {
    package convenience init(_ capabilities: [Capability]) {
        self.init(CommandDescriptor.core + capabilities.flatMap(\.commands))
    }

    /// The commands of this program.
    package static let program = CommandTable(Capability.all)
}

extension TrilateralConfiguration {
    /// The sensors that the configuration switches off.
    package func switchedOff(_ capabilities: [Capability] = Capability.all) -> Set<SensorKind> {
        Set(capabilities.flatMap { $0.switchedOff(self) } + (sensors.cmxEnabled ? [] : [.cmx]))
    }

    /// Whether things have users of their own on the broker.
    func hasThingUsers(_ capabilities: [Capability] = Capability.all) -> Bool {
        capabilities.contains { $0.hasThingUsers(self) }
    }
}

/// The node that a capability is built for.
package struct CapabilityContext: Sendable {
    package internal(set) var configuration: TrilateralConfiguration
    /// Names this run.
    package let epoch: String
    /// The topics of the node.
    package let topics: Topics
    /// The commands of the node.
    package let commands: CommandTable
    /// What its capabilities provide over HTTP now; nothing before they are built.
    let routes: @Sendable () -> [WebRoute]
    package let loop: LoopExecutor
    package let client: MQTTClient
    /// Where messages for people go.
    let outbox: Outbox
    package let store: StateStore
    /// The databases of which a backup is made.
    let databases: OpenDatabases
    /// Services that stay when a reload builds the parts again.
    let kept: KeptServices
    /// Users, and who a caller is.
    package let accounts: AccountsRegistry
    /// Answers requests about users, rights, secrets and the log.
    package let administration: AccountsAPI
    /// What answers requests at `admin.sock` now, before the accounts are asked.
    let localAnswers: @Sendable () -> [LocalAnswer]
    /// Whether recordings replace this machine's sensors.
    package internal(set) var isReplaying: Bool
    /// The sensors that are switched off, by the configuration or at run time.
    package internal(set) var switchedOff: Set<SensorKind>
    package let clock: @Sendable () -> Instant
    /// For sensors.
    package let clocks: SensorClocks
    /// Every packet that the adapter, or a recording in its place, receives.
    package let packets: PacketFeed
    /// What receivers say, and what they and the adapter hear of devices that nobody knows.
    package let receivers: ReceiverMessages
    /// What all devices learn of the receivers.
    let receiverErrors: LearntReceiverErrors
    package let send: @Sendable (ControllerEvent) -> Void
    /// Stores something for later runs.
    package let remember: @Sendable (ControllerEffect.PersistedRecord) -> Void
    /// Whether everything is stored that was to be by now; it is not while the database cannot be written.
    let isStored: @Sendable () -> Bool
    /// The node's state; to be called on the loop, and not to be retained beyond the call.
    package let state: @Sendable () -> ControllerState
    /// Whether the node's policies allow a change; to be called on the loop.
    package let allows: @Sendable (ChangeRequest) -> Bool
    /// Reports to the supervisor what the daemon does.
    let service: ServiceReport
    /// Called with the actual port when the web listener accepts connections.
    package let onListening: @Sendable (_ port: Int) async -> Void
    /// The sockets of the listeners, which a reload keeps.
    let sockets: ListenerSockets
    /// The devices beside the daemon's own, of the configuration file and of the database.
    let devices: DeviceRegistry
    /// Receives the state of the sensors' links.
    package let links: SensorLinkReport
    package let logger: Logger
}
