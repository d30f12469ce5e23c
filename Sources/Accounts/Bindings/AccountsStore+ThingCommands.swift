import Bindings
import GRDB

/// Commands of things with owners, which are rows of the command log.
extension AccountsStore {
    /// The row of a command; `nil` if there is none, or if the limits of the log have removed it.
    package func logRow(ofCommand id: String) throws(AccountsError) -> CommandLogEntry? {
        try row("SELECT * FROM command WHERE id = ?", [id])
    }

    /// The row of a number of a user; `nil` if there is none.
    package func logRow(_ seq: Int64) throws(AccountsError) -> CommandLogEntry? {
        try row("SELECT * FROM command WHERE seq = ? AND seq > 0", [seq])
    }

    /// The commands that have not ended, the oldest first; damaged rows are left out.
    package func openCommands() throws(AccountsError) -> [StoredThingCommand] {
        try read { database in
            let sql = """
                SELECT * FROM command INDEXED BY command_open WHERE state IN ('SENDING', 'DELIVERED') ORDER BY seq
                """
            return try Row.fetchAll(database, sql: sql).compactMap { StoredThingCommand(CommandLogEntry($0)) }
        }
    }

    private func row(
        _ sql: String,
        _ arguments: StatementArguments
    ) throws(AccountsError) -> CommandLogEntry? {
        try read { try Row.fetchOne($0, sql: sql, arguments: arguments).map { CommandLogEntry($0) } }
    }
}
