package import Sensors
package import Settings

/// What a daemon is built from.
package struct DaemonPlan: Sendable {
    package var configuration: TrilateralConfiguration
    package var folder: StateFolder
    /// Recordings in the place of this machine's sensors.
    package var recordings: [SensorSource] = []
    package var isReloaded = false
    /// Whether everything that the broker keeps of this daemon is cleared when it ends.
    package var withdrawsAtEnd = false
    /// Reads the configuration again, for a reload.
    package var read: @Sendable () -> Result<LoadedConfiguration, ConfigurationErrors>
    package var setLogLevel: @Sendable (String) -> Void
    package var droppedLogLines: @Sendable () -> Int
    /// Called with the true ports once the listeners are bound.
    package var onFlareBound: @Sendable (Int) async -> Void = { _ in }
    package var onWebBound: @Sendable (Int) async -> Void = { _ in }
    package var traits = HostInfo.ofThisMachine()

    /// - Parameters:
    ///   - read: Reads the configuration again, for a reload.
    ///   - setLogLevel: Called with a level that was asked for at run time.
    ///   - droppedLogLines: How many log lines were dropped, for the health message.
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
