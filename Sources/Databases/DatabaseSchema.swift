package import GRDB
import OperatingSystem

/// The tables of a database: the steps that make them, each of which is done once.
///
/// GRDB records the steps that were done, by name. Beside them, `user_version` says which version of this program did the
/// last one, so that an older program can name it. It stays 0 until this program does a step.
///
/// - Source: SQLite's documentation of `PRAGMA user_version`, which SQLite leaves to applications.
package struct DatabaseSchema: Sendable {
    private let migrator: DatabaseMigrator

    package init(_ migrator: DatabaseMigrator) { self.migrator = migrator }

    /// The names of the steps, in order.
    package var steps: [String] { migrator.migrations }

    /// Brings a database up to date.
    ///
    /// - Parameter path: For the message.
    /// - Throws: ``NewerDatabase``, before anything is changed; or SQLite's error.
    package func apply(to writer: some DatabaseWriter, _ path: String) throws {
        let isCurrent = try writer.read { database in
            try check(database, path)
            let done = try migrator.appliedIdentifiers(database)
            return steps.allSatisfy(done.contains)
        }
        guard !isCurrent else { return }
        try migrator.migrate(writer)
        let version = ProgramVersion.current.number
        try writer.writeWithoutTransaction { try $0.execute(sql: "PRAGMA user_version = \(version)") }
    }

    /// Does the first steps only, as a program did that knew no others.
    package func apply(upTo step: String, to writer: some DatabaseWriter) throws {
        try migrator.migrate(writer, upTo: step)
    }

    /// Checks that a database has no steps that this program does not know.
    ///
    /// - Throws: ``NewerDatabase``, or SQLite's error.
    package func check(_ database: Database, _ path: String) throws {
        let unknown = try migrator.appliedIdentifiers(database).subtracting(migrator.migrations)
        guard !unknown.isEmpty else { return }
        let number = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        throw NewerDatabase(
            path: path,
            steps: unknown.sorted(),
            known: steps.last ?? "",
            program: ProgramVersion(number: number)
        )
    }

    /// The same of a file that nobody writes.
    ///
    /// - Throws: ``NewerDatabase``, or SQLite's error.
    package func check(file path: String) throws {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(1)
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        defer { try? queue.close() }
        try queue.read { try check($0, path) }
    }
}
