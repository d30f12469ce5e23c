import GRDB

/// Checks of a database file by SQLite.
package enum DatabaseCheck {
    package enum Depth: String, Sendable {
        /// Every page and row, but not whether the indexes agree with the tables.
        case quick = "quick_check"
        case full = "integrity_check"
    }

    /// What a check found.
    package enum Finding: Sendable, Hashable {
        case sound
        /// In SQLite's words.
        case damaged(String)
        /// Another process has locked it, or the system refuses to read it.
        case unknown(String)
    }

    /// Checks a file that this process does not have open.
    ///
    /// - Parameter isReadOnly: Whether nothing may be written, not even what a crash has left in the log into the file.
    package static func run(_ depth: Depth, on path: String, isReadOnly: Bool = false) -> Finding {
        var configuration = Configuration()
        configuration.label = "check"
        configuration.readonly = isReadOnly
        // Who has it locked goes on with it, and finds what is wrong.
        configuration.busyMode = .immediateError
        do {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            defer { try? queue.close() }
            return try queue.writeWithoutTransaction { try run(depth, on: $0) }
        } catch {
            return finding(error)
        }
    }

    private static func run(_ depth: Depth, on database: Database) throws -> Finding {
        let problem = try String.fetchOne(database, sql: "PRAGMA \(depth.rawValue)(1)") ?? "no answer"
        return problem == "ok" ? .sound : .damaged(oneLine(problem))
    }

    /// `*** in database main *** Page 4: …`: SQLite ends its first line there.
    private static func oneLine(_ problem: String) -> String {
        problem.split(separator: "\n").joined(separator: " ")
    }

    private static func finding(_ error: any Error) -> Finding {
        guard let error = error as? DatabaseError else { return .unknown("\(error)") }
        let text = error.message ?? "\(error.resultCode)"
        // CORRUPT; NOTADB.
        return [11, 26].contains(error.resultCode.rawValue) ? .damaged(text) : .unknown(text)
    }
}
