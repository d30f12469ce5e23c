import Flare

/// The look-ups of an ``AccessTable``: by scope, then by who has the grant.
///
/// Grants of a group are stored once, not for each member, so that the size is that of the tables.
final class AccessIndex: Sendable {
    /// A user, its number, and the groups of users it is in.
    struct Entry: Sendable {
        let user: User
        let number: UInt32
        let groups: GroupSet
    }

    /// The grants of one scope.
    struct Shelf: Sendable {
        let number: UInt32
        /// Groups of users with a grant here.
        var groups = GroupSet()
        /// Whether a user has a grant here on their own.
        var hasUsers = false
    }

    /// Consecutive grants in ``ordered``: those of one grantee in one scope.
    struct Run: Sendable {
        let start: Int32
        var end: Int32
    }

    /// A grant as the check reads it.
    struct Item: Sendable {
        let id: Int64
        let starts: Int64
        /// `Int64.max` for ever.
        let ends: Int64
        let access: Access
        let isWaiting: Bool
    }

    /// One grantee in one scope.
    struct Place: Hashable {
        /// The number of the shelf, then that of the grantee: one number, because it is hashed often.
        private let key: UInt64

        /// - Parameter grantee: A user's number, or a group's with the highest bit set.
        init(shelf: UInt32, grantee: UInt32) { key = UInt64(shelf) << 32 | UInt64(grantee) }

        static func group(_ number: Int) -> UInt32 { 1 << 31 | UInt32(truncatingIfNeeded: number) }
    }

    let users: [User]
    let groups: [Grouping]
    let grants: [Grant]
    let entries: [AccountID: Entry]
    let usersByName: [String: AccountID]
    /// Moments at which grants begin or end, ascending.
    let changes: [Int64]

    /// Positions in ``grants``.
    let grantsOf: [Grantee: [Int]]
    let groupNumbers: [AccountID: Int]
    /// The groups each thing is in.
    let groupsOfThings: [FlareID: GroupSet]
    let all: Shelf?
    let devices: Shelf?
    let environments: [FlareID: Shelf]
    let zones: [FlareID: Shelf]
    let things: [FlareID: Shelf]
    /// By the group's number; as long as ``groups``.
    let groupShelves: [Shelf?]
    /// Groups of things that grants are about.
    let scopeGroups: GroupSet
    let runs: [Place: Run]
    let ordered: [Item]

    init(users: [User], groups: [Grouping], grants: [Grant]) {
        let groups = Array(groups.sorted { ($0.name, $0.id) < ($1.name, $1.id) }.prefix(GroupSet.capacity))
        let grants = grants.sorted { $0.id < $1.id }
        self.users = users.sorted { ($0.name, $0.id) < ($1.name, $1.id) }
        (self.groups, self.grants) = (groups, grants)
        grantsOf = Dictionary(grouping: grants.indices) { grants[$0].grantee }
        let numbers = Dictionary(zip(groups.map(\.id), 0...)) { first, _ in first }
        groupNumbers = numbers

        var groupsOfUsers: [AccountID: GroupSet] = [:]
        var groupsOfThings: [FlareID: GroupSet] = [:]
        for (number, group) in groups.enumerated() {
            switch group.members {
            case .users(let ids): for id in ids { groupsOfUsers[id, default: GroupSet()].insert(number) }
            case .things(let ids): for id in ids { groupsOfThings[id, default: GroupSet()].insert(number) }
            }
        }
        self.groupsOfThings = groupsOfThings
        let entries = Dictionary(
            zip(self.users, 0...).map { user, number in
                (user.id, Entry(user: user, number: number, groups: groupsOfUsers[user.id] ?? GroupSet()))
            }
        ) { first, _ in first }
        self.entries = entries
        usersByName = Dictionary(self.users.map { ($0.name, $0.id) }) { first, _ in first }
        changes = Set(grants.flatMap { [$0.starts, $0.ends].compactMap(\.self) }).sorted()

        var builder = Builder(entries: entries, groups: numbers)
        for grant in grants { builder.add(grant) }
        let shelves = builder.shelves
        (all, devices) = (shelves[.all], shelves[.devices])
        var (environments, zones, things): ([FlareID: Shelf], [FlareID: Shelf], [FlareID: Shelf]) = (
            [:], [:], [:]
        )
        var groupShelves = [Shelf?](repeating: nil, count: groups.count)
        var scopeGroups = GroupSet()
        for (scope, shelf) in shelves {
            switch scope {
            case .all, .devices: break
            case .environment(let id): environments[id] = shelf
            case .zone(let id): zones[id] = shelf
            case .thing(let id): things[id] = shelf
            case .group(let id):
                guard let number = numbers[id] else { continue }
                groupShelves[number] = shelf
                scopeGroups.insert(number)
            }
        }
        (self.environments, self.zones, self.things) = (environments, zones, things)
        (self.groupShelves, self.scopeGroups) = (groupShelves, scopeGroups)
        (runs, ordered) = builder.finish()
    }

    /// Sorts grants into places.
    private struct Builder {
        let entries: [AccountID: Entry]
        let groups: [AccountID: Int]
        var shelves: [Scope: Shelf] = [:]
        private var items: [Place: [Item]] = [:]

        init(entries: [AccountID: Entry], groups: [AccountID: Int]) {
            (self.entries, self.groups) = (entries, groups)
        }

        mutating func add(_ grant: Grant) {
            var shelf = shelves[grant.scope] ?? Shelf(number: UInt32(truncatingIfNeeded: shelves.count))
            let grantee: UInt32
            switch grant.grantee {
            case .user(let id):
                guard let entry = entries[id] else { return }
                grantee = entry.number
                shelf.hasUsers = true
            case .group(let id):
                guard let number = groups[id] else { return }
                grantee = Place.group(number)
                shelf.groups.insert(number)
            }
            shelves[grant.scope] = shelf
            items[Place(shelf: shelf.number, grantee: grantee), default: []].append(
                Item(
                    id: grant.id,
                    starts: grant.starts ?? .min,
                    ends: grant.ends ?? .max,
                    access: grant.access,
                    isWaiting: grant.isWaiting
                )
            )
        }

        func finish() -> (runs: [Place: Run], ordered: [Item]) {
            var runs = [Place: Run](minimumCapacity: items.count)
            var ordered: [Item] = []
            for (place, items) in items {
                let start = Int32(clamping: ordered.count)
                ordered += items
                runs[place] = Run(start: start, end: Int32(clamping: ordered.count))
            }
            return (runs, ordered)
        }
    }
}
