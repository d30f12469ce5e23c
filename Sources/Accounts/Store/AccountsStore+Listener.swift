import GRDB
import People

/// The built-in user whose password is that of the web listener.
///
/// The name is none that users may have, so no list, right or sign-in by name finds the row.
/// - Source: contrib/contract/web.md, "The listener's own password".
extension AccountsStore {
    /// As lists of sessions call the user.
    package static let listenerName = "listener password"

    /// The stored hash; `nil` if there is no such user.
    package func listenerPassword() throws(AccountsError) -> String? {
        try read {
            let sql = "SELECT password FROM user WHERE id = ?"
            return try String.fetchOne($0, sql: sql, arguments: ["\(AccountID.listener)"])
        }
    }

    /// Sets the password, which ends all sessions; `nil` removes the user.
    package func setListenerPassword(_ hash: PasswordHash?, at now: Int64) throws(AccountsError) {
        try write { database in
            try Self.endSessions(of: .listener, database)
            let id = "\(AccountID.listener)"
            try database.execute(sql: "DELETE FROM user WHERE id = ?", arguments: [id])
            guard let hash else { return }
            try database.execute(
                sql: """
                    INSERT INTO user (id, name, display, email, password, state, made) VALUES (?, ?, '', '', ?, ?, ?)
                    """,
                arguments: [id, Self.listenerName, "\(hash)", UserState.active.rawValue, now]
            )
        }
    }
}
