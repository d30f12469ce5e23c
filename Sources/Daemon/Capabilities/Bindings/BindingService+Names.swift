import Accounts
import Bindings
import Flare
import People
import Text
import Things

/// Users and groups that requests name, and how the log and messages name them.
extension BindingService {
    /// A user or group of users that a request names.
    ///
    /// - Parameter field: The member that names it.
    nonisolated func grantee(
        _ name: OwnerName,
        for requester: Requester,
        as field: String = "owner"
    ) throws(BindingsError) -> Grantee {
        let table = accounts.table
        guard let found = known(name) else {
            // Only who may see all users is helped with their names.
            let hint =
                ownsEverything(requester)
                ? name.hint(
                    users: table.users.map(\.name),
                    groups: table.groups.filter { $0.kind == .users }.map(\.name)
                ) : ""
            throw .refused(
                .invalidValue,
                "there is no user or group \(QuotedValue.of("\(name)")) here\(hint)",
                field: field
            )
        }
        if case .group(let id) = found, table.group(id)?.kind != .users {
            throw .refused(
                .invalidValue,
                "\(QuotedValue.of("\(name)")) is a group of things; name a user or a group of users",
                field: field
            )
        }
        return found
    }

    private nonisolated func known(_ name: OwnerName) -> Grantee? {
        let table = accounts.table
        return switch name {
        case .known(.user(let id)):
            (table.user(id) ?? table.user(named: "\(id)")).map { .user($0.id) }
        case .known(.group(let id)):
            (table.group(id) ?? table.group(named: "\(id)")).map { .group($0.id) }
        case .user(let name): table.user(named: name).map { .user($0.id) }
        case .group(let name): table.group(named: name).map { .group($0.id) }
        }
    }

    /// Whether who asks may do everything with every binding.
    nonisolated func ownsEverything(_ requester: Requester) -> Bool {
        switch requester.identity {
        case .program: true
        case .door(.user(let caller)):
            accounts.table.verdict(of: caller, .own, on: .everything, at: now).isGranted
        case .door, .edge: false
        }
    }

    // MARK: For the log

    /// The member that names an owner, with the owner: of a name that nobody has, without it, as it may be anything.
    nonisolated func memberName(ofOwner name: OwnerName) -> String {
        guard let found = known(name) else { return "owner" }
        let text = accounts.table.name(of: found) ?? "\(found)"
        return "owner=\(text.contains(":") ? text : "user:\(text)")"
    }

    /// The members that were given, by name; of the owner also who that is.
    nonisolated func members(of request: OnboardingRequest) -> [String] {
        guard let owner = request.owner else { return request.memberNames }
        return request.memberNames.map { $0 == "owner" ? memberName(ofOwner: owner) : $0 }
    }

    /// Which thing of the place a binding is, for the log; nothing while it is none.
    nonisolated func linked(_ entry: BindingDirectory.Entry?) async -> [String] {
        guard let thing = entry?.thing, let slug = await place.slugs([thing])[thing] else { return [] }
        return ["thing=\(slug)"]
    }
}
