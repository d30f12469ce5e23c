import GRDB
import People

/// Rules, each of which is a row.
///
/// Who may do what, and whether a text is a rule, is decided elsewhere. Each operation is a transaction, also inside
/// of ``atomically(_:)``. The rules of a user who is removed stay.
/// - Source: contrib/contract/rules.md, "Tables, limits, speed".
extension AccountsStore {
    /// All rules, and the rows that are none.
    package func readRules() throws(AccountsError) -> StoredRule.List {
        try read { database in
            // They may be megabytes, and are read once.
            defer { database.releaseMemory() }
            var list = StoredRule.List()
            let rows = try Row.fetchCursor(database, sql: "SELECT * FROM rule ORDER BY id")
            while let row = try rows.next() {
                do throws(StoredColumns.Damage) {
                    list.rules.append(try StoredRule(row))
                } catch {
                    list.damaged.append(DamagedRule(id: row["id"], column: error.column))
                }
            }
            return list
        }
    }

    /// All rules, by number; a damaged row is left out.
    package func rules() throws(AccountsError) -> [StoredRule] { try readRules().rules }

    /// The rules of a form, by number; a damaged row is left out.
    package func rules(ofForm form: String) throws(AccountsError) -> [StoredRule] {
        try read { database in
            defer { database.releaseMemory() }
            let sql = "SELECT * FROM rule WHERE form = ? ORDER BY id"
            let rows = try Row.fetchCursor(database, sql: sql, arguments: [form])
            var rules: [StoredRule] = []
            while let row = try rows.next() {
                if let rule = try? StoredRule(row) { rules.append(rule) }
            }
            return rules
        }
    }

    /// `nil` if there is none, or if its row is damaged; so for the other one.
    package func rule(_ id: Int) throws(AccountsError) -> StoredRule? { try rule(where: "id", is: id) }

    package func rule(slug: String) throws(AccountsError) -> StoredRule? {
        try rule(where: "slug", is: slug)
    }

    private func rule(
        where column: String,
        is value: some DatabaseValueConvertible
    ) throws(AccountsError) -> StoredRule? {
        try read { database in
            let sql = "SELECT * FROM rule WHERE \(column) = ?"
            return try Row.fetchOne(database, sql: sql, arguments: [value]).flatMap { try? StoredRule($0) }
        }
    }

    // MARK: Changes

    /// Adds a rule under a number that no rule had before.
    ///
    /// If another rule has the slug, it gets `-2`, or the next number that is free.
    /// - Throws: ``AccountsError/refused(_:)`` if there are too many in all, or of its maker;
    ///   ``AccountsError/unknown(_:)`` if there is no such user.
    package func addRule(_ new: NewRule, at now: Int64) throws(AccountsError) -> StoredRule {
        try write { database in
            guard StoredRule.isSlug(new.slug, upTo: StoredRule.longestWish) else {
                throw AccountsError.badValue(
                    "the slug of a rule must have 1 to \(StoredRule.longestWish) of a-z, 0-9 and '-',"
                        + " and not digits alone (is \(quoted(new.slug)))"
                )
            }
            guard try Self.count(database, "rule") < PeopleLimits.rules else {
                throw AccountsError.refused(
                    "there are \(PeopleLimits.rules) rules, and no more are possible;"
                        + " `trilateral rule rm` removes one"
                )
            }
            try Self.requireRoom(ofRulesOf: new.maker, database)
            let slug = try Self.freeSlug(new.slug, database)
            try database.execute(
                sql: "INSERT INTO rule (\(NewRule.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                arguments: new.values(slug: slug, at: now)
            )
            return StoredRule(Int(database.lastInsertedRowID), new, slug: slug, added: now)
        }
    }

