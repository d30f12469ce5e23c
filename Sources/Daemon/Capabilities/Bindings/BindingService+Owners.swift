import Accounts
import Bindings
import Cryptography
import Flare
import People
import Text
import Things

/// Owners, tokens and the end of bindings, as the command line and users change them.
///
/// Whether who asks may change the binding at all is asked before.
extension BindingService {
    /// The owners of a binding: of a linked one who has the grant `own` of its thing without an end.
    nonisolated func owners(of entry: BindingDirectory.Entry) -> [Grantee] {
        guard let thing = entry.thing else { return entry.owners.sorted { "\($0)" < "\($1)" } }
        let grants = accounts.table.grants.filter {
            $0.scope == .thing(thing) && $0.access == .own && !$0.share && $0.ends == nil
        }
        return grants.map(\.grantee).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// Adds an owner.
    ///
    /// - Throws: ``BindingsError/notOnboarded(_:)`` while nobody has claimed the thing: its first owner gives its password, and
    ///   says what of it is fixed from then on, such as the interval of its history.
    func addOwner(_ name: OwnerName, of id: BindingID, by requester: Requester) async throws(BindingsError) {
        try await logged(.addOwner, id, [memberName(ofOwner: name)], by: requester) {
            () async throws(BindingsError) in
            let owner = try grantee(name, for: requester)
            let known = try stored(id).binding
            guard known.isOwned else {
                throw .notOnboarded(
                    "nobody has claimed \(known.vendor) yet: its first owner claims it with its password"
                )
            }
            let authority = await authority(over: known.thing, requester)
            if known.thing == nil { try requireRoom(for: owner, requester) }
            try change(id) { store in
                // It may have got its place, or have lost it, meanwhile.
                guard let binding = try store.binding(id)?.binding, binding.isOwned,
                    binding.thing == known.thing
                else { throw AccountsError.conflict("the thing has changed meanwhile; try again") }
                try store.add(owner, to: binding, by: authority)
            }
        }
    }

    /// Removes an owner; the last one, too: the thing stays onboarded.
    ///
    /// Owners do not shut each other out: one is removed by themselves, by who gave them the right, or by who owns
    /// everything.
    func removeOwner(_ name: OwnerName, of id: BindingID, by requester: Requester) async throws(BindingsError)
    {
        try await logged(.removeOwner, id, [memberName(ofOwner: name)], by: requester) {
            () async throws(BindingsError) in
            let owner = try grantee(name, for: requester)
            let binding = try stored(id).binding
            let table = accounts.table
            try requireTaking(from: owner, of: binding, requester)
            let authority = await authority(over: binding.thing, requester)
            let isThere = try change(id) { store -> Bool in
                guard let thing = binding.thing else {
                    guard try store.binding(id)?.owners.contains(owner) == true else { return false }
                    try store.removeOwner(owner, of: id)
                    return true
                }
                let grants = table.grants.filter {
                    $0.scope == .thing(thing) && $0.access == .own && $0.grantee == owner
                }
                for grant in grants { try store.removeGrant(grant.id, by: authority) }
                return !grants.isEmpty
            }
            guard isThere else {
                let who = table.name(of: owner) ?? "\(owner)"
                throw .refused(.unknownThing, "\(who) is no owner of thing \(binding.vendor)")
            }
        }
    }

    /// Of a linked thing the rules of grants say who takes what from whom.
    private func requireTaking(
        from owner: Grantee,
        of binding: ThingBinding,
        _ requester: Requester
    ) throws(BindingsError) {
        guard binding.thing == nil, let user = requester.user, owner != .user(user),
            !accounts.table.verdict(of: requester.caller, .own, on: .everything, at: now).isGranted
        else { return }
        throw .refused(
            .notAllowed,
            "while the thing has no place, another owner is removed by who has 'own all'"
        )
    }

    /// Makes another token of a thing, and ends those that it has.
    func rotateToken(of id: BindingID, by requester: Requester) async throws(BindingsError) -> String {
        try await logged(.rotateToken, id, by: requester) { () async throws(BindingsError) in
            try change(id) { store in
                try store.endThingTokens(of: id)
                return try store.addThingToken(id, at: now).text
            }
        }
    }

    /// Makes a binding of nobody for a thing that is to come.
    ///
    /// - Returns: Its password, which is told nowhere else.
    func expect(_ vendor: String, type: String?, by requester: Requester) async throws(BindingsError)
        -> String
    {
        let id = Self.newID()
        var password = ""
        do throws(BindingsError) {
            guard VendorName.isLegalThing(vendor) else {
                throw .refused(
                    .invalidValue,
                    "vendorThingID must be \(VendorName.thingRule)",
                    field: "vendorThingID"
                )
            }
            if let type, !VendorName.isLegalType(type) {
                throw .refused(.invalidValue, "type must be \(VendorName.typeRule)", field: "type")
            }
            guard directory.entry(ofVendor: vendor) == nil else {
                throw .alreadyOnboarded("there is a thing \(vendor) already")
            }
            password = Self.newPassword()
            let hash: PasswordHash
            do throws(AccountsError) {
                hash = try await accounts.thingPasswords.hash(
                    Array(password.utf8),
                    lengths: PasswordHash.thingLengths
                )
            } catch {
                throw BindingsError(error)
            }
            var binding = ThingBinding(id, vendor: vendor, password: "\(hash)", made: now)
            if let type { (binding.type, binding.fixed) = (type, [.type]) }
            let made = binding
            try change(id) { try $0.saveBinding(made) }
        } catch {
            log(.expect, by: requester, about: nil, [], error)
            throw error
        }
        log(.expect, by: requester, about: directory.entry(id))
        return password
    }

    /// Removes a binding with its tokens and history, and the thing if it was made for it.
    ///
    /// First nobody owns it any more, then its thing goes, then itself, then its history: after an end between two of these it can be
    /// removed again, and nothing is made again.
    func forget(_ id: BindingID, by requester: Requester) async throws(BindingsError) {
        try await logged(.forget, id, by: requester) { () async throws(BindingsError) in
            let binding = try stored(id).binding
            if binding.isMade, let thing = binding.thing {
                try change(id) { store in
                    try store.endThingTokens(of: id)
                    guard var binding = try store.binding(id)?.binding else { return }
                    binding.isOwned = false
                    try store.saveBinding(binding)
                }
                if let error = await remove(thing) { throw error }
            }
            try change(id) { store in
                try store.endThingTokens(of: id)
                try store.removeBinding(id)
            }
            edge.forgot(id, binding.vendor)
            // They have no gateway any more.
            for node in directory.nodes(of: id) { directory.put(try stored(node)) }
            await removeHistory(of: id)
        }
    }

    /// 120 unpredictable bits in letters and digits that are not mistaken for each other.
    private static func newPassword() -> String {
        let characters = Array("abcdefghijkmnpqrstuvwxyz23456789")
        return String(randomBytes(24).map { characters[Int($0) % characters.count] })
    }

    /// Does something with a binding, and logs it.
    private func logged<Success>(
        _ act: Act,
        _ id: BindingID,
        _ members: [String] = [],
        by requester: Requester,
        _ work: () async throws(BindingsError) -> Success
    ) async throws(BindingsError) -> Success {
        let entry = directory.entry(id)
        do throws(BindingsError) {
            let result = try await work()
            log(act, by: requester, about: directory.entry(id) ?? entry, members)
            return result
        } catch {
            log(act, by: requester, about: entry, members, error)
            throw error
        }
    }
}
