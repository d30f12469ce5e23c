import GRDB
import People

/// Somebody a user wants messages to go to.
package struct Contact: Sendable, Hashable {
    /// How they are reached.
    package enum Channel: String, Sendable, Hashable, CaseIterable {
        case email, sms, push
    }

    package var id: Int64
    package var name: String
    package var email: String
    package var phone: String
    /// Those that are on.
    package var channels: Set<Channel>

    package init(name: String, email: String = "", phone: String = "", channels: Set<Channel> = []) {
        id = 0
        (self.name, self.email, self.phone, self.channels) = (name, email, phone, channels)
    }

    init(_ row: Row) {
        let channels: String = row["channels"]
        (id, name, email, phone) = (row["id"], row["name"], row["email"], row["phone"])
        self.channels = Set(channels.split(separator: " ").compactMap { Channel(rawValue: String($0)) })
    }
}

extension AccountsError {
    package static func noContact(_ id: String, of user: String) -> AccountsError {
        .unknown("\(user) has no contact \(id): `trilateral contact list \(user)` shows their ids")
    }
}

extension AccountsStore {
    /// A user's contacts, by name.
    package func contacts(
        ofUser user: String,
        by authority: Authority
    ) throws(AccountsError) -> [Contact] {
        try read { database in
            let id = try Self.owner(user, database, authority)
            return try Row.fetchAll(
                database,
                sql: "SELECT * FROM contact WHERE user = ? ORDER BY name, id",
                arguments: ["\(id)"]
            ).map { Contact($0) }
        }
    }

    /// Adds a contact.
    ///
    /// - Parameter contact: Its identifier is ignored.
    /// - Returns: The identifier.
    package func addContact(
        _ contact: Contact,
        ofUser user: String,
        by authority: Authority
    ) throws(AccountsError) -> Int64 {
        let name = try AccountText.label(contact.name, of: "contact")
        let (email, phone) = (try AccountText.email(contact.email), try AccountText.phone(contact.phone))
        return try write(by: authority) { database in
            let id = try Self.owner(user, database, authority, changes: true)
            let sql = "SELECT COUNT(*) FROM contact WHERE user = ?"
            guard try Int.fetchOne(database, sql: sql, arguments: ["\(id)"]) ?? 0 < PeopleLimits.contacts
            else {
                throw AccountsError.refused(
                    "\(user) has \(PeopleLimits.contacts) contacts, and no more are possible"
                )
            }
            try database.execute(
                sql: "INSERT INTO contact (user, name, email, phone, channels) VALUES (?, ?, ?, ?, ?)",
                arguments: [
                    "\(id)", name, email, phone,
                    contact.channels.map(\.rawValue).sorted().joined(separator: " "),
                ]
            )
            return database.lastInsertedRowID
        }
    }

    package func removeContact(
        _ id: Int64,
        ofUser user: String,
        by authority: Authority
    ) throws(AccountsError) {
        try write(by: authority) { database in
            let owner = try Self.owner(user, database, authority, changes: true)
            try database.execute(
                sql: "DELETE FROM contact WHERE id = ? AND user = ?",
                arguments: [id, "\(owner)"]
            )
            guard database.changesCount > 0 else {
                throw AccountsError.noContact("\(id)", of: user)
            }
        }
    }
}
