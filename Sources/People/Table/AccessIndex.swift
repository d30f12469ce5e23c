import Flare

/// The look-ups of an ``AccessTable``: by scope, then by who has the grant.
///
/// Grants of a group are stored once, not for each member, so that the size is that of the tables. Users, groups and
/// scopes are numbered, and what is known of them is in arrays by number: small, and quick to find.
final class AccessIndex: Sendable {
    /// What is known of a user.
    struct Entry: Sendable {
        let user: User
        /// The groups of users it is in.
        let groups: GroupSet
        /// Its own grants, as positions in ``grants``.
        let run: Range<Int>
    }

    /// What is known of a scope that grants are about.
    struct Shelf: Sendable {
        /// Groups of users with a grant here.
        var groups = GroupSet()
        let number: UInt32
        /// Whether a user has a grant here on their own.
        var hasUsers = false
    }

    let users: [User]
    let groups: [Grouping]
    /// In the order of who has them, then of the numbers of their scopes, then of their identifiers.
    let grants: [Grant]
    /// The number of each grant's scope.
    private let shelfNumbers: [UInt32]
    /// Where the grants of each user begin; one more says where the last ones end.
    private let userStarts: [Int32]
    /// The same of each group.
    private let groupStarts: [Int32]

    private let userNumbers: [AccountID: Int32]
    private let userNumbersByName: [String: Int32]
    private let groupsOfUsers: [GroupSet]
    let groupNumbers: [AccountID: Int]
    /// The groups each thing is in.
    let groupsOfThings: [FlareID: GroupSet]
    /// Moments at which grants begin or end, ascending.
    let changes: [Int64]

    let shelves: [Scope: Shelf]
    /// That of ``Scope/all``, with which most looks begin.
    let all: Shelf?
    /// Groups of things that grants are about.
    let scopeGroups: GroupSet
    /// The grants to own each scope, as positions in ``grants``.
    let owning: [Scope: [Int32]]

    init(users: [User], groups: [Grouping], grants: [Grant]) {
        let users = users.sorted { ($0.name, $0.id) < ($1.name, $1.id) }
        let groups = Array(groups.sorted { ($0.name, $0.id) < ($1.name, $1.id) }.prefix(GroupSet.capacity))
        (self.users, self.groups) = (users, groups)
        let userNumbers = Dictionary(zip(users.map(\.id), Int32(0)...)) { first, _ in first }
        let groupNumbers = Dictionary(zip(groups.map(\.id), 0...)) { first, _ in first }
        (self.userNumbers, self.groupNumbers) = (userNumbers, groupNumbers)
        userNumbersByName = Dictionary(zip(users.map(\.name), Int32(0)...)) { first, _ in first }

        var groupsOfUsers = [GroupSet](repeating: GroupSet(), count: users.count)
        var groupsOfThings: [FlareID: GroupSet] = [:]
        for (number, group) in groups.enumerated() {
            switch group.members {
            case .users(let ids):
                for user in ids.compactMap({ userNumbers[$0] }) { groupsOfUsers[Int(user)].insert(number) }
            case .things(let ids): for id in ids { groupsOfThings[id, default: GroupSet()].insert(number) }
            }
        }
        (self.groupsOfUsers, self.groupsOfThings) = (groupsOfUsers, groupsOfThings)
        changes = Set(
            grants.flatMap { [$0.starts, $0.ends, $0.kept?.starts, $0.kept?.ends].compactMap(\.self) }
        ).sorted()

        var builder = Builder(userNumbers, groupNumbers)
        let grants = grants.sorted { $0.id < $1.id }
        for grant in grants { builder.add(grant) }
        let places = builder.places.sorted()
        let placed = places.map { grants[Int($0.position)] }
        self.grants = placed
        owning = zip(placed, Int32(0)...).reduce(into: [:]) { owning, next in
            let (grant, position) = next
            if grant.access == .own || grant.kept?.access == .own {
                owning[grant.scope, default: []].append(position)
            }
        }
        shelfNumbers = places.map(\.shelf)
        userStarts = Self.starts(of: places, first: 0, count: users.count)
        groupStarts = Self.starts(of: places, first: Place.firstGroup, count: groups.count)

        (shelves, all) = (builder.shelves, builder.shelves[.all])
        scopeGroups = builder.shelves.keys.reduce(into: GroupSet()) { numbers, scope in
            if case .group(let id) = scope, let number = groupNumbers[id] { numbers.insert(number) }
        }
    }

