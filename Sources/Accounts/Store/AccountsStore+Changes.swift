import Foundation
import GRDB
import People

/// Users, rights and secrets as they were read together.
struct AccountsReading: Sendable {
    /// The last change that is in it.
    let number: Int64
    /// Users, groups and grants; `nil` if they are as before.
    let table: AccessTable?
    /// The secrets that count, of all or of ``hashes``.
    let secrets: [SecretRecord]
    /// The secrets that may have been added or removed, by their hashes; `nil` for all.
    let hashes: [[UInt8]]?
}

/// What changes of users, rights and secrets, so that not everything is read again after each change.
///
/// Changes are numbered in the memory of the connection. Those of other programs are not among them; see
/// ``AccountsStore/foreignChanges()``. When secrets were used, and users seen, is no change.
extension AccountsStore {
    /// The most changes that are remembered; who missed more reads everything.
    private static let mostChanges: Int64 = 10_000

    /// Numbers changes from now on, as long as the database is open; a second call does nothing.
    func numberChanges() throws(AccountsError) {
        // Of users no more than a table of rights has: when they were seen is written often.
        let events = ["INSERT", "DELETE", "UPDATE"].flatMap { event in
            [
                ("user", event == "UPDATE" ? "UPDATE OF id, name, state" : event, "NULL"),
                ("grouping", event, "NULL"),
                ("member", event, "NULL"), ("permission", event, "NULL"),
            ]
        }
        let secrets = [("secret", "INSERT", "new.hash"), ("secret", "DELETE", "old.hash")]
        let triggers = (events + secrets).map { table, event, hash in
            """
            CREATE TEMP TRIGGER IF NOT EXISTS \(table)_\(event.prefix(6)) AFTER \(event) ON main.\(table)
            BEGIN INSERT INTO recent_change (hash) VALUES (\(hash)); END;
            """
        }
        try write { database in
            // Without a hash: something of users or rights.
            try database.execute(
                sql: "CREATE TEMP TABLE IF NOT EXISTS recent_change (number INTEGER PRIMARY KEY, hash BLOB);"
                    + triggers.joined()
            )
        }
    }

    /// Reads everything.
    ///
    /// - Parameter publish: Called before anybody changes anything else; it may not use the store.
    func readAll<Result>(
        at now: Int64,
        _ publish: (AccountsReading) -> Result
    ) throws(AccountsError) -> Result {
        try read { database in
            defer { database.releaseMemory() }
            return publish(try Self.reading(since: nil, database, at: now))
        }
    }

    /// Does several operations as one transaction, after which what has changed is read.
    ///
    /// - Parameters:
    ///   - number: Returns that of the last change that is known.
    ///   - publish: Called when all is stored, before anybody changes anything else; it may not use the store.
    func atomically<Result>(
        _ work: (AccountsStore) throws -> Result,
        since number: () -> Int64,
        at now: Int64,
        _ publish: (AccountsReading) -> Void
    ) throws(AccountsError) -> Result {
        try inQueue { database in
            var results: (Result, AccountsReading)?
            try database.inTransaction(.immediate) {
                results = (try work(self), try Self.reading(since: number(), database, at: now))
                return .commit
            }
            let (result, reading) = try Self.result(results)
            publish(reading)
            return result
        }
    }

    /// - Parameter number: What has changed since then is read; `nil` for everything.
    private static func reading(
        since number: Int64?,
        _ database: Database,
        at now: Int64
    ) throws -> AccountsReading {
        let first = try Int64.fetchOne(database, sql: "SELECT MIN(number) FROM recent_change") ?? 1
        let last = try Int64.fetchOne(database, sql: "SELECT MAX(number) FROM recent_change") ?? 0
        guard let number, first <= number + 1 else {
            let secrets = try secretsInUse(database, at: now)
            return AccountsReading(
                number: last,
                table: try AccessTable(reading: database),
                secrets: secrets,
                hashes: nil
            )
        }
        let changes = try (Data?).fetchAll(
            database,
            sql: "SELECT DISTINCT hash FROM recent_change WHERE number > ?",
            arguments: [number]
        )
        let hashes = changes.compactMap(\.self)
        let secrets = try hashes.compactMap { hash in
            try Row.fetchOne(
                database,
                sql: "SELECT * FROM secret WHERE hash = ? AND kind <> 'link'",
                arguments: [hash]
            ).flatMap { SecretRecord($0) }
        }
        let table = changes.count > hashes.count ? try AccessTable(reading: database) : nil
        try database.execute(
            sql: "DELETE FROM recent_change WHERE number <= ?",
            arguments: [last - mostChanges]
        )
        return AccountsReading(
            number: last,
            table: table,
            secrets: secrets.filter { $0.counts(at: now) },
            hashes: hashes.map { Array($0) }
        )
    }
}
