import Flare
import GRDB
import People

/// Which grants are read into a table: reading all of them for each change would take long.
enum GrantSelection {
    case all
    /// Those that administer.
    case administration
    /// Those by which somebody may give others, and the shares of a scope.
    case giving(Scope)

    /// What follows in the query.
    fileprivate var condition: (sql: String, arguments: StatementArguments) {
        switch self {
        case .all: ("", [])
        case .administration: (" WHERE scope = 'all' AND access = 'own'", [])
        case .giving(let scope): (" WHERE access = 'own' OR (share <> 0 AND scope = ?)", ["\(scope)"])
        }
    }
}

extension AccessTable {
    /// Reads all users and groups, and some of the grants; rows that cannot be understood are left out.
    init(reading database: Database, _ selection: GrantSelection = .all) throws {
        var users: [User] = []
        // Other columns are not noticed; see ``AccountsStore/numberChanges()``.
        let userRows = try Row.fetchCursor(database, sql: "SELECT id, name, state FROM user")
        while let row = try userRows.next() {
            let name: String = row[1]
            guard let id = AccountID(row[0]), AccountName.isLegal(name),
                let state = UserState(rawValue: row[2])
            else { continue }
            users.append(User(id: id, name: name, state: state))
        }
        var members: [String: [String]] = [:]
        let memberRows = try Row.fetchCursor(database, sql: "SELECT grouping, member FROM member")
        while let row = try memberRows.next() { members[row[0], default: []].append(row[1]) }
        let groups = try Row.fetchAll(database, sql: "SELECT id, name, kind FROM grouping").compactMap {
            row in
            Grouping(row, members: members[row[0]] ?? [])
        }
        var grants: [Grant] = []
        let (condition, arguments) = selection.condition
        let grantRows = try Row.fetchCursor(
            database,
            sql: "SELECT \(Grant.columns) FROM permission\(condition)",
            arguments: arguments
        )
        while let row = try grantRows.next() {
            if let grant = Grant(row) { grants.append(grant) }
        }
        self.init(users: users, groups: groups, grants: grants)
    }
}

extension Grouping {
    /// `nil` for a damaged row of identifier, name and kind; damaged members are left out.
    fileprivate init?(_ row: Row, members: [String]) {
        guard let id = AccountID(row[0]), AccountName.isLegal(row[1]), let kind = Kind(rawValue: row[2])
        else {
            return nil
        }
        switch kind {
        case .users:
            self.init(id: id, name: row[1], members: .users(Set(members.compactMap { AccountID($0) })))
        case .things:
            self.init(id: id, name: row[1], members: .things(Set(members.compactMap { FlareID($0) })))
        }
    }
}

extension Grant {
    /// The order in which ``init(_:)`` reads them: looking for names would take most of the time.
    static let columns = """
        id, grantee, scope, access, starts, ends, giver, share, accepted, source, kept_access, kept_starts, kept_ends
        """

    /// `nil` for a damaged row of ``columns``.
    init?(_ row: Row) {
        guard let grantee = Grantee(row[1]), let scope = Scope(row[2]), let access = Access(rawValue: row[3])
        else {
            return nil
        }
        let giver: String? = row[6]
        let share: Int64 = row[7]
        self.init(
            id: row[0],
            grantee,
            access,
            scope,
            starts: row[4],
            ends: row[5],
            giver: giver.flatMap { AccountID($0) },
            share: share != 0,
            accepted: row[8]
        )
        source = row[9]
        if let word: String = row[10] {
            // What cannot be read was not accepted.
            kept = Access(rawValue: word).map { GrantPart($0, starts: row[11], ends: row[12]) }
            if kept == nil { accepted = nil }
        }
    }

    /// One grant; `nil` if it is not there or damaged.
    static func find(_ id: Int64, _ database: Database) throws -> Grant? {
        let sql = "SELECT \(columns) FROM permission WHERE id = ?"
        return try Row.fetchOne(database, sql: sql, arguments: [id]).flatMap { Grant($0) }
    }
}
