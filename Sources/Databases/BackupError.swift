import GRDB
import OperatingSystem

/// Why there is no backup, or why it cannot be used; every case has a sentence for people.
package enum BackupError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The system's error number.
    case system(path: String, code: Int32)
    /// A file or folder that must not be there.
    case exists(path: String)
    /// It is no backup, or one of another form.
    case notABackup(path: String, why: String)
    /// SQLite's result code and message.
    case database(name: String, code: Int32, message: String)
    case damaged(path: String, what: String)
    /// The program ends, or whoever asked is gone.
    case cancelled
    /// Why the daemon has made none.
    case daemon(String)
    /// Another backup is being made.
    case busy
    /// Bytes that are needed and free.
    case noRoom(path: String, needed: Int, free: Int)

    package var description: String {
        switch self {
        case .system(let path, let code): "\(path): \(systemMessage(code))"
        case .exists(let path): "\(path) exists already; name another folder"
        case .notABackup(let path, let why): "\(path) is no backup of trilateral: \(why)"
        case .database(let name, let code, let message): "\(name): \(message) (SQLite \(code))"
        case .damaged(let path, let what): "\(path) is damaged: \(what)"
        case .cancelled: "it was broken off"
        case .daemon(let reason): "the daemon has made no backup: \(reason)"
        case .busy: "another backup is being made; try again later"
        case .noRoom(let path, let needed, let free):
            "\(path) has room for \(free / 1_000_000) MB, and \(needed / 1_000_000 + 1) MB are needed: free some space"
        }
    }

    /// An error of a copy.
    package init(_ error: any Error, of name: String) {
        switch error {
        case let error as BackupError: self = error
        // CORRUPT; NOTADB.
        case let error as DatabaseError where [11, 26].contains(error.resultCode.rawValue):
            self = .damaged(path: name, what: error.message ?? "\(error.resultCode)")
        case let error as DatabaseError:
            self = .database(name: name, code: error.resultCode.rawValue, message: error.message ?? "")
        default: self = .database(name: name, code: 1, message: "\(error)")
        }
    }
}
