import GRDB
package import People

/// A contact, and whose it is.
package struct OwnedContact: Sendable, Hashable {
    package let owner: AccountID
    package let contact: Contact
}

/// Whom rules notify.
///
/// - Source: contrib/contract/rules.md, "Notifications".
extension AccountsStore {
    /// The contacts with this number or name, of a user or of everybody, by number.
    package func contacts(called word: String, of user: AccountID? = nil) throws(AccountsError)
        -> [OwnedContact]
    {
        try read { database in
            let condition = "(name = ? OR id = ?) AND (? IS NULL OR user = ?)"
            return try Row.fetchAll(
                database,
                sql: "SELECT * FROM contact WHERE \(condition) ORDER BY id",
                arguments: [word, Int64(word), user.map { "\($0)" }, user.map { "\($0)" }]
            ).compactMap { row in
                AccountID(row["user"]).map { OwnedContact(owner: $0, contact: Contact(row)) }
            }
        }
    }

    /// The address of mail of a user; empty for none.
    package func email(of user: AccountID) throws(AccountsError) -> String {
        try read { database in
            let sql = "SELECT email FROM user WHERE id = ?"
            return try String.fetchOne(database, sql: sql, arguments: ["\(user)"]) ?? ""
        }
    }

    /// The active users with an address of mail, however it is written.
    package func users(withEmail address: String) throws(AccountsError) -> [AccountID] {
        guard !address.isEmpty else { return [] }
        return try read { database in
            let sql = "SELECT id FROM user WHERE lower(email) = lower(?) AND state = ? ORDER BY id"
            return try String.fetchAll(
                database,
                sql: sql,
                arguments: [address, UserState.active.rawValue]
            ).compactMap { AccountID($0) }
        }
    }
}
