import Flare

extension AccessTable {
    /// Whether somebody may do something with an object at a moment, by which grant, or why not.
    ///
    /// - Parameter now: Milliseconds since 1970, UTC.
    package func verdict(
        of caller: Caller,
        _ access: Access,
        on object: AccessObject,
        at now: Int64
    ) -> Verdict {
        switch caller {
        case .nobody: return .granted(by: nil)
        case .user(let id, let ceiling):
            guard let entry = index.entry(of: id) else { return .refused(.unknownUser) }
            switch entry.user.state {
            case .active: break
            case .pending: return .refused(.userIsPending)
            case .off: return .refused(.userIsOff)
            }
            let access = object == .administration ? .own : access
            if owns(entry.user, object) {
                if let ceiling, ceiling < access { return .refused(.ceiling(ceiling)) }
                return .granted(by: nil)
            }
            var search = GrantSearch(index, entry, access, now)
            guard let grant = search.grant(for: object) else {
                return .refused(object == .administration ? search.administrationRefusal : search.refusal)
            }
            if let ceiling, ceiling < access { return .refused(.ceiling(ceiling)) }
            return .granted(by: grant)
        }
    }

    /// Whether somebody may do something with anything at all at a moment.
    ///
    /// - Parameter now: Milliseconds since 1970, UTC.
    package func mayDo(_ caller: Caller, _ access: Access, at now: Int64) -> Bool {
        guard case .user(let id, let ceiling) = caller else { return true }
        guard let entry = index.entry(of: id), entry.user.state == .active, ceiling ?? .own >= access else {
            return false
        }
        if deviceOwners.values.contains(entry.user.name) { return true }
        var runs = [entry.run]
        var groups = entry.groups
        while let number = groups.popFirst() { runs.append(index.run(ofGroup: number)) }
        return runs.joined().contains { index.grants[$0].allows(access, at: now) }
    }

    /// Whether it is a device that is listed as a user's.
    func owns(_ user: User, _ object: AccessObject) -> Bool {
        if case .device(let node) = object { deviceOwners[node] == user.name } else { false }
    }

    /// The nodes of the devices that are listed as a user's, sorted.
    package func devices(of user: User) -> [String] {
        deviceOwners.filter { $0.value == user.name }.keys.sorted()
    }

    /// Who could allow what is refused: the active users and groups who own the thing at a moment, by name.
    ///
    /// The nearest owners count: of the thing or its groups, else of its zone, else of its environment, else of
    /// everything.
    /// - Parameter limit: The most names.
    /// - Returns: `bob` and `group:staff`; empty if nobody owns it.
    package func owners(of object: AccessObject, at now: Int64, limit: Int = 3) -> [String] {
        if case .device(let node) = object, let owner = deviceOwners[node].flatMap({ user(named: $0) }),
            owner.state == .active
        {
            return [owner.name]
        }
        for scopes in object.scopes(in: index) {
            let grants = scopes.lazy.flatMap { index.owning[$0] ?? [] }.map { index.grants[Int($0)] }
            let names = grants.filter { $0.allows(.own, at: now) }.compactMap { grant -> String? in
                switch grant.grantee {
                case .user(let id): user(id).flatMap { $0.state == .active ? $0.name : nil }
                case .group: name(of: grant.grantee)
                }
            }
            let sorted = Set(names).sorted()
            if !sorted.isEmpty { return Array(sorted.prefix(limit)) }
        }
        return []
    }
}

extension AccessTable {
    /// Whether a user gives others rights on an object as the one whose device it is: it is, and no grant lasts as long.
    package func isGivenByList(_ object: AccessObject, by user: AccountID, at now: Int64) -> Bool {
        guard let user = self.user(user), owns(user, object) else { return false }
        return origin(for: user.id, object, at: now).map { $0.ends != nil } ?? true
    }

    /// The grant by which a user gives others rights on an object: of those by which they own it, alone or by a group, the
    /// one that lasts longest, and of several the oldest.
    package func origin(for user: AccountID, _ object: AccessObject, at now: Int64) -> Grant? {
        guard let entry = index.entry(of: user) else { return nil }
        let scopes = object.scopes(in: index).reduce(into: Set<Scope>()) { $0.formUnion($1) }
        var runs = [entry.run]
        var groups = entry.groups
        while let number = groups.popFirst() { runs.append(index.run(ofGroup: number)) }
        return runs.lazy.joined().map { index.grants[$0] }
            .filter { $0.allows(.own, at: now) && scopes.contains($0.scope) }
            .min { ($1.ends ?? .max, $0.id) < ($0.ends ?? .max, $1.id) }
    }

    /// Whether a user or a group has a right of its own on an object at a moment, and not by another group.
    package func isGiven(_ access: Access, to grantee: Grantee, on object: AccessObject, at now: Int64)
        -> Bool
    {
        let scopes = object.scopes(in: index).reduce(into: Set<Scope>()) { $0.formUnion($1) }
        return index.grants.contains {
            $0.grantee == grantee && scopes.contains($0.scope) && $0.allows(access, at: now)
        }
    }

