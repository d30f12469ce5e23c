package import Databases
import FlareServer
package import Foundation
import GRDB
import History
import OperatingSystem

/// The databases of a state folder that are worth a backup.
///
/// `mirror.db` is none of them: the server has the place, and a damaged one is begun anew.
package enum StateDatabase: String, Sendable, CaseIterable {
    /// The daemon's own state, with users, rights, things with owners, rules and this installation's id.
    case daemon = "trilateral.db"
    /// The place.
    case flare = "flare.db"
    case history = "history.db"
    /// Stations of a resolver.
    case resolver = "resolver.db"

    package var name: String { rawValue }

    /// Its tables; `nil` where they are somebody else's contract and have no versions.
    package var schema: DatabaseSchema? {
        switch self {
        case .daemon: StateStore.schema
        case .flare: FlareStore.schema
        case .history: HistorySchema.schema
        case .resolver: nil
        }
    }

    package func path(in folder: URL) -> String { folder.appending(path: name).path(percentEncoded: false) }

    /// It as it is while no process has locked it.
    package func source(in folder: URL) -> DatabaseSource {
        DatabaseSource(name: name, path: path(in: folder))
    }

    /// Tables, and what their rows are.
    private var counted: [(what: String, table: String)] {
        switch self {
        case .daemon:
            [
                ("users", "user"), ("things with owners", "binding"), ("rules", "rule"),
                ("devices of the list", "listed_device"), ("rows of the log", "command"),
            ]
        case .flare:
            [
                ("environments", "environment"), ("zones", "zone"), ("things", "thing"),
                ("devices", "device"),
            ]
        case .history: [("things", "thing"), ("samples that are not packed", "sample")]
        case .resolver: [("stations", "devices")]
        }
    }

    /// What is in a file, for a person who compares two.
    package struct Contents: Sendable, Hashable {
        package let bytes: Int
        /// When it was written last; seconds since 1970.
        package let changed: Int
        /// How many rows of what, in the order of importance; empty if they cannot be read.
        package let counts: [Count]

        package struct Count: Sendable, Hashable {
            package let what: String
            package let rows: Int
        }
    }

    /// Looks into a file that no process has locked; `nil` if there is none.
    package func contents(of path: String) -> Contents? {
        guard let status = FileStatus(path: path) else { return nil }
        let log = FileStatus(path: path + "-wal")
        return Contents(
            bytes: status.size,
            changed: max(status.modified.seconds, log.map { $0.size > 0 ? $0.modified.seconds : 0 } ?? 0),
            counts: counts(in: path)
        )
    }

    private func counts(in path: String) -> [Contents.Count] {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(1)
        guard let queue = try? DatabaseQueue(path: path, configuration: configuration) else { return [] }
        defer { try? queue.close() }
        let rows = try? queue.read { database in
            // An older version has not all tables.
            counted.compactMap { what, table in
                (try? Int.fetchOne(database, sql: "SELECT COUNT(*) FROM \(table)"))
                    .map { Contents.Count(what: what, rows: $0) }
            }
        }
        return rows ?? []
    }
}
