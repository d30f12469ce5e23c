import JSON
import OperatingSystem

/// What a state folder says of its last backup, also when its databases are gone.
package struct BackupRecord: Sendable, Hashable {
    private static let name = "last-backup.json"
    private static let maximumBytes = 65_536

    /// Whose backups they are: the id of the installation.
    package let installation: String
    /// The names of the databases in it.
    package let databases: [String]

    package init(installation: String, databases: [String]) {
        (self.installation, self.databases) = (installation, databases)
    }

    /// - Returns: `nil` if there is none, or it cannot be read.
    package init?(in folder: String) {
        guard
            let bytes = try? FileContents.readBytes(
                Backup.joined(folder, Self.name),
                upTo: Self.maximumBytes
            ).get(),
            let json = try? JSONValue(parsing: bytes),
            let installation = json["installation"]?.string, let databases = json["databases"]?.array
        else { return nil }
        self.init(installation: installation, databases: databases.compactMap(\.string))
    }

    package func write(in folder: String) throws(BackupError) {
        let json: JSONValue = [
            "installation": .string(installation), "databases": .array(databases.map { .string($0) }),
        ]
        let path = Backup.joined(folder, Self.name)
        do throws(FileWriteError) {
            try AtomicFile.write(json.bytes + [0x0A], to: path, permissions: 0o600)
        } catch {
            throw .system(path: path, code: error.code)
        }
    }
}
