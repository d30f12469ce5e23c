package import Databases
import GRDB

/// Why the history cannot be used; every case has a sentence for people.
package enum HistoryError: Error, Sendable, Hashable {
    /// SQLite's result code and message.
    case database(path: String, code: Int32, message: String)
    /// An error that is not SQLite's, such as the system's.
    case other(path: String, message: String)
    case newerVersion(NewerDatabase)
    /// It is closed, or could not be opened yet.
    case closed(path: String)
    /// Samples that belong to an answer wait, because they cannot be stored.
    case unstored(path: String)

    init(_ error: any Error, _ path: String) {
        switch error {
        case let error as HistoryError: self = error
        case let error as NewerDatabase: self = .newerVersion(error)
        case let error as DatabaseError:
            self = .database(path: path, code: error.resultCode.rawValue, message: error.message ?? "")
        // A value of another type than the table's.
        case is RowDecodingError: self = .database(path: path, code: 11, message: "a value cannot be read")
        default: self = .other(path: path, message: "\(error)")
        }
    }

    /// Whether the file itself is damaged, or is no database, so that another attempt cannot succeed.
    var isDamage: Bool {
        guard case .database(_, let code, _) = self else { return false }
        return [11, 26].contains(code & 0xFF)
    }
}

extension HistoryError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .database(let path, let code, let message):
            "\(path) cannot be used: \(message) (SQLite \(code))\(Self.advice(code))"
        case .other(let path, let message): "\(path) cannot be used: \(message)"
        case .newerVersion(let error): "\(error)"
        case .closed(let path): "\(path) is not open"
        case .unstored(let path): "samples wait, because \(path) cannot be written"
        }
    }

    /// Advice for a primary result code of SQLite.
    private static func advice(_ code: Int32) -> String {
        switch code & 0xFF {
        case 13: "; free some space"
        case 5, 6: "; another program has it locked"
        case 8, 10, 14: "; check the folder's owner, permissions and free space"
        default: ""
        }
    }
}

/// What happens to the history that somebody should know.
package enum HistoryEvent: Sendable, Hashable {
    /// The file was damaged: it was renamed, and an empty one was begun.
    case restarted(damaged: String, HistoryError)
    /// Samples cannot be stored. They wait, and those that come when too many wait are dropped.
    case failed(HistoryError)
    /// Samples are stored again; `dropped` is how many were lost meanwhile.
    case recovered(dropped: Int)
}
