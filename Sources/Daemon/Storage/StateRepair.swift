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
            /// The copy is too large for a start, which would wait for it.
            case tooLarge(Backup)
            case failed(BackupError)
        }

        package let path: String
        /// In SQLite's words; `nil` if the file is missing or empty, and a backup has it.
        package let what: String?
        package let outcome: Outcome

        package var description: String {
            let damage = what.map { "\(path) was damaged (\($0))" } ?? "\(path) was missing or empty"
            switch outcome {
            case .restored(let backup, let damaged):
                let time = CivilTime(milliseconds: backup.made).shortText
                let rest = what == nil ? "" : " The damaged file is \(damaged)."
                return """
                    \(damage) and was restored from the backup of \(time); what was changed since then is lost.\(rest)
                    """
            case .noBackup(let folder): return "\(damage), and there is no good backup of it in \(folder)."
            case .tooLarge(let backup):
                return """
                    \(damage). Its copy in \(backup.path) is too large to be put in its place at a start: stop the daemon and \
                    run: trilateral restore \(backup.path)
                    """
            case .failed(let error):
                return "\(damage), and the backup could not be put in its place: \(error)."
            }
        }
    }

    /// Checks each database, of which none is open in this process.
    ///
    /// What cannot be read because it is locked, or of a newer version, is left to who opens it. Nothing is done while another
    /// daemon has the folder. A file that is missing or empty while a backup has it is damaged too: a daemon would begin an empty
    /// one, and its backups would take the place of the good ones.
    /// - Parameter now: Seconds since 1970, for the names of damaged files.
    /// - Returns: What was damaged.
    package static func run(in folder: URL, _ backups: BackupCollection, at now: Int64) -> [Report] {
        guard !isHeld(folder) else { return [] }
        let state = folder.path(percentEncoded: false)
        let (isOwn, record) = (BackupService.isOwn(backups.path, in: folder), BackupRecord(in: state))
        let backups = collection(backups.path, of: folder)
        return StateDatabase.allCases.compactMap { database in
            let path = database.path(in: folder)
            // A resolver may have it open without a daemon.
            guard !DatabaseFile.isHeld(path) else { return nil }
            endEarlier(database, in: folder)
            let size = FileStatus(path: path)?.size ?? 0
            guard size > 0 else {
                // Another disk may not answer, and the start would wait for it.
                let isExpected = record?.databases.contains(database.name) == true
                guard isOwn || isExpected else { return nil }
                let outcome = restore(database, in: folder, backups, at: now)
                // Not every installation has all databases.
                if !isExpected, case .noBackup = outcome { return nil }
                return Report(path: path, what: nil, outcome: outcome)
            }
            guard size <= maximumBytes, case .damaged(let what) = DatabaseCheck.run(.quick, on: path)
            else { return nil }
            return Report(path: path, what: what, outcome: restore(database, in: folder, backups, at: now))
        }
    }

    /// The last backup with a database, as the next start looks for one; nothing is checked, and nothing changed.
    package static func lastBackup(
        of database: StateDatabase,
        in folder: URL,
        _ settings: BackupSettings
    ) -> Backup? {
        backups(of: folder, settings).first { $0.files.contains { $0.name == database.name } }
    }

    /// The complete backups of a state folder, the latest first; nothing is checked, and nothing changed.
    package static func backups(of folder: URL, _ settings: BackupSettings) -> [Backup] {
        collection(BackupService.backups(in: folder, settings), of: folder).backups
    }

    private static func collection(_ path: String, of folder: URL) -> BackupCollection {
        BackupCollection(
            path,
            installation: BackupRecord(in: folder.path(percentEncoded: false))?.installation,
            isShared: !BackupService.isOwn(path, in: folder)
        )
    }

    /// Whether another daemon has databases of the folder open.
    private static func isHeld(_ folder: URL) -> Bool {
        [StateDatabase.daemon, .flare, .history].contains { DatabaseFile.isHeld($0.path(in: folder)) }
    }

    /// Ends what a crash has broken off: a place has its logs again, and new files that were not placed go.
    private static func endEarlier(_ database: StateDatabase, in folder: URL) {
        let state = folder.path(percentEncoded: false)
        StateReplacement.removeUnfinished(database.name, in: state)
        for other in (try? Folder.names(in: state)) ?? [] where other.hasPrefix(database.name + mark) {
            let aside = folder.appending(path: other).path(percentEncoded: false)
            StateReplacement.takeBack(aside, to: database.path(in: folder))
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
        if let backup = backups.backups.first(where: { $0.files.contains { $0.name == database.name } }),
            let size = FileStatus(path: backup.file(database.name))?.size, size > maximumBytes
        {
            return .tooLarge(backup)
        }
        guard let backup = backups.latest(with: database.name, database.schema) else {
            return .noBackup(in: backups.path)
        }
        let damaged = freeName(database.path(in: folder) + mark + "\(now)")
        do throws(BackupError) {
            guard !isHeld(folder) else {
                throw .system(path: database.path(in: folder), code: EBUSY)
            }
            let replacement = StateReplacement(of: folder.path(percentEncoded: false), from: backup)
            try replacement.replace([database.name]) { _ in damaged }
        } catch {
            return .failed(error)
        }
        removeEarlier(database, in: folder, but: damaged)
        return .restored(from: backup, damaged: damaged)
    }

    /// The name, or with a number after it: a clock may have stood at the same second before.
    private static func freeName(_ name: String) -> String {
        let names = [name] + (1...99).map { "\(name)-\($0)" }
        return names.first { FileStatus(path: $0, followsLinks: false) == nil } ?? name
    }

    /// Of several damaged files of one database the last is kept.
    private static func removeEarlier(_ database: StateDatabase, in folder: URL, but kept: String) {
        // Without a damaged file there is no later one.
        guard FileStatus(path: kept, followsLinks: false) != nil else { return }
        let name = URL(filePath: kept).lastPathComponent
        for other in (try? Folder.names(in: folder.path(percentEncoded: false))) ?? []
        where other.hasPrefix(database.name + mark) && other != name && !other.hasPrefix(name + "-") {
            unlink(folder.appending(path: other).path(percentEncoded: false))
        }
    }
}
