import Accounts
import JSON
import People

/// Tokens, sessions and contacts: everybody's own, and all for who administers.
extension AccountsAPI {
    /// Tokens or sessions.
    ///
    /// Without a name, who administers gets those of all users.
    func secrets(_ kind: SecretToken.Kind, _ call: AccountsCall) throws(AccountsError) -> AccountsResponse {
        var name = try call.query("user")["user"]
        if name != nil || !call.administers { name = try call.user(named: name).name }
        // When they were used last is in memory.
        try? registry.flush()
        let own = (call.session ?? call.listenerSession)?.hash
        let rows = try registry.store.secrets(kind, ofUser: name, at: call.now).map { record in
            var row = Self.row(record, call.table)
            if kind == .token {
                row["access"] = .text(record.ceiling?.rawValue)
            } else {
                row["current"] = .bool(record.hash == own)
            }
            return JSONValue.object(row)
        }
        return AccountsResponse(200, .array(rows))
    }

    private static func row(_ record: SecretRecord, _ table: AccessTable) -> JSONObject {
        let user =
            record.user == .listener
            ? AccountsStore.listenerName
            : record.user.flatMap { table.user($0) }?.name ?? record.user.map { "\($0)" }
                ?? "\(record.holder)"
        return [
            "id": .string(record.id), "user": .string(user), "name": .string(record.name),
            "made": .time(record.made), "until": .time(record.until), "used": .time(record.used),
        ]
    }

    func remove(_ id: String, _ kind: SecretToken.Kind, _ call: inout AccountsCall) throws(AccountsError)
        -> AccountsResponse
    {
        call.log("\(kind.rawValue) rm")
        let isThere = try registry.store.secrets(kind, at: call.now).contains { $0.id == id }
        if isThere { call.log("\(kind.rawValue) rm", id) }
        guard isThere else { throw .noRow(kind.rawValue, quoted(id)) }
        try change { try $0.removeSecret(id, by: call.authority) }
        return .done
    }

    func addToken(_ call: inout AccountsCall) throws(AccountsError) -> AccountsResponse {
        let body = try AccountsBody(call.request.body, "user", "name", "access", "until")
        let named = try body.optionalText("user")
        call.log("token add", user: named ?? call.ownName)
        let user = try call.user(named: named)
        let (name, ceiling, until) = (
            try body.text("name"), try body.access("access"), try body.time("until")
        )
        let (secret, record) = try change {
            try $0.addToken(
                name,
                ofUser: user.name,
                ceiling: ceiling,
                until: until,
                by: call.authority
            )
        }
        return AccountsResponse(
            201,
            ["id": .string(record.id), "token": .string(secret.text), "until": .time(record.until)]
        )
    }

    // MARK: Contacts

    /// Of who asks, or of the user in the query.
    func contacts(_ call: AccountsCall) throws(AccountsError) -> AccountsResponse {
        let user = try call.user(named: call.query("user")["user"])
        let rows = try registry.store.contacts(ofUser: user.name, by: call.authority)
        return AccountsResponse(200, .array(rows.map(\.json)))
    }

    func removeContact(_ word: String, _ call: inout AccountsCall) throws(AccountsError) -> AccountsResponse {
        let user = try call.user(named: call.query("user")["user"])
        call.log("contact rm", user: user.name)
        guard let id = Int64(word) else { throw .noContact(quoted(word), of: user.name) }
        try change { try $0.removeContact(id, ofUser: user.name, by: call.authority) }
        return .done
    }

    func addContact(_ call: inout AccountsCall) throws(AccountsError) -> AccountsResponse {
        let body = try AccountsBody(call.request.body, "user", "name", "email", "phone", "channels")
        let named = try body.optionalText("user")
        call.log("contact add", user: named ?? call.ownName)
        let user = try call.user(named: named)
        var contact = Contact(name: try body.text("name"))
        contact.email = try body.optionalText("email") ?? ""
        contact.phone = try body.optionalText("phone") ?? ""
        for word in body.has("channels") ? try body.texts("channels") : [] {
            guard let channel = Contact.Channel(rawValue: word) else {
                let words = Contact.Channel.allCases.map(\.rawValue)
                throw .badValue(
                    "a channel is \(words.joined(separator: ", ")) (is \(quoted(word)))\(hint(word, words))"
                )
            }
            contact.channels.insert(channel)
        }
        let id = try change {
            try $0.addContact(contact, ofUser: user.name, by: call.authority)
        }
        return AccountsResponse(201, ["id": JSONValue(Int(clamping: id))])
    }
}

extension Contact {
    fileprivate var json: JSONValue {
        [
            "id": JSONValue(Int(clamping: id)), "name": .string(name), "email": .string(email),
            "phone": .string(phone),
            "channels": .array(channels.map(\.rawValue).sorted().map { .string($0) }),
        ]
    }
}
