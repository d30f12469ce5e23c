package import GRDB

extension Database {
    /// Does work in a transaction that may write from its beginning, for what happens with every command.
    ///
    /// Its own statements are prepared once. GRDB is not told of it, so nothing that observes transactions follows it.
    /// - Throws: The error of the work, or that of the database; then nothing is stored.
    package func inRepeatedTransaction(_ work: () throws -> Void) throws {
        try run("BEGIN IMMEDIATE TRANSACTION")
        do {
            try work()
            // SQLite ends it by itself after some errors, which the work may have passed over.
            guard isInsideTransaction else {
                throw DatabaseError(resultCode: .SQLITE_ABORT, message: "the transaction was aborted")
            }
            try run("COMMIT TRANSACTION")
        } catch {
            // The first error says why.
            try? rollback()
            throw error
        }
    }

    private func run(_ sql: String) throws {
        var statement = try RepeatedStatement(sql, self)
        try statement.run { _ in }
    }
}