    /// Whether a user gets what is given to a grantee.
    package func includes(_ user: AccountID, in grantee: Grantee) -> Bool {
        switch grantee {
        case .user(let id): id == user
        case .group(let id):
            if case .users(let members)? = group(id)?.members { members.contains(user) } else { false }
        }
    }
}

extension AccessObject {
    /// The scopes that contain it, from the nearest to the widest.
    func scopes(in index: AccessIndex) -> [Set<Scope>] {
        switch self {
        case .thing(let id, let zone, let environment):
            var nearest: Set<Scope> = [.thing(id)]
            var groups = index.groupsOfThings[id] ?? GroupSet()
            while let number = groups.popFirst() { nearest.insert(.group(index.groups[number].id)) }
            return [nearest] + (zone.map { [[.zone($0)]] } ?? [])
                + (environment.map { [[.environment($0)]] } ?? []) + [[.all]]
        case .zone(let id, let environment):
            return [[.zone(id)]] + (environment.map { [[.environment($0)]] } ?? []) + [[.all]]
        case .environment(let id): return [[.environment(id)], [.all]]
        case .group(let id): return [[.group(id)], [.all]]
        case .devices: return [[.devices], [.all]]
        case .device(let node): return [[.device(node)], [.devices], [.all]]
        case .everything, .administration: return [[.all]]
        }
    }
}

/// Looks for a grant of one user, and remembers the nearest miss.
struct GrantSearch {
    private let index: AccessIndex
    private let entry: AccessIndex.Entry
    private let access: Access
    private let now: Int64
    private var isWaiting = false
    private var begins = Int64.max
    private var expired: Int64?

    init(_ index: AccessIndex, _ entry: AccessIndex.Entry, _ access: Access, _ now: Int64) {
        (self.index, self.entry, self.access, self.now) = (index, entry, access, now)
    }

    /// The identifier of a grant that counts; what contains the object is looked at first.
    mutating func grant(for object: AccessObject) -> Int64? {
        switch object {
        case .thing(let id, let zone, let environment):
            if let found = everything() { return found }
            if let environment, let found = find(.environment(environment)) { return found }
            if let zone, let found = find(.zone(zone)) { return found }
            return find(.thing(id)) ?? inGroups(of: id)
        case .zone(let id, let environment):
            if let found = everything() { return found }
            if let environment, let found = find(.environment(environment)) { return found }
            return find(.zone(id))
        case .environment(let id): return everything() ?? find(.environment(id))
        case .group(let id): return everything() ?? index.groupNumbers[id].flatMap { _ in find(.group(id)) }
        case .everything: return everything()
        case .devices: return find(.devices) ?? find(index.all, .own)
        case .device(let node): return find(.devices) ?? find(.device(node)) ?? find(index.all, .own)
        case .administration: return find(index.all, .own)
        }
    }

    /// Why nothing was found.
    var refusal: AccessRefusal {
        if isWaiting { return .notAccepted }
        if begins != .max { return .begins(begins) }
        return expired.map { .expired($0) } ?? .noGrant
    }

    /// As ``refusal``, if a grant of `own all` existed.
    var administrationRefusal: AccessRefusal { refusal == .noGrant ? .needsOwnAll : refusal }

    private mutating func everything() -> Int64? { find(index.all, access) }

    private mutating func find(_ scope: Scope) -> Int64? { find(index.shelves[scope], access) }

    private mutating func inGroups(of thing: FlareID) -> Int64? {
        guard !index.scopeGroups.isEmpty, let all = index.groupsOfThings[thing] else { return nil }
        var groups = all.intersection(index.scopeGroups)
        while let number = groups.popFirst() {
            if let found = find(.group(index.groups[number].id)) { return found }
        }
        return nil
    }

    private mutating func find(_ shelf: AccessIndex.Shelf?, _ access: Access) -> Int64? {
        guard let shelf else { return nil }
        if shelf.hasUsers, let found = find(shelf, entry.run, access) { return found }
        var groups = shelf.groups.intersection(entry.groups)
        while let number = groups.popFirst() {
            if let found = find(shelf, index.run(ofGroup: number), access) { return found }
        }
        return nil
    }

    private mutating func find(_ shelf: AccessIndex.Shelf, _ run: Range<Int>, _ access: Access) -> Int64? {
        for grant in index.grants(of: run, on: shelf) where grant.access >= access {
            if let ends = grant.ends, now >= ends {
                expired = max(expired ?? ends, ends)
            } else if grant.isWaiting {
                if let kept = grant.kept, kept.access >= access, kept.counts(at: now) { return grant.id }
                isWaiting = true
            } else if let starts = grant.starts, now < starts {
                begins = min(begins, starts)
            } else {
                return grant.id
            }
        }
        return nil
    }
}
