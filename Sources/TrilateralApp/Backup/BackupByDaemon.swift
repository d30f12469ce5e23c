import Administration
import Daemon
package import Databases
import Foundation
import JSON
import OperatingSystem
import People

/// A backup that the daemon of a state folder makes, as only it can read what it has locked.
///
/// It makes it in its state folder: as a service it can write hardly anywhere else.
package struct BackupByDaemon {
    /// The state folder.
    let folder: String

    /// How long the daemon may take, seconds.
    private static let patience = 3600

    /// Where the backup is that a daemon speaks of.
    ///
    /// Only the name is believed. Root removes what is there, and a daemon that was taken over may name any folder.
    /// - Returns: `nil` if the name is not one that a daemon gives.
    package static func place(of answer: String, in folder: String) -> String? {
        let name = answer.split(separator: "/", omittingEmptySubsequences: false).last.map(String.init) ?? ""
        guard name.hasPrefix(BackupService.handedOver), name.utf8.count <= 64, !name.utf8.contains(0) else {
            return nil
        }
        return folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
    }

    /// A backup that is to be taken over.
    package struct Made {
        private let backup: Backup

        /// - Parameter path: Of the folder itself: a link may lead anywhere.
        package init(_ path: String) throws(BackupError) {
            guard FileStatus(path: path, followsLinks: false)?.kind == .folder else {
                throw .notABackup(path: path, why: "it is not a folder")
            }
            backup = try Backup(reading: path)
        }

        /// Moves it to its place, or copies it where that is on another disk.
        package func take(to path: String) throws(BackupError) -> Backup {
            defer { Backup.remove(backup.path) }
            let place = URL(filePath: path, directoryHint: .notDirectory)
            let above = place.deletingLastPathComponent().path(percentEncoded: false)
            guard FileStatus(path: above)?.kind == .folder else {
                throw .system(path: above, code: FileStatus(path: above) == nil ? ENOENT : ENOTDIR)
            }
            do throws(BackupError) {
                try BackupWriter.move(backup.path, to: path, in: above)
            } catch {
                guard error == .system(path: path, code: EXDEV) else { throw error }
                try copy(to: path, name: place.lastPathComponent, in: above)
            }
            do throws(BackupError) {
                try takeOver(path)
                return try Backup(reading: path)
            } catch {
                // The second for a link.
                Backup.remove(path)
                unlink(path)
                throw error
            }
        }

        private func copy(to path: String, name: String, in above: String) throws(BackupError) {
            let number = String(UInt32.random(in: 0 ... .max), radix: 36)
            let unfinished =
                "\(above.hasSuffix("/") ? above : above + "/").\(name)\(BackupWriter.unfinishedMark)\(number)"
            guard mkdir(unfinished, 0o700) == 0 else { throw .system(path: unfinished, code: errno) }
            do throws(BackupError) {
                for file in backup.files.map(\.name) + [Backup.description] {
                    try StateReplacement.copy(backup.file(file), to: "\(unfinished)/\(file)")
                }
                try Backup(reading: unfinished).verify(.quick)
                try BackupWriter.move(unfinished, to: path, in: above)
            } catch {
                Backup.remove(unfinished)
                throw error
            }
        }

        /// What root asked for is root's; and it leads nowhere else.
        private func takeOver(_ path: String) throws(BackupError) {
            let folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard folder >= 0 else { throw .system(path: path, code: errno) }
            defer { close(folder) }
            // First the folder: then nobody else changes what is in it.
            if geteuid() == 0 {
                guard fchown(folder, geteuid(), getegid()) == 0, fchmod(folder, 0o700) == 0 else {
                    throw .system(path: path, code: errno)
                }
            }
            for name in backup.files.map(\.name) + [Backup.description] {
                guard FileStatus(path: "\(path)/\(name)", followsLinks: false)?.kind == .file else {
                    throw .notABackup(path: path, why: "\(name) is no plain file")
                }
                if geteuid() == 0 { fchownat(folder, name, geteuid(), getegid(), AT_SYMLINK_NOFOLLOW) }
            }
        }
    }

    /// - Returns: `nil` if no daemon has the folder.
    func make() async throws(BackupError) -> Made? {
        let answer: (status: Int, body: [UInt8])
        do throws(AdministrationClient.Failure) {
            answer = try await AdministrationClient(folder: folder).send(
                .post,
                Array(BackupAPI.path.dropFirst()),
                query: [:],
                body: [],
                seconds: Self.patience
            )
        } catch {
            switch error {
            case .absent: return nil
            case .notAllowed: throw .system(path: folder, code: EACCES)
            case .broken(let reason): throw .daemon(reason)
            }
        }
        let json = try? JSONValue(parsing: answer.body)
        guard answer.status == 200, let path = json?["folder"]?.string else {
            if answer.status == 409 { throw .busy }
            throw .daemon(json?["message"]?.string ?? "it is of a version that makes no backups")
        }
        guard let place = Self.place(of: path, in: folder) else {
            throw .daemon("it names a folder that is none of its backups")
        }
        return try Made(place)
    }
}
