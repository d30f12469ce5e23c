package import Databases

/// Why a database cannot be opened, read or written.
package enum FlareStoreError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A newer version of the program wrote it.
    case newerVersion(NewerDatabase)
    /// Another process uses it.
    case inUse(path: String)
    /// A row that cannot be read.
    case damaged(path: String, what: String)
    /// The changes are in the database, but the disk has not confirmed them.
    case notOnDisk(path: String, reason: String)
    /// SQLite's extended result code and message.
    case sqlite(path: String, code: Int32, message: String)

    package var description: String {
        switch self {
        case .newerVersion(let error): "\(error)"
        case .inUse(let path):
            "\(path): in use by another process; stop it first"
        case .damaged(let path, let what):
            "\(path): damaged: \(what)"
        case .notOnDisk(let path, let reason):
            "\(path): the disk did not confirm the last changes: \(reason); check the disk"
        case .sqlite(let path, let code, let message):
            "\(path): \(message) (SQLite code \(code))\(Self.advice(code))"
        }
    }

    /// Whether the file itself is invalid, so that a retry cannot succeed.
    package var isAboutContents: Bool {
        switch self {
        case .newerVersion, .damaged: true
        case .inUse, .notOnDisk: false
        case .sqlite(_, let code, _): [11, 26].contains(code & 0xFF)
        }
    }

    /// Whether the disk, or the database up to its size limit, is full.
    var isAboutSpace: Bool {
        if case .sqlite(_, let code, _) = self { code & 0xFF == 13 } else { false }
    }

    /// Advice for an SQLite result code.
    private static func advice(_ code: Int32) -> String {
        switch code & 0xFF {
        case 8: "; make the file and its folder writable"
        case 11: "; restore a backup, or move the file away to start with an empty one"
        case 13: "; free some space"
        case 14: "; check that the folder exists and is writable"
        case 26: "; move it away or configure another file"
        default: ""
        }
    }
}
