import GRDB
package import People

/// Tokens of things, of which only the hashes are stored.
///
/// - Source: contrib/contract/bindings.md, "Tokens".
extension AccountsStore {
    /// What a thing's token is called.
    private static let tokenName = "thing"

    /// Makes a token, which is returned and cannot be asked for again; a thing's third one ends its oldest.
    package func addThingToken(_ id: BindingID, at now: Int64) throws(AccountsError) -> SecretToken {
        try write { database in
            guard try Self.exists(database, "SELECT 1 FROM binding WHERE id = ?", ["\(id)"]) else {
                throw AccountsError.noRow("thing", id)
            }
            // By the order in which they were made: a clock may go back.
            try database.execute(
                sql: """
                    DELETE FROM secret WHERE hash IN (
                        SELECT hash FROM secret WHERE holder = ? ORDER BY rowid DESC LIMIT -1 OFFSET ?)
                    """,
                arguments: ["\(SecretHolder.thing(id))", PeopleLimits.thingTokens - 1]
            )
            return try Self.add(.thing, .thing(id), Self.tokenName, nil, nil, database, at: now).0
        }
    }

    /// Ends all tokens of a thing.
    package func endThingTokens(of id: BindingID) throws(AccountsError) {
        try write { try Self.endTokens(of: id, $0) }
    }

    static func endTokens(of id: BindingID, _ database: Database) throws {
        try database.execute(
            sql: "DELETE FROM secret WHERE holder = ?",
            arguments: ["\(SecretHolder.thing(id))"]
        )
    }
}
