import Accounts
import JSON
import People

extension AccountsAPI {
    /// All users, for who administers.
    func users(_ call: AccountsCall) throws(AccountsError) -> AccountsResponse {
        try call.requireAdministration()
        return AccountsResponse(200, .array(try userList(call.table)))
    }

    private func userList(_ table: AccessTable) throws(AccountsError) -> [JSONValue] {
        let groups = Self.groupNames(table)
        return try registry.store.users().map { record in
            var members = record.members
            members["groups"] = .array((groups[record.user.id] ?? []).map { .string($0) })
            return .object(members)
        }
    }

    /// The names of the groups that users are in, sorted.
    private static func groupNames(_ table: AccessTable) -> [AccountID: [String]] {
        var names: [AccountID: [String]] = [:]
        for group in table.groups {
            guard case .users(let members) = group.members else { continue }
            for member in members { names[member, default: []].append(group.name) }
        }
        return names
    }

    func addUser(_ call: inout AccountsCall) async throws(AccountsError) -> AccountsResponse {
        let body = try AccountsBody(call.request.body, "name", "display", "email", "group", "password")
        call.log("user add", user: try body.text("name"))
        try call.requireAdministration()
        var new = NewUser(try body.text("name"))
        new.display = try body.optionalText("display") ?? ""
        new.email = try body.optionalText("email") ?? ""
        new.group = try body.optionalText("group")
        if let password = try body.password("password") {
            new.password = try await registry.passwords.hash(password)
        }
        let id = try change { try $0.addUser(new, by: call.authority) }
        return AccountsResponse(201, ["id": .string("\(id)"), "name": .string(new.name)])
    }

    func editUser(_ word: String, _ call: inout AccountsCall) throws(AccountsError) -> AccountsResponse {
        let name = call.userName(word)
        let body = try AccountsBody(call.request.body, "state", "display", "email")
        let word = try body.optionalText("state")
        call.log(
            word == "active" ? "user on" : word == "off" ? "user off" : "user edit",
            user: name
        )
        try call.requireAdministration()
        var state: UserState?
        if let word {
            guard word == "active" || word == "off" else {
                throw .badValue("state must be active or off (is \(quoted(word)))")
            }
            state = UserState(rawValue: word)
        }
        let (display, email) = (try body.optionalText("display"), try body.optionalText("email"))
        _ = try call.table.requireUser(name)
        let authority = call.authority
        try change { store in
            if display != nil || email != nil {
                try store.setProfile(ofUser: name, display: display, email: email, by: authority)
            }
            if let state { try store.setState(state, ofUser: name, by: authority) }
        }
        return AccountsResponse(200, try userList(registry.table).first { $0["name"]?.string == name })
    }

    func removeUser(_ word: String, _ call: inout AccountsCall) async throws(AccountsError)
        -> AccountsResponse
    {
        let name = call.userName(word)
        call.log("user rm", user: name)
        try change { try $0.removeUser(name, by: call.authority) }
        // They still name the user, and are nobody's.
        let devices = await place.devices(name)
        guard !devices.isEmpty else { return .done }
        return AccountsResponse(
            200,
            ["name": .string(name), "devices": .array(devices.map { .string($0) })]
        )
    }

    func setPassword(_ word: String, _ call: inout AccountsCall) async throws(AccountsError)
        -> AccountsResponse
    {
        let name = call.userName(word)
        call.log("user password", user: name)
        try call.requireAdministration()
        let body = try AccountsBody(call.request.body, "password")
        guard body.has("password") else {
            throw .badValue("password is missing; null takes the password away")
        }
        _ = try call.table.requireUser(name)
        var hash: PasswordHash?
        if let password = try body.password("password") { hash = try await registry.passwords.hash(password) }
        try change { try $0.setPassword(hash, ofUser: name, by: call.authority) }
        return .done
    }
}

extension UserRecord {
    /// What `users` and `me` tell.
    var members: JSONObject {
        [
            "id": .string("\(user.id)"), "name": .string(user.name), "display": .string(display),
            "email": .string(email), "state": .string(user.state.rawValue), "password": .bool(hasPassword),
            "made": .time(made), "seen": .time(seen),
        ]
    }
}