    /// Changes everything of a rule but its number, slug and time of adding.
    ///
    /// With another body the rule begins anew: what was remembered of the old one is removed in the same
    /// transaction, so that it is never compared with the new one.
    /// - Throws: ``AccountsError/unknown(_:)`` if there is no such rule, or no such user;
    ///   ``AccountsError/refused(_:)`` if its new maker has too many.
    package func changeRule(_ rule: StoredRule) throws(AccountsError) {
        try write { database in
            // With IS, since `=` has no answer for the NULL of a damaged row.
            let known = try Row.fetchOne(
                database,
                sql: "SELECT maker IS ?, body IS ? FROM rule WHERE id = ?",
                arguments: ["\(rule.maker)", rule.body, rule.id]
            )
            guard let known else { throw AccountsError.noRow("rule", rule.id) }
            let (hasSameMaker, hasSameBody): (Bool, Bool) = (known[0], known[1])
            if !hasSameMaker { try Self.requireRoom(ofRulesOf: rule.maker, database) }
            try database.execute(
                sql: """
                    UPDATE rule SET title = ?, enabled = ?, maker = ?, form = ?, body = ?, original = ?, changed = ?
                    WHERE id = ?
                    """,
                arguments: [
                    rule.title, rule.isEnabled ? 1 : 0, "\(rule.maker)", rule.form, rule.body, rule.original,
                    rule.changed, rule.id,
                ]
            )
            if !hasSameBody { try Self.forgetMemory(ofRule: rule.id, database) }
        }
    }

    /// Stores another spelling of a rule that means the same: what is remembered of it stays.
    ///
    /// - Throws: ``AccountsError/unknown(_:)`` if there is no such rule.
    package func setRule(_ id: Int, body: String) throws(AccountsError) {
        try write { database in
            try database.execute(sql: "UPDATE rule SET body = ? WHERE id = ?", arguments: [body, id])
            guard database.changesCount > 0 else { throw AccountsError.noRow("rule", id) }
        }
    }

    /// Switches a rule on or off; one that is so already is no error.
    ///
    /// - Throws: ``AccountsError/unknown(_:)`` if there is no such rule.
    package func setRule(_ id: Int, isEnabled: Bool) throws(AccountsError) {
        try write { database in
            try Self.switchRule(id, isEnabled: isEnabled, database)
            guard database.changesCount > 0 else { throw AccountsError.noRow("rule", id) }
        }
    }

    /// Removes a rule, or a damaged row, with what is remembered of it.
    ///
    /// Its firings stay until they are too old.
    /// - Returns: Whether it was there.
    @discardableResult
    package func removeRule(_ id: Int) throws(AccountsError) -> Bool {
        try write { database in
            try Self.forgetMemory(ofRule: id, database)
            try database.execute(sql: "DELETE FROM rule WHERE id = ?", arguments: [id])
            return database.changesCount > 0
        }
    }

    // MARK: Rows

    private static func forgetMemory(ofRule id: Int, _ database: Database) throws {
        try database.execute(sql: "DELETE FROM rule_state WHERE rule = ?", arguments: [id])
    }

    /// Requires that a user may have one more rule.
    private static func requireRoom(ofRulesOf maker: AccountID, _ database: Database) throws {
        guard try user(maker, database) != nil else { throw AccountsError.unknown("there is no such user") }
        let sql = "SELECT COUNT(*) FROM rule WHERE maker = ?"
        let count = try Int.fetchOne(database, sql: sql, arguments: ["\(maker)"]) ?? 0
        guard count < PeopleLimits.rulesOfUser else {
            throw AccountsError.refused(
                "the user has \(PeopleLimits.rulesOfUser) rules, and no more are possible;"
                    + " `trilateral rule rm` removes one"
            )
        }
    }

    /// Numbers that are tried one by one.
    private static let nearNumbers = 100

    /// The wish, or with the first number that is free; above 100 with one behind which a number may be free.
    ///
    /// Thousands of rules without titles have one wish, so that trying all numbers for each would take minutes.
    private static func freeSlug(_ wish: String, _ database: Database) throws -> String {
        let statement = try database.cachedStatement(sql: "SELECT 1 FROM rule WHERE slug = ?")
        func slug(_ number: Int) -> String { number < 2 ? wish : "\(wish)-\(number)" }
        func isTaken(_ number: Int) throws -> Bool {
            try Row.fetchOne(statement, arguments: [slug(number)]) != nil
        }
        for number in 1...nearNumbers {
            guard try isTaken(number) else { return slug(number) }
        }
        // The lower one is taken, the upper one free in the end.
        var (lower, upper) = (nearNumbers, nearNumbers * 2)
        while try isTaken(upper) { (lower, upper) = (upper, upper * 2) }
        while upper - lower > 1 {
            let middle = (lower + upper) / 2
            if try isTaken(middle) { lower = middle } else { upper = middle }
        }
        return slug(upper)
    }
}
