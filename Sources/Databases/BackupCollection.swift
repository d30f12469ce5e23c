import OperatingSystem
import Text

/// The folder in which backups are made on a schedule.
package struct BackupCollection: Sendable, Hashable {
    private static let prefix = "trilateral-"

    package let path: String

    /// Whose backups are seen and removed, in a folder that several installations may have.
    private let installation: String?
    private let isShared: Bool

    /// - Parameters:
    ///   - installation: The id of this installation.
    ///   - isShared: Whether others may have backups there: those with another id, and those without one, are not touched.
    package init(_ path: String, installation: String? = nil, isShared: Bool = false) {
        (self.path, self.isShared) = (path, isShared)
        self.installation = installation?.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
    }

    /// The complete backups of the schedule, the latest first; others are not touched.
    package var backups: [Backup] {
        let names = (try? Folder.names(in: path)) ?? []
        return names.filter { $0.hasPrefix(Self.prefix) }
            .compactMap { try? Backup(reading: Backup.joined(path, $0)) }
            .filter { !isShared || (installation != nil && $0.installation == installation) }
            .sorted { ($0.made, $0.path) > ($1.made, $1.path) }
    }

    /// Where a backup of that time goes: `trilateral-20261127T220000Z`, with the id after it in a shared folder.
    package func place(at now: Int64) -> String {
        let time = CivilTime.text(milliseconds: now).prefix(19).filter { $0 != "-" && $0 != ":" }
        let owner = isShared ? installation.map { "-\($0)" } ?? "" : ""
        return Backup.joined(path, "\(Self.prefix)\(time)Z\(owner)")
    }

    /// Removes the oldest backups, and what a backup that was broken off has left.
    ///
    /// The last one that has a database which the newer ones lack, or have with less than a tenth of its bytes, stays: an
    /// empty state must not push out the good ones.
    /// - Parameters:
    ///   - new: The backup that was just made, which stays whatever its time is.
    ///   - now: Milliseconds since 1970, UTC; what was made later is of a clock that was wrong, and counts as oldest.
    package func keep(_ count: Int, new: Backup? = nil, at now: Int64? = nil) {
        for backup in surplus(count, new: new, at: now) { Backup.remove(backup.path) }
        for name in (try? Folder.names(in: path)) ?? []
        where name.hasPrefix("." + Self.prefix) && name.contains(ownMark) {
            Backup.remove(Backup.joined(path, name))
        }
    }

    /// What is in the names of one's own folders that are not complete.
    private var ownMark: String {
        isShared ? "-\(installation ?? "/")\(BackupWriter.unfinishedMark)" : BackupWriter.unfinishedMark
    }

    /// Removes the oldest backups until there is enough room; the last one stays, and what ``keep(_:new:at:)`` does not remove.
    package func makeRoom(at now: Int64, until isEnough: () -> Bool) {
        for backup in surplus(1, new: nil, at: now).reversed() {
            if isEnough() { return }
            Backup.remove(backup.path)
        }
    }

    /// The backups that may go if a number of them is to stay, the latest first.
    private func surplus(_ count: Int, new: Backup?, at now: Int64?) -> [Backup] {
        let backups = backups
        let ordered =
            backups.filter { $0.path == new?.path }
            + Self.ordered(backups.filter { $0.path != new?.path }, at: now)
        var kept = Array(ordered.prefix(max(count, 1)))
        var surplus: [Backup] = []
        for backup in ordered.dropFirst(kept.count) {
            if Self.isLast(backup, before: kept) { kept.append(backup) } else { surplus.append(backup) }
        }
        return surplus
    }

    /// The latest first; what was made in the future last.
    private static func ordered(_ backups: [Backup], at now: Int64?) -> [Backup] {
        guard let now else { return backups }
        return backups.filter { $0.made <= now } + backups.filter { $0.made > now }
    }

    /// Whether a backup has a database which the newer ones lack, or have with less than a tenth of its bytes.
    private static func isLast(_ backup: Backup, before newer: [Backup]) -> Bool {
        backup.files.contains { file in
            let sizes = newer.flatMap(\.files).filter { $0.name == file.name }.map(\.bytes)
            guard let largest = sizes.max() else { return true }
            return largest < file.bytes / 10
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
