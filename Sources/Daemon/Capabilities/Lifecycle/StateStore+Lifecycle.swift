import Controller
import GRDB
import Messages

/// A row of the log of the lifecycle's calls: the table `lifecycle_log`.
extension Lifecycle.LoggedCall: DatabaseRecord {
    func save(_ database: Database) throws {
        try database.execute(
            sql: "INSERT INTO lifecycle_log (ts, call, previous, current) VALUES (?, ?, ?, ?)",
            arguments: [at.timestamp, transition.call.rawValue, transition.from, transition.to]
        )
        try database.execute(
            sql: "DELETE FROM lifecycle_log WHERE id <= ?",
            arguments: [database.lastInsertedRowID - Int64(StateStore.longestLifecycleLog)]
        )
    }
}

extension StateStore {
    /// The most calls of the lifecycle that are kept.
    package static let longestLifecycleLog = 10_000
}
