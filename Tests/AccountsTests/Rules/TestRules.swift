import Accounts
import AccountsFixture
import GRDB
import People

extension NewRule {
    /// A rule with its title as slug.
    static func named(_ slug: String, of maker: AccountID) -> NewRule {
        NewRule(slug: slug, title: slug, maker: maker, form: "rule", body: "{}")
    }
}

extension StoredFiring {
    /// A firing of the run `now`.
    static func number(_ seq: Int64, of rule: Int, at time: Int64 = 10) -> StoredFiring {
        StoredFiring(seq, epoch: "now", rule: rule, at: time, why: "cron")
    }
}

extension TestAccounts {
    /// Adds a rule of bob.
    func addRule(_ slug: String = "lamp") throws -> StoredRule {
        try store.addRule(.named(slug, of: bob), at: 10)
    }

    func save(_ firings: [StoredFiring]) throws {
        try database.write { database in
            for firing in firings { try AccountsStore.save(firing, database) }
        }
    }

    func remember(_ memory: String, of rule: Int) throws {
        try database.write { try AccountsStore.setMemory(memory, ofRule: rule, $0) }
    }

    func execute(_ sql: String, _ arguments: StatementArguments = []) throws {
        try database.write { try $0.execute(sql: sql, arguments: arguments) }
    }

    /// Adds rows of a user, as if they had made so many rules.
    func addRows(_ count: Int, of maker: AccountID, slug: String) throws {
        try execute(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
            INSERT INTO rule (slug, title, enabled, maker, form, added, changed, body)
            SELECT ? || '-' || i, '', 1, ?, 'rule', 1, 1, '{}' FROM n
            """,
            [count, slug, "\(maker)"]
        )
    }

    /// Lets a table take any value, as a damaged file may have it.
    func loosen(_ table: String, _ columns: String) throws {
        try database.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA writable_schema = ON")
            try database.execute(
                sql: "UPDATE sqlite_schema SET sql = ? WHERE name = ?",
                arguments: ["CREATE TABLE \(table) (\(columns))", table]
            )
            try database.execute(sql: "PRAGMA writable_schema = RESET")
        }
    }
}
