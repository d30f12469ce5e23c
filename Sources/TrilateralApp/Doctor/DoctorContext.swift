import Daemon
import MQTT
import OperatingSystem
import Sensors
import Settings
import Threading

/// What the checks of `trilateral doctor` look at: a daemon, or what one would use here.
struct DoctorContext: Sendable {
    let environment: [String: String]
    /// The file whose configuration is in effect; `nil` for none.
    let configurationFile: String?
    /// What could be read of the configuration.
    let loaded: LoadedConfiguration
    /// Where the databases are.
    let stateFolder: String
    /// The daemon that runs, if there is one, or one was chosen.
    let daemon: RunningDaemon?
    let runningDaemons: [RunningDaemon]
    /// The installed service.
    let unit: ServiceUnit?
    /// Whose folder or daemon it would be, if that is not clear.
    let choiceProblem: String?
    /// What checks have read that a report should have in full, by its title.
    let attachments = Locked<[String: String]>([:])

    var values: TrilateralConfiguration { loaded.values }

    /// - Parameter state: As the command line names it.
    init(file: ConfigurationOption, state: StateOption, environment: [String: String]) {
        self.environment = environment
        let locator = DaemonLocator(environment)
        runningDaemons = locator.running
        unit = ServiceUnit.installed()
        do {
            let location = try state.location(environment)
            (daemon, stateFolder, choiceProblem) = (location.daemon, location.path, nil)
        } catch {
            (daemon, stateFolder) = (nil, locator.standardFolder)
            choiceProblem = (error as? VerbError)?.message ?? "\(error)"
        }
        configurationFile = file.file(of: daemon, environment: environment)
        (loaded, _) = ConfigurationLoader.examine(
            file: configurationFile,
            running: file.path == nil ? daemon?.values(for: environment) ?? [:] : [:],
            environment: environment,
            schema: .commandLine
        )
    }

    /// The service whose file is looked at.
    var unitOfFile: ServiceUnit? { configurationFile == unit?.configurationFile ? unit : nil }

    /// Whether positions are to come from a Bluetooth adapter.
    var wantsBluetooth: Bool { values.beacons.isEnabled && values.beacons.scanning.adapter != .off }

    /// How the broker is reached with the daemon's credentials, and the first levels of the daemon's topics.
    ///
    /// - Throws: ``VerbError`` if this user must not read the password.
    func broker() throws(VerbError) -> (link: MQTTConfiguration, root: String) {
        var link = values.mqtt
        if let password = try BrokerSettings(loaded: loaded, daemon: daemon).servicePassword() {
            link.password = password
        }
        // The daemon's own id would throw the daemon off the broker.
        link.clientID = nil
        link.connectTimeoutSeconds = min(link.connectTimeoutSeconds, 4)
        let address = NodeAddress(values, .ofThisMachine())
        return (link, "\(address.base)/\(address.node)")
    }
}
