import Controller
import Messages
import OperatingSystem
import Threading

/// Measures what a health message has beside the counters.
///
/// It is done when the message is made, so that nothing of it costs anything in between.
struct NodeMeasurements: Sendable {
    let store: StateStore
    let folder: StateFolder

    /// - Parameters:
    ///   - runtime: `nil` when the node has ended.
    ///   - lastBackup: When the last backup was finished, seconds since 1970; `nil` if there was none.
    func now(of runtime: NodeRuntime?, at now: Instant, lastBackup: @Sendable () -> Int?)
        -> HealthMeasurements
    {
        var measurements = HealthMeasurements()
        if let runtime {
            measurements.lastPacketSeconds = runtime.onExecutor {
                HealthMeasurements.lastPackets($0.state, at: now)
            }
            measurements.commands = runtime.onExecutor { $0.commandFigures }
        }
        let databases = [
            "state": store.path, "flare": folder.flareDatabase, "history": store.historyPath,
        ]
        measurements.databaseBytes = databases.compactMapValues(Self.size)
        if let memory = ProcessMemory.now() {
            measurements.memoryBytes = ["resident": memory.resident, "anonymous": memory.anonymous]
        }
        measurements.lastBackup = lastBackup()
        return measurements
    }

    /// With what SQLite has not yet written into the database; `nil` without a database.
    private static func size(_ path: String) -> Int? {
        guard let main = FileStatus(path: path)?.size else { return nil }
        return main + (FileStatus(path: path + "-wal")?.size ?? 0)
    }
}
