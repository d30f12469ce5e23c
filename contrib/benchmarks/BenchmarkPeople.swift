import Accounts
import Flare
import Foundation
import GRDB
import People
import Positioning

/// As many users, groups and grants as there may be, on the things of ``BenchmarkPlace``.
///
/// The first fifty users see the whole place by its environment, and where devices are, and drive one thing in ten; so
/// nothing that they see or do is granted by a grant on everything.
struct BenchmarkPeople {
    /// Users who have a token in the store.
    static let visitors = 50

    let users: [User]
    let groups: [Grouping]
    let grants: [Grant]

    private static let teams = PeopleLimits.groups / 2
    private static let sets = PeopleLimits.groups - teams
    // The owner, and the three grants that are built in, are in the store already. One grant can be added.
    private static let (userCount, grantCount) = (PeopleLimits.users - 1, PeopleLimits.grants - 4)
    private static let (past, future): (Int64, Int64) = (1_000_000_000_000, 4_000_000_000_000)

    /// - Parameter things: Of the place.
    init(things: Int) {
        let users = (1...Self.userCount).map { User(id: Self.id(of: .users, $0), name: "user-\($0)") }
        let teams = (0..<Self.teams).map { number in
            // Everybody is in three teams.
            let members = users.indices.filter { user in
                [user, user / 10, user / 100].contains { $0 % Self.teams == number }
            }
            return Grouping(
                id: Self.id(of: .users, -1 - number),
                name: "team-\(number)",
                members: .users(Set(members.map { users[$0].id }))
            )
        }
        let sets = (0..<Self.sets).map { number in
            let members = (0..<things).filter { $0 % Self.sets == number || $0 / 10 % Self.sets == number }
            return Grouping(
                id: Self.id(of: .things, -1 - number),
                name: "set-\(number)",
                members: .things(Set(members.map(BenchmarkPlace.thing)))
            )
        }
        (self.users, groups) = (users, teams + sets)
        var grants: [Grant] = []
        for user in users.prefix(Self.visitors) {
            let number = grants.count
            grants.append(
                Grant(id: 0, .user(user.id), .read, .environment(BenchmarkPlace.environment))
            )
            grants.append(Grant(id: 0, .user(user.id), .read, .devices))
            grants.append(
                Grant(id: 0, .user(user.id), .write, .group(Self.id(of: .things, -1 - number % 10)))
            )
        }
        var generator = SeededGenerator(seed: 1)
        while grants.count < Self.grantCount {
            grants.append(Self.grant(users, teams, sets, things, &generator))
        }
        self.grants = zip(grants, 1...).map { grant, id in grant.numbered(id) }
    }

    /// Of four grants three are of users; half are on things, and a third has begun long ago or ended.
    private static func grant(
        _ users: [User],
        _ teams: [Grouping],
        _ sets: [Grouping],
        _ things: Int,
        _ generator: inout SeededGenerator
    ) -> Grant {
        let user = users[Int.random(in: 0..<users.count, using: &generator)]
        let team = teams[Int.random(in: 0..<teams.count, using: &generator)]
        let set = sets[Int.random(in: 0..<sets.count, using: &generator)]
        let thing = Int.random(in: 0..<things, using: &generator)
        let scope: Scope =
            switch Int.random(in: 0..<8, using: &generator) {
            case 0..<4: .thing(BenchmarkPlace.thing(thing))
            case 4..<6: .group(set.id)
            default: .zone(BenchmarkPlace.zone(of: thing))
            }
        let access = Access.allCases[Int.random(in: 0..<Access.allCases.count, using: &generator)]
        let dates = Int.random(in: 0..<6, using: &generator)
        return Grant(
            id: 0,
            Int.random(in: 0..<4, using: &generator) == 0 ? .group(team.id) : .user(user.id),
            access,
            scope,
            starts: dates == 0 ? past : nil,
            ends: dates == 0 ? future : dates == 1 ? past : nil
        )
    }

    private static func id(of kind: Grouping.Kind, _ number: Int) -> AccountID {
        AccountID(high: kind == .users ? 1 : 2, low: UInt16(truncatingIfNeeded: number))
    }

    // MARK: In a store

    /// Adds them to the database of a daemon that does not run, with a token for each of the visitors.
    ///
    /// - Returns: The tokens.
    func fill(_ file: String) throws -> [String] {
        let queue = try DatabaseQueue(path: file)
        try queue.write { database in
            for user in users {
                try database.execute(
                    sql: """
                        INSERT INTO user (id, name, display, email, state, made) VALUES (?, ?, '', '', 'active', ?)
                        """,
                    arguments: ["\(user.id)", user.name, Self.past]
                )
            }
            for group in groups {
                try database.execute(
                    sql: "INSERT INTO grouping (id, name, kind) VALUES (?, ?, ?)",
                    arguments: ["\(group.id)", group.name, group.kind.rawValue]
                )
                let members: [String] =
                    switch group.members {
                    case .users(let ids): ids.map { "\($0)" }
                    case .things(let ids): ids.map { "\($0)" }
                    }
                for member in members {
                    try database.execute(
                        sql: "INSERT INTO member (grouping, member) VALUES (?, ?)",
                        arguments: ["\(group.id)", member]
                    )
                }
            }
            for grant in grants {
                try database.execute(
                    sql: """
                        INSERT INTO permission (grantee, scope, access, starts, ends, share) VALUES (?, ?, ?, ?, ?, 0)
                        """,
                    arguments: [
                        "\(grant.grantee)", "\(grant.scope)", grant.access.rawValue, grant.starts, grant.ends,
                    ]
                )
            }
        }
        let store = AccountsStore(queue)
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        return try users.prefix(Self.visitors).map { user in
            try store.addToken("bench", ofUser: user.name, ceiling: nil, until: nil, by: .program(at: now))
                .0.text
        }
    }
}

extension Grant {
    fileprivate func numbered(_ id: Int) -> Grant {
        Grant(id: Int64(id), grantee, access, scope, starts: starts, ends: ends)
    }
}
