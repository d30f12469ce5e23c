/// Users, groups and grants, and the one check of who may do what with which object.
///
/// The value is made anew when anything in it changes; looking is cheap and needs no memory. Grants of users and
/// groups that are not in the table count for nothing.
/// - Source: contrib/contract/people.md, "The one check".
package struct AccessTable: Sendable {
    let index: AccessIndex
    /// The user whose a device is, by the device's node: an owner without a grant.
    package var deviceOwners: [String: String] = [:]

    /// By name.
    package var users: [User] { index.users }
    /// By name.
    package var groups: [Grouping] { index.groups }
    /// By identifier; sorted anew each time.
    package var grants: [Grant] { index.grants.sorted { $0.id < $1.id } }

    /// Groups beyond the first 256 by name are ignored; ``PeopleLimits`` allows fewer.
    package init(users: [User] = [], groups: [Grouping] = [], grants: [Grant] = []) {
        index = AccessIndex(users: users, groups: groups, grants: grants)
    }

    /// The table under a list of devices: what the former users of devices gave by an earlier one counts for nothing, nor
    /// what was given on by that.
    ///
    /// - Parameter owners: See ``deviceOwners``.
    package func following(deviceOwners owners: [String: String]) -> AccessTable {
        var gone: Set<Int64> = []
        for grant in index.grants where grant.source == Grant.listOfDevices {
            if case .device(let node) = grant.scope, let giver = grant.giver.flatMap({ index.user($0) }),
                owners[node] == giver.name
            {
                continue
            }
            gone.insert(grant.id)
        }
        var count = -1
        while gone.count != count {
            count = gone.count
            for grant in index.grants {
                if let source = grant.source, source != Grant.listOfDevices, gone.contains(source) {
                    gone.insert(grant.id)
                }
            }
        }
        let left = gone.isEmpty ? index.grants : index.grants.filter { !gone.contains($0.id) }
        var table = gone.isEmpty ? self : AccessTable(users: users, groups: groups, grants: left)
        table.deviceOwners = owners
        return table
    }

    package func user(_ id: AccountID) -> User? { index.user(id) }

    package func user(named name: String) -> User? { index.user(named: name) }

    package func group(_ id: AccountID) -> Grouping? { index.groupNumbers[id].map { groups[$0] } }

    package func group(named name: String) -> Grouping? { groups.first { $0.name == name } }

    /// The name of who has a grant: `bob` or `group:staff`; `nil` if it is gone.
    package func name(of grantee: Grantee) -> String? {
        switch grantee {
        case .user(let id): user(id)?.name
        case .group(let id): group(id).map { "group:\($0.name)" }
        }
    }

    /// A caller as the log writes it: `user:bob` or `nobody`.
    package func logName(of caller: Caller) -> String {
        switch caller {
        case .nobody: "nobody"
        case .user(let id, _): "user:\(user(id)?.name ?? "\(id)")"
        }
    }

    /// Whether it is a copy of another one: quicker than comparing them, and false for equal ones made apart.
    package func isCopy(of other: AccessTable) -> Bool {
        index === other.index && deviceOwners == other.deviceOwners
    }

    /// The soonest moment after `now` at which any grant begins or ends; `nil` if none does.
    ///
    /// - Parameter now: Milliseconds since 1970, UTC.
    package func nextChange(after now: Int64) -> Int64? {
        var (low, high) = (0, index.changes.count)
        while low < high {
            let middle = (low + high) / 2
            if index.changes[middle] <= now { low = middle + 1 } else { high = middle }
        }
        return low < index.changes.count ? index.changes[low] : nil
    }
}

extension AccessTable: Hashable {
    package static func == (left: AccessTable, right: AccessTable) -> Bool {
        left.isCopy(of: right)
            || left.users == right.users && left.groups == right.groups
                && left.index.grants == right.index.grants && left.deviceOwners == right.deviceOwners
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(users.count)
        hasher.combine(groups.count)
        hasher.combine(index.grants.count)
    }
}
