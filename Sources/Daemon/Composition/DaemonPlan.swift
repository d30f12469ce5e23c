package import Controller
package import OperatingSystem
package import Receivers
package import Sensors
package import Settings

/// The configuration, folders and callbacks of a daemon.
package struct DaemonPlan: Sendable {
    package var configuration: TrilateralConfiguration
    package var folder: StateFolder
    /// What is in the files that the configuration names, by key path.
    package var files: [String: [FileFingerprint]] = [:]
    /// Opens the recordings that replace this machine's sensors.
    package var recordings: @Sendable (TrilateralConfiguration) throws -> [SensorSource] = { _ in [] }
    package var isReloaded = false
    /// Whether the databases are checked before they are opened, which takes seconds; a reload finds them as it left them.
    package var checksDatabases = true
    /// The devices of the database, beside those of the configuration.
    package var storedDevices: @Sendable (StateStore) -> [DeviceSettings] = { _ in [] }
    /// The slices as they were before a reload.
    package var former = Slices()
    /// Receives the slices at the end.
    package var onEnd: @Sendable (Slices) -> Void = { _ in }
    /// The sockets of the listeners, which a reload keeps.
    package var sockets = ListenerSockets()
    /// Whether to clear the daemon's retained topics when it ends.
    package var withdrawsAtEnd = false
    /// Reads the configuration again, for a reload.
    package var read: @Sendable () -> Result<LoadedConfiguration, ConfigurationErrors>
    /// Called when a configuration was read again and is in use without another daemon.
    package var onApplied: @Sendable (LoadedConfiguration) -> Void = { _ in }
    /// Called with a level that is requested at run time.
    package var setLogLevel: @Sendable (String) -> Void
    /// The number of dropped log lines, for the health message.
    package var droppedLogLines: @Sendable () -> Int
    /// Called with the actual ports once the listeners are bound.
    package var onFlareBound: @Sendable (Int) async -> Void = { _ in }
    package var onWebBound: @Sendable (Int) async -> Void = { _ in }
    /// Reports to the supervisor what the daemon does.
    package var service = ServiceReport()
    /// What no log may show.
    package var secrets = KnownSecrets()
    package var traits = HostInfo.ofThisMachine()

    package init(
        configuration: TrilateralConfiguration,
        folder: StateFolder,
        read: @escaping @Sendable () -> Result<LoadedConfiguration, ConfigurationErrors>,
        setLogLevel: @escaping @Sendable (String) -> Void,
        droppedLogLines: @escaping @Sendable () -> Int
    ) {
        self.configuration = configuration
        self.folder = folder
        self.read = read
        self.setLogLevel = setLogLevel
        self.droppedLogLines = droppedLogLines
    }
}
