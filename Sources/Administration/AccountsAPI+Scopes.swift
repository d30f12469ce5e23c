import Accounts
import Flare
import JSON
import People

/// What a grant is about, and where that is now.
struct PlacedScope {
    let scope: Scope
    /// `nil` for what is gone.
    let object: AccessObject?

    /// Who asks, knowing where the object of this scope is.
    func authority(of call: AccountsCall) -> Authority {
        let (scope, object) = (scope, object)
        return Authority(call.caller, by: call.secret, at: call.now) { $0 == scope ? object : nil }
    }

    /// Whether who asks may give and take grants of it.
    func mayBeGiven(by call: AccountsCall) -> Bool {
        let (scope, object) = (scope, object)
        return call.table.mayGive(call.caller, scope, at: call.now) { $0 == scope ? object : nil }.isGranted
    }
}

extension AccountsAPI {
    /// The scope that somebody names; what they may not see is not found.
    func scope(_ text: String, _ call: AccountsCall) async throws(AccountsError) -> PlacedScope {
        guard let words = ScopeText(text) else {
            var meant = ""
            for kind in [FlareClass.zone, .thing, .environment] where meant.isEmpty {
                if try await object(kind, text, call) == nil { continue }
                meant = "; did you mean \(quoted("\(kind.rawValue):\(text)"))?"
            }
            throw .badValue("a scope is \(ScopeText.rule) (is \(quoted(text)))\(meant)")
        }
        switch words {
        case .all: return await placed(.all)
        case .devices: return await placed(.devices)
        case .device(let node): return await placed(.device(node))
        case .group(let word):
            let found = call.table.group(named: word) ?? AccountID(word).flatMap { call.table.group($0) }
            guard let found, sees(.group(found.id), call) else {
                let names = call.administers ? call.table.groups.map(\.name) : []
                throw .unknown("there is no group \(quoted(word))\(hint(word, names))")
            }
            return await placed(.group(found.id))
        case .object(let kind, let word):
            guard let (reference, object) = try await object(kind, word, call), let scope = Scope(reference)
            else {
                let hint = await nearest(kind, word, call)
                throw .unknown("there is no \(kind.rawValue) \(quoted(word))\(hint)")
            }
            return PlacedScope(scope: scope, object: object)
        }
    }

    /// The hint for a misspelt name, which is one that the caller may see.
    private func nearest(_ kind: FlareClass, _ word: String, _ call: AccountsCall) async -> String {
        var seen: [ObjectReference] = []
        for reference in await place.all(kind).prefix(2000) {
            if let object = await place.locate(reference), sees(object, call) { seen.append(reference) }
        }
        return hint(word, await place.slugs(seen).values.sorted())
    }

    /// That the device of a scope is not there, with the nearest one that the caller may see; `nil` for every other scope.
    ///
    /// A right may be given before its device is there. Nodes tell who lives here, so only who might see the device
    /// learns that it is not there.
    func missingDevice(_ scope: Scope, _ call: AccountsCall) async -> String? {
        guard case .device(let node) = scope, call.administers || sees(.device(node), call),
            let nodes = await place.nodes(), !nodes.contains(node)
        else { return nil }
        let seen = nodes.filter { sees(.device($0), call) }.sorted()
        return "there is no device \(quoted(node))\(hint(node, seen))"
    }

    /// The object that somebody names, among those that they may see, and where it is; `nil` if there is none.
    func object(
        _ kind: FlareClass,
        _ word: String,
        _ call: AccountsCall
    ) async throws(AccountsError) -> (ObjectReference, AccessObject)? {
        for candidates in await place.find(kind, word) {
            var seen: [(ObjectReference, AccessObject)] = []
            for reference in candidates.map({ ObjectReference(kind, $0) }) {
                guard let object = await place.locate(reference), sees(object, call) else { continue }
                seen.append((reference, object))
            }
            guard seen.count < 2 else {
                let slugs = await place.slugs(seen.map(\.0))
                let names = seen.map { slugs[$0.0] ?? "\($0.0.id)" }.sorted()
                throw .badValue("several are called \(quoted(word)): \(names.joined(separator: ", "))")
            }
            if let found = seen.first { return found }
        }
        return nil
    }

    /// An object that may be gone: it has its slug for a while, and its identifier.
    func goneObject(_ kind: FlareClass, _ word: String) async -> FlareID? {
        await place.find(kind, word).joined().first ?? FlareID(word)
    }

    private func sees(_ object: AccessObject, _ call: AccountsCall) -> Bool {
        call.table.verdict(of: call.caller, .read, on: object, at: call.now).isGranted
    }

    /// Where the object of a stored scope is.
    func placed(_ scope: Scope) async -> PlacedScope {
        var located: AccessObject?
        if let reference = scope.reference { located = await place.locate(reference) }
        return PlacedScope(scope: scope, object: AccessObject(scope) { _ in located })
    }

    /// The grants that who asks may see: their own, those that they gave, and those inside what they own.
    func visible(_ grants: [Grant], _ call: AccountsCall) async -> [Grant] {
        guard !call.administers else { return grants }
        guard let user = call.userID else { return [] }
        var known: [Scope: Bool] = [:]
        var visible: [Grant] = []
        for grant in grants {
            var isVisible = grant.grantee == .user(user) || grant.giver == user
            if !isVisible {
                if let answer = known[grant.scope] {
                    isVisible = answer
                } else {
                    isVisible = await placed(grant.scope).mayBeGiven(by: call)
                    known[grant.scope] = isVisible
                }
            }
            if isVisible { visible.append(grant) }
        }
        return visible
    }

    /// Grants as JSON.
    func json(_ grants: [Grant], _ table: AccessTable) async -> [JSONObject] {
        let slugs = await place.slugs(Array(Set(grants.compactMap(\.scope.reference))))
        return grants.map { grant in
            [
                "id": JSONValue(Int(clamping: grant.id)),
                "who": .string(table.name(of: grant.grantee) ?? "\(grant.grantee)"),
                "scope": .string(Self.text(grant.scope, slugs, table)), "scopeId": .string("\(grant.scope)"),
                "access": .string(grant.access.rawValue), "starts": .time(grant.starts),
                "ends": .time(grant.ends), "giver": .text(grant.giver.flatMap { table.user($0)?.name }),
                "share": .bool(grant.share), "accepted": .time(grant.isWaiting ? nil : grant.accepted),
                "source": .identifier(grant.source),
                "kept": .text(grant.kept?.access.rawValue),
            ]
        }
    }

    private static func text(_ scope: Scope, _ slugs: [ObjectReference: String], _ table: AccessTable)
        -> String
    {
        switch scope {
        case .all, .devices, .device: "\(scope)"
        case .group(let id): "group:\(table.group(id)?.name ?? "\(id)")"
        case .environment, .zone, .thing:
            scope.reference.map { "\($0.kind.rawValue):\(slugs[$0] ?? "\($0.id)")" } ?? "\(scope)"
        }
    }
}

extension Scope {
    /// The environment, zone or thing that it is about.
    var reference: ObjectReference? {
        switch self {
        case .all, .devices, .device, .group: nil
        case .environment(let id): ObjectReference(.environment, id)
        case .zone(let id): ObjectReference(.zone, id)
        case .thing(let id): ObjectReference(.thing, id)
        }
    }
}