    // MARK: Look-ups

    func user(_ id: AccountID) -> User? { userNumbers[id].map { users[Int($0)] } }

    func user(named name: String) -> User? { userNumbersByName[name].map { users[Int($0)] } }

    func entry(of id: AccountID) -> Entry? {
        userNumbers[id].map { number in
            let number = Int(number)
            let run = Int(userStarts[number])..<Int(userStarts[number + 1])
            return Entry(user: users[number], groups: groupsOfUsers[number], run: run)
        }
    }

    /// The grants of a group, as positions in ``grants``.
    ///
    /// - Parameter number: Of one of ``groups``.
    func run(ofGroup number: Int) -> Range<Int> {
        Int(groupStarts[number])..<Int(groupStarts[number + 1])
    }

    /// The grants of a run that are about one scope.
    func grants(of run: Range<Int>, on shelf: Shelf) -> ArraySlice<Grant> {
        var (low, high) = (run.lowerBound, run.upperBound)
        while low < high {
            let middle = (low + high) / 2
            if shelfNumbers[middle] < shelf.number { low = middle + 1 } else { high = middle }
        }
        while high < run.upperBound, shelfNumbers[high] == shelf.number { high += 1 }
        return grants[low..<high]
    }

    // MARK: Making it

    /// Where a grant belongs.
    private struct Place: Comparable {
        /// The number of a user, or that of a group counted from ``firstGroup``.
        let grantee: UInt32
        let shelf: UInt32
        /// Among the grants by identifier.
        let position: Int32

        static let firstGroup: UInt32 = 1 << 31
        /// The number of whoever is gone.
        static let nobody = UInt32.max

        static func < (left: Place, right: Place) -> Bool {
            (left.grantee, left.shelf, left.position) < (right.grantee, right.shelf, right.position)
        }
    }

    /// Where the places of consecutive grantees begin, and where the last ones end.
    private static func starts(of places: [Place], first: UInt32, count: Int) -> [Int32] {
        var starts: [Int32] = []
        starts.reserveCapacity(count + 1)
        var position = places.firstIndex { $0.grantee >= first } ?? places.count
        for number in 0...count {
            let grantee = first + UInt32(clamping: number)
            while position < places.count, places[position].grantee < grantee { position += 1 }
            starts.append(Int32(clamping: position))
        }
        return starts
    }

    /// Numbers scopes, and finds the places of grants.
    private struct Builder {
        private let users: [AccountID: Int32]
        private let groups: [AccountID: Int]
        private(set) var shelves: [Scope: Shelf] = [:]
        private(set) var places: [Place] = []

        init(_ users: [AccountID: Int32], _ groups: [AccountID: Int]) {
            (self.users, self.groups) = (users, groups)
        }

        mutating func add(_ grant: Grant) {
            var shelf = shelves[grant.scope] ?? Shelf(number: UInt32(clamping: shelves.count))
            var grantee = Place.nobody
            switch grant.grantee {
            case .user(let id):
                if let number = users[id] {
                    grantee = UInt32(clamping: number)
                    shelf.hasUsers = true
                }
            case .group(let id):
                if let number = groups[id] {
                    grantee = Place.firstGroup + UInt32(clamping: number)
                    shelf.groups.insert(number)
                }
            }
            let position = Int32(clamping: places.count)
            places.append(Place(grantee: grantee, shelf: shelf.number, position: position))
            if grantee != Place.nobody { shelves[grant.scope] = shelf }
        }
    }
}
