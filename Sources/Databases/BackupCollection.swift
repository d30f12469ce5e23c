import OperatingSystem
import Text

/// The folder in which backups are made on a schedule.
package struct BackupCollection: Sendable, Hashable {
    private static let prefix = "trilateral-"

    package let path: String

    package init(_ path: String) { self.path = path }

    /// The complete backups of the schedule, the latest first; others are not touched.
    package var backups: [Backup] {
        let names = (try? Folder.names(in: path)) ?? []
        return names.filter { $0.hasPrefix(Self.prefix) }
            .compactMap { try? Backup(reading: Backup.joined(path, $0)) }
            .sorted { ($0.made, $0.path) > ($1.made, $1.path) }
    }

    /// Where a backup of that time goes: `trilateral-20261127T220000Z`.
    package func place(at now: Int64) -> String {
        let time = CivilTime.text(milliseconds: now).prefix(19).filter { $0 != "-" && $0 != ":" }
        return Backup.joined(path, "\(Self.prefix)\(time)Z")
    }

    /// Removes the oldest backups, and what a backup that was broken off has left.
    package func keep(_ count: Int) {
        for backup in backups.dropFirst(max(count, 1)) { Backup.remove(backup.path) }
        for name in (try? Folder.names(in: path)) ?? []
        where name.hasPrefix("." + Self.prefix) && name.contains(BackupWriter.unfinishedMark) {
            Backup.remove(Backup.joined(path, name))
        }
    }

    /// The latest backup whose copy of a database is sound and can be used by this program.
    ///
    /// - Parameter schema: The tables of the database; `nil` if they have no versions.
    package func latest(with name: String, _ schema: DatabaseSchema?) -> Backup? {
        backups.first { backup in
            guard backup.files.contains(where: { $0.name == name }),
                (try? backup.verify(.quick, [name])) != nil
            else { return false }
            return (try? schema?.check(file: backup.file(name))) != nil || schema == nil
        }
    }
}
