import Accounts
import Flare
import JSON
import People

extension AccountsAPI {
    /// All groups, for who administers.
    func groups(_ call: AccountsCall) async throws(AccountsError) -> AccountsResponse {
        try call.requireAdministration()
        let table = call.table
        var things: Set<FlareID> = []
        for group in table.groups {
            if case .things(let members) = group.members { things.formUnion(members) }
        }
        let slugs = await place.slugs(things.map { ObjectReference(.thing, $0) })
        let groups = table.groups.map { group -> JSONValue in
            let members: [String] =
                switch group.members {
                case .users(let ids): ids.compactMap { table.user($0)?.name }
                case .things(let ids): ids.map { slugs[ObjectReference(.thing, $0)] ?? "\($0)" }
                }
            return [
                "id": .string("\(group.id)"), "name": .string(group.name),
                "kind": .string(group.kind.rawValue),
                "members": .array(members.sorted().map { .string($0) }),
            ]
        }
        return AccountsResponse(200, .array(groups))
    }

    func addGroup(_ call: inout AccountsCall) throws(AccountsError) -> AccountsResponse {
        let body = try AccountsBody(call.request.body, "name", "kind")
        let name = try body.text("name")
        call.log("group add", name)
        try call.requireAdministration()
        let word = try body.optionalText("kind") ?? Grouping.Kind.users.rawValue
        guard let kind = Grouping.Kind(rawValue: word) else {
            throw .badValue("kind must be users or things (is \(quoted(word)))")
        }
        let id = try change { try $0.addGroup(name, of: kind, by: call.authority) }
        return AccountsResponse(201, ["id": .string("\(id)"), "name": .string(name)])
    }

    func removeGroup(_ word: String, _ call: inout AccountsCall) throws(AccountsError) -> AccountsResponse {
        let name = call.groupName(word)
        call.log("group rm", call.table.group(named: name)?.name)
        try change { try $0.removeGroup(name, by: call.authority) }
        return .done
    }

    func changeMembers(
        of word: String,
        joins: Bool,
        _ call: inout AccountsCall
    ) async throws(AccountsError) -> AccountsResponse {
        let name = call.groupName(word)
        call.log(joins ? "group join" : "group leave", call.table.group(named: name)?.name)
        try call.requireAdministration()
        let members = try AccountsBody(call.request.body, "members").texts("members")
        let names: MemberNames
        switch try call.table.requireGroup(name).kind {
        case .users: names = .users(members)
        case .things:
            var things: [FlareID] = []
            for member in members {
                if let (found, _) = try await object(.thing, member, call) {
                    things.append(found.id)
                } else if !joins, let gone = await goneObject(.thing, member) {
                    things.append(gone)
                } else {
                    throw .unknown("there is no thing \(quoted(member))")
                }
            }
            names = .things(things)
        }
        try change { try $0.change(name, names, joins: joins, by: call.authority) }
        return .done
    }
}
