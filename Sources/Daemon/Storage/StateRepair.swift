import Controller
package import Databases
package import Foundation
import OperatingSystem
import Text

/// Checks the databases of a state folder before they are opened, and puts the last good backup in the place of damaged ones.
package enum StateRepair {
    private static let restored = "database-restored"
    /// Larger files are not checked at the start, which would wait for them, but with the next full check of their copies.
    static let maximumBytes = 67_108_864
    private static let mark = ".damaged-"

    /// What was found about a damaged database, and done.
    package struct Report: Sendable, Hashable, CustomStringConvertible {
        package enum Outcome: Sendable, Hashable {
            /// The damaged file is at the path now.
            case restored(from: Backup, damaged: String)
            /// It is left as it is.
            case noBackup(in: String)
            case failed(BackupError)
        }

        package let path: String
        /// In SQLite's words.
        package let what: String
        package let outcome: Outcome

        package var description: String {
            let damage = "\(path) was damaged (\(what))"
            switch outcome {
            case .restored(let backup, let damaged):
                let time = CivilTime(milliseconds: backup.made).shortText
                return """
                    \(damage) and was restored from the backup of \(time); what was changed since then is lost. The damaged \
                    file is \(damaged).
                    """
            case .noBackup(let folder): return "\(damage), and there is no good backup of it in \(folder)."
            case .failed(let error):
                return "\(damage), and the backup could not be put in its place: \(error)."
            }
        }
    }

    /// Checks each database, of which none is open in this process.
    ///
    /// What cannot be read because it is locked, or of a newer version, is left to who opens it.
    /// - Parameter now: Seconds since 1970, for the names of damaged files.
    /// - Returns: What was damaged.
    package static func run(in folder: URL, _ backups: BackupCollection, at now: Int64) -> [Report] {
        StateDatabase.allCases.compactMap { database in
            let path = database.path(in: folder)
            guard let size = FileStatus(path: path)?.size, (1...maximumBytes).contains(size),
                case .damaged(let what) = DatabaseCheck.run(.quick, on: path)
            else { return nil }
            return Report(path: path, what: what, outcome: restore(database, in: folder, backups, at: now))
        }
    }

    /// The alert about damaged databases; `nil` if there were none.
    static func alert(of reports: [Report]) -> ControllerEvent? {
        guard !reports.isEmpty else { return nil }
        let message = reports.map(\.description).joined(separator: " ")
        return .alertRaised(Self.restored, .error, message: message)
    }

    private static func restore(
        _ database: StateDatabase,
        in folder: URL,
        _ backups: BackupCollection,
        at now: Int64
    ) -> Report.Outcome {
        guard let backup = backups.latest(with: database.name, database.schema) else {
            return .noBackup(in: backups.path)
        }
        let damaged = database.path(in: folder) + mark + "\(now)"
        do throws(BackupError) {
            let replacement = StateReplacement(of: folder.path(percentEncoded: false), from: backup)
            try replacement.replace([database.name]) { _ in damaged }
        } catch {
            return .failed(error)
        }
        removeEarlier(database, in: folder, but: damaged)
        return .restored(from: backup, damaged: damaged)
    }

    /// Of several damaged files of one database the last is kept.
    private static func removeEarlier(_ database: StateDatabase, in folder: URL, but kept: String) {
        let name = URL(filePath: kept).lastPathComponent
        for other in (try? Folder.names(in: folder.path(percentEncoded: false))) ?? []
        where other.hasPrefix(database.name + mark) && !other.hasPrefix(name) {
            unlink(folder.appending(path: other).path(percentEncoded: false))
        }
    }
}
