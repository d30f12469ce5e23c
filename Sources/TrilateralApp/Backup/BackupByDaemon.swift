import Administration
import Daemon
import Databases
import Foundation
import JSON
import OperatingSystem
import People

/// A backup that the daemon of a state folder makes, as only it can read what it has locked.
///
/// It makes it in its state folder: as a service it can write hardly anywhere else.
struct BackupByDaemon {
    /// The state folder.
    let folder: String

    /// How long the daemon may take, seconds.
    private static let patience = 3600

    /// A backup that is to be taken over.
    struct Made {
        fileprivate let backup: Backup

        /// Moves it to its place, or copies it where that is on another disk.
        func take(to path: String) throws(BackupError) -> Backup {
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
            giveToUser(path)
            return try Backup(reading: path)
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

        /// What root asked for is root's.
        private func giveToUser(_ path: String) {
            guard geteuid() == 0 else { return }
            for name in [""] + backup.files.map({ "/\($0.name)" }) + ["/\(Backup.description)"] {
                lchown(path + name, geteuid(), getegid())
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
        return Made(backup: try Backup(reading: path))
    }
}
