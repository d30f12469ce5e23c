package import Controller
import GRDB
import Messages

/// The log of the lifecycle's calls: the table `lifecycle_log`.
extension StateStore {
    /// The most rows that are kept.
    package static let longestLifecycleLog = 10_000

    static func log(_ transition: Lifecycle.Transition, at moment: Instant, _ database: Database) throws {
        try database.execute(
            sql: "INSERT INTO lifecycle_log (ts, call, previous, current) VALUES (?, ?, ?, ?)",
            arguments: [moment.timestamp, transition.call.rawValue, transition.from, transition.to]
        )
        try database.execute(
            sql: "DELETE FROM lifecycle_log WHERE id <= ?",
            arguments: [database.lastInsertedRowID - Int64(longestLifecycleLog)]
        )
    }

    /// The calls of the log, oldest first.
    package func lifecycleLog() throws(StateStoreError) -> [Lifecycle.Transition] {
        try read { database in
            try Row.fetchAll(database, sql: "SELECT call, previous, current FROM lifecycle_log ORDER BY id")
                .compactMap { row in
                    LifecycleCall(rawValue: row["call"]).map {
                        Lifecycle.Transition(call: $0, from: row["previous"], to: row["current"])
                    }
                }
        }
    }
}
