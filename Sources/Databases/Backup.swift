import Glibc
import JSON
import OperatingSystem
import Text

/// A backup: a folder with a copy of each database, and a file that says what it is.
///
/// Each copy is a whole SQLite file, which any program can read and `cp` can put back.
package struct Backup: Sendable, Hashable {
    /// The name of the file that is written last: a folder without it is not complete.
    package static let description = "backup.json"
    private static let maximumDescription = 65_536

    /// A database in it.
    package struct File: Sendable, Hashable {
        package let name: String
        package let bytes: Int

        package init(name: String, bytes: Int) { (self.name, self.bytes) = (name, bytes) }
    }

    package let path: String
    /// Milliseconds since 1970, UTC.
    package let made: Int64
    /// The version of the program that made it.
    package let program: String
    package let files: [File]
    /// The id of the installation whose schedule has made it; `nil` if somebody asked for it.
    package let installation: String?

    package init(
        path: String,
        made: Int64,
        program: String,
        files: [File],
        installation: String? = nil
    ) {
        (self.path, self.made, self.program, self.files) = (path, made, program, files)
        self.installation = installation
    }

    /// Reads what a folder says of itself; the copies are not looked at.
    package init(reading path: String) throws(BackupError) {
        let file = Self.joined(path, Self.description)
        guard FileStatus(path: path)?.kind == .folder else {
            throw FileStatus(path: path) == nil
                ? .system(path: path, code: ENOENT) : .notABackup(path: path, why: "it is not a folder")
        }
        guard let status = FileStatus(path: file, followsLinks: false) else {
            let names = (try? Folder.names(in: path)) ?? []
            let hasBackups = names.contains {
                FileStatus(path: Self.joined(Self.joined(path, $0), Self.description)) != nil
            }
            throw .notABackup(
                path: path,
                why: hasBackups ? "it has backups in it; name one of them" : "\(Self.description) is missing"
            )
        }
        // A pipe would be waited for, once for each folder that has one.
        guard status.kind == .file else {
            throw .notABackup(path: path, why: "\(Self.description) is no plain file")
        }
        guard let bytes = try? FileContents.readBytes(file, upTo: Self.maximumDescription).get(),
            let json = try? JSONValue(parsing: bytes),
            let made = json["made"]?.string.flatMap({ CivilTime($0) }),
            let program = json["program"]?.string, let files = json["databases"]?.object
        else { throw .notABackup(path: path, why: "\(Self.description) cannot be read") }
        self.init(
            path: path,
            made: made.milliseconds,
            program: program,
            files: files.sorted { $0.key < $1.key }.compactMap { name, value in
                guard Self.isLegal(name), let bytes = value["bytes"]?.integer else { return nil }
                return File(name: name, bytes: bytes)
            },
            installation: json["installation"]?.string
        )
        guard !self.files.isEmpty else { throw .notABackup(path: path, why: "it has no databases") }
    }

    /// Whether a file may have the name: one that leads nowhere else.
    private static func isLegal(_ name: String) -> Bool {
        name.hasSuffix(".db") && name.utf8.count <= 64 && !name.contains("/") && !name.hasPrefix(".")
    }

    var json: JSONValue {
        var databases = JSONObject()
        for file in files { databases[file.name] = ["bytes": JSONValue(file.bytes)] }
        var json: JSONObject = [
            "program": .string(program), "made": .string(CivilTime.text(milliseconds: made)),
            "databases": .object(databases),
        ]
        if let installation { json["installation"] = .string(installation) }
        return .object(json)
    }

    /// The path of a copy in it.
    package func file(_ name: String) -> String { Self.joined(path, name) }

    /// Checks copies, and that each is there.
    ///
    /// - Parameter names: Which; all without it.
    package func verify(_ depth: DatabaseCheck.Depth, _ names: [String]? = nil) throws(BackupError) {
        for name in names ?? files.map(\.name) {
            let path = file(name)
            guard let status = FileStatus(path: path, followsLinks: false) else {
                throw .system(path: path, code: ENOENT)
            }
            // A link would not be put back, so a backup with one is not good.
            guard status.kind == .file else {
                throw .notABackup(path: self.path, why: "\(name) is no plain file")
            }
            switch DatabaseCheck.run(depth, on: path, isReadOnly: true) {
            case .sound: break
            case .damaged(let what), .unknown(let what): throw .damaged(path: path, what: what)
            }
        }
    }

    static func joined(_ folder: String, _ name: String) -> String {
        folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
    }

    /// Removes a folder and the files in it; a symbolic link is not followed.
    package static func remove(_ path: String) { Folder.remove(path) }
}
