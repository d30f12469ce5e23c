import GRDB

/// Why an operation on accounts was not done; every case has a sentence for people.
package enum AccountsError: Error, Sendable, Hashable {
    /// A rule or a missing right forbids it.
    case refused(String)
    /// A value is not legal.
    case badValue(String)
    /// What is named does not exist.
    case unknown(String)
    /// Too many wait; try again later.
    case rateLimited
    /// SQLite's result code and message.
    case database(code: Int32, message: String)

    package init(_ error: any Error) {
        switch error {
        case let error as AccountsError: self = error
        case let error as DatabaseError:
            self = .database(code: error.resultCode.rawValue, message: error.message ?? "")
        default: self = .database(code: 1, message: "\(error)")
        }
    }

    /// For programs.
    package var code: String {
        switch self {
        case .refused: "not_allowed"
        case .badValue: "invalid_value"
        case .unknown: "unknown"
        case .rateLimited: "rate_limited"
        case .database: "internal"
        }
    }
}

extension AccountsError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .refused(let text), .badValue(let text), .unknown(let text): text
        case .rateLimited: "too many passwords are being checked; try again in a minute"
        case .database(let code, let message): "the accounts cannot be used: \(message) (SQLite \(code))"
        }
    }
}
