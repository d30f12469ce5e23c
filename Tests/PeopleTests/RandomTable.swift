import Flare
import People
import SeededRandom

/// A small random world of users, groups, grants and places, in which chance makes all rules meet.
struct RandomTable {
    var users: [User] = []
    var groups: [Grouping] = []
    var grants: [Grant] = []
    var places: [FlareID: (zone: FlareID?, environment: FlareID?)] = [:]
    var random: SplitMix64

    static let times: Range<Int64> = 0..<100

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
        users = (0..<6).map {
            User(id: .numbered($0), name: "u\($0)", state: random.chance(6) ? .off : .active)
        }
        for number in 0..<4 {
            let members: Grouping.Members =
                number < 2
                ? .users(Set(users.map(\.id).filter { _ in random.chance(3) }))
                : .things(Set((0..<8).map(FlareID.numbered).filter { _ in random.chance(3) }))
            groups.append(Grouping(id: .numbered(100 + number), name: "g\(number)", members: members))
        }
        for number in 0..<8 { places[.numbered(number)] = somewhere() }
        grants = (0..<random.number(below: 12)).map { grant(id: Int64($0 + 1)) }
    }

    var table: AccessTable { AccessTable(users: users, groups: groups, grants: grants) }

    func thing(_ id: FlareID) -> AccessObject {
        .thing(id, zone: places[id]?.zone, environment: places[id]?.environment)
    }

    mutating func somewhere() -> (zone: FlareID?, environment: FlareID?) {
        let environment = FlareID.numbered(30 + random.number(below: 2))
        return (random.chance(3) ? nil : .numbered(20 + random.number(below: 3)), environment)
    }

    mutating func time() -> Int64 { Int64(random.number(below: 100)) }

    mutating func grant(id: Int64) -> Grant {
        let scopes: [Scope] = [
            .all, .devices, .device("n\(random.number(below: 2))"),
            .environment(.numbered(30 + random.number(below: 2))),
            .zone(.numbered(20 + random.number(below: 3))), .thing(.numbered(random.number(below: 8))),
            .group(.numbered(102 + random.number(below: 2))),
        ]
        let share = random.chance(4)
        return Grant(
            id: id,
            random.chance(3)
                ? .group(.numbered(100 + random.number(below: 2)))
                : .user(.numbered(random.number(below: 7))),
            random.pick(Access.allCases, else: .read),
            random.pick(scopes, else: .all),
            starts: random.chance(2) ? nil : time(),
            ends: random.chance(2) ? nil : time(),
            share: share,
            accepted: share && random.chance(2) ? 1 : nil
        )
    }

    /// A question of any kind.
    mutating func object() -> AccessObject {
        switch random.number(below: 9) {
        case 0: .devices
        case 8: .device("n\(random.number(below: 2))")
        case 1: .administration
        case 2: .everything
        case 3: .zone(.numbered(20 + random.number(below: 3)), environment: .numbered(30))
        case 4: .environment(.numbered(30 + random.number(below: 2)))
        default: thing(.numbered(random.number(below: 8)))
        }
    }

    /// The rule once more, as the page tells it, slowly.
    func isGranted(_ user: AccountID, _ access: Access, _ object: AccessObject, at now: Int64) -> Bool {
        guard users.contains(where: { $0.id == user && $0.state == .active }) else { return false }
        return grants.contains { grant in
            guard isHeld(grant.grantee, by: user), !grant.share || grant.accepted != nil,
                grant.starts.map({ $0 <= now }) ?? true, grant.ends.map({ now < $0 }) ?? true
            else { return false }
            if object == .administration { return grant.scope == .all && grant.access == .own }
            if object == .devices, grant.scope == .all { return grant.access == .own }
            if case .device = object, grant.scope == .all { return grant.access == .own }
            return grant.access >= access && contains(grant.scope, object)
        }
    }

    private func isHeld(_ grantee: Grantee, by user: AccountID) -> Bool {
        switch grantee {
        case .user(let id): return id == user
        case .group(let id):
            guard case .users(let members)? = groups.first(where: { $0.id == id })?.members else {
                return false
            }
            return members.contains(user)
        }
    }

    private func contains(_ scope: Scope, _ object: AccessObject) -> Bool {
        switch (scope, object) {
        case (.all, .devices), (.all, .administration): return false
        case (.all, _): return true
        case (.devices, .devices), (.devices, .device): return true
        case (.device(let node), .device(let other)): return node == other
        case (.environment(let id), .environment(let other)): return id == other
        case (.environment(let id), .zone(_, let other)): return id == other
        case (.environment(let id), .thing(_, _, let other)): return id == other
        case (.zone(let id), .zone(let other, _)): return id == other
        case (.zone(let id), .thing(_, let other, _)): return id == other
        case (.thing(let id), .thing(let other, _, _)): return id == other
        case (.group(let id), .thing(let other, _, _)):
            guard case .things(let members)? = groups.first(where: { $0.id == id })?.members else {
                return false
            }
            return members.contains(other)
        default: return false
        }
    }
}

extension AccountID {
    static func numbered(_ number: Int) -> AccountID { AccountID(high: UInt64(number + 1), low: 7) }
}

extension FlareID {
    static func numbered(_ number: Int) -> FlareID { FlareID(high: 5, low: UInt32(number)) }
}
