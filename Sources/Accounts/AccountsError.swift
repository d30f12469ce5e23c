import GRDB

/// Why an operation on accounts was not done; every case has a sentence for people.
package enum AccountsError: Error, Sendable, Hashable {
    /// A rule or a missing right forbids it.
    case refused(String)
    /// A value is not legal.
    case badValue(String)
    /// Values are legal, but not with each other, or not any more.
    case conflict(String)
    /// What is named does not exist.
    case unknown(String)
    /// Who asks is not known any more, or what they brought has ended.
    case unauthenticated(String)
    /// Too many wait; try again later.
    case rateLimited
    /// Somebody asked too often.
    case limited(String)
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

    /// Nothing has the identifier that was named.
    ///
    /// - Parameter kind: As the verbs that list it are called: `grant`.
    package static func noRow(_ kind: String, _ id: some CustomStringConvertible) -> AccountsError {
        .unknown("there is no \(kind) \(id): `trilateral \(kind) list` shows their ids")
    }

    /// For programs.
    package var code: String {
        switch self {
        case .refused: "not_allowed"
        case .badValue, .conflict: "invalid_value"
        case .unknown: "unknown"
        case .unauthenticated: "unauthenticated"
        case .rateLimited, .limited: "rate_limited"
        case .database:
            isAboutContents ? "damaged" : isBusy ? "busy" : isTransient ? "unavailable" : "internal"
        }
    }

    /// Whether another program has the database locked.
    private var isBusy: Bool {
        guard case .database(let code, _) = self else { return false }
        return [5, 6].contains(code & 0xFF)
    }

    /// Whether the database itself is damaged, so that another attempt cannot succeed.
    package var isAboutContents: Bool {
        guard case .database(let code, _) = self else { return false }
        return [11, 26].contains(code & 0xFF)
    }

    /// Whether another attempt may succeed: the disk is full or fails, or another program has the database locked.
    package var isTransient: Bool {
        guard case .database(let code, _) = self else { return false }
        return [5, 6, 7, 8, 10, 13, 14].contains(code & 0xFF)
    }
}

extension AccountsError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .refused(let text), .badValue(let text), .conflict(let text), .unknown(let text),
            .unauthenticated(let text),
            .limited(let text):
            text
        case .rateLimited: "too many passwords are being checked; try again in a minute"
        case .database(let code, let message):
            "the accounts cannot be used: \(message) (SQLite \(code))\(Self.advice(code))"
        }
    }

    /// Advice for a primary result code of SQLite.
    private static func advice(_ code: Int32) -> String {
        switch code & 0xFF {
        case 13: "; free some space"
        case 11, 26: "; restore trilateral.db from a backup"
        default: ""
        }
    }
}
