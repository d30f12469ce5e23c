package import Bindings
import GRDB
package import People
import Threading

/// Programs on devices that are reached by a push token.
///
/// - Source: contrib/contract/bindings.md, "Installations".
extension AccountsStore {
    /// Those of a user, or of everybody, in the order in which they came; a damaged row is left out.
    package func installations(of owner: AccountID? = nil) throws(AccountsError) -> [Installation] {
        try read { database in
            try Row.fetchAll(
                database,
                sql: "SELECT * FROM installation\(owner == nil ? "" : " WHERE owner = ?") ORDER BY rowid",
                arguments: owner.map { ["\($0)"] } ?? []
            ).compactMap { Installation($0) }
        }
    }

    /// Whether a user may have installations, without a look into the database.
    package func mayHaveInstallations(_ owner: AccountID) -> Bool {
        installationOwners.withLock { $0?.contains(owner) ?? true }
    }

    /// Makes ``mayHaveInstallations(_:)`` know who has none.
    package func readInstallationOwners() throws(AccountsError) {
        guard installationOwners.withLock({ $0 == nil }) else { return }
        try read { database in
            let owners = try String.fetchAll(database, sql: "SELECT DISTINCT owner FROM installation")
            let ids = Set(owners.compactMap { AccountID($0) })
            installationOwners.withLock { $0 = $0 ?? ids }
        }
    }

    package func installation(_ id: String) throws(AccountsError) -> Installation? {
        try read { database in
            let sql = "SELECT * FROM installation WHERE id = ?"
            return try Row.fetchOne(database, sql: sql, arguments: [id]).flatMap { Installation($0) }
        }
    }

    /// Registers a program for a user; the same token and `development` again moves the installation to them.
    ///
    /// - Parameter newID: The identifier of a new installation.
    /// - Throws: ``AccountsError/refused(_:)`` if the user has too many.
    package func register(
        _ request: Installation.Request,
        newID: String,
        owner: AccountID
    ) throws(AccountsError) -> Installation {
        try write { database in
            guard try Self.user(owner, database) != nil else {
                throw AccountsError.unknown("there is no such user")
            }
            let known = try Row.fetchOne(
                database,
                sql: "SELECT * FROM installation WHERE token = ? AND development = ?",
                arguments: [request.token, request.isDevelopment ? 1 : 0]
            ).flatMap { Installation($0) }
            let registered = Installation.registered(request, known: known, newID: newID, owner: owner)
            if known?.owner != owner { try Self.requireRoom(ofInstallationsOf: owner, database) }
            installationOwners.withLock { _ = $0?.insert(owner) }
            try database.execute(
                sql: """
                    INSERT INTO installation (id, token, device_type, development, owner) VALUES (?, ?, ?, ?, ?)
                    ON CONFLICT (token, development) DO UPDATE SET
                    id = excluded.id, device_type = excluded.device_type, owner = excluded.owner
                    """,
                arguments: [
                    registered.id, request.token, request.device.rawValue, request.isDevelopment ? 1 : 0,
                    "\(owner)",
                ]
            )
            return registered
        }
    }

    private static func requireRoom(ofInstallationsOf owner: AccountID, _ database: Database) throws {
        let sql = "SELECT COUNT(*) FROM installation WHERE owner = ?"
        let count = try Int.fetchOne(database, sql: sql, arguments: ["\(owner)"]) ?? 0
        guard count < PeopleLimits.installations else {
            throw AccountsError.refused(
                "the user has \(PeopleLimits.installations) installations, and no more are possible;"
                    + " remove one that is not used any more"
            )
        }
    }

    /// Removes an installation, which instances lose.
    ///
    /// - Returns: Whether it was there.
    package func removeInstallation(_ id: String) throws(AccountsError) -> Bool {
        try write { database in
            try database.execute(sql: "DELETE FROM installation WHERE id = ?", arguments: [id])
            let isRemoved = database.changesCount > 0
            let sql = "UPDATE instance SET installation = NULL WHERE installation = ?"
            try database.execute(sql: sql, arguments: [id])
            return isRemoved
        }
    }
}

extension Installation {
    /// `nil` for a damaged row.
    fileprivate init?(_ row: Row) {
        guard let device = DeviceType(rawValue: row["device_type"]), let owner = AccountID(row["owner"])
        else {
            return nil
        }
        let isDevelopment = StoredColumns(row).flag("development")
        let request = Request(token: row["token"], device: device, isDevelopment: isDevelopment)
        self.init(row["id"], request, owner: owner)
    }
}
