import Accounts
import JSON
import People

/// Tokens, sessions and contacts: everybody's own, and all for who administers.
extension AccountsAPI {
    /// `tokens`.
    ///
    /// Without a name, who administers gets those of all users.
    func tokens(_ call: inout AccountsCall) throws(AccountsError) -> AccountsResponse? {
        switch (call.method, call.name) {
        case (.get, nil) where call.rest.isEmpty:
            let rows = try secrets(.token, call).map { record in
                var row = Self.row(record, call.table)
                row["access"] = .text(record.ceiling?.rawValue)
                return JSONValue.object(row)
            }
            return AccountsResponse(200, .array(rows))
        case (.post, nil) where call.rest.isEmpty: return try addToken(&call)
        case (.delete, let id?):
            call.log("token rm", id)
            try remove(id, .token, call)
            return .done
        default: return nil
        }
    }

    /// `sessions`.
    ///
    /// Without a name, who administers gets those of all users.
    func sessions(_ call: inout AccountsCall) throws(AccountsError) -> AccountsResponse? {
        switch (call.method, call.name) {
        case (.get, nil) where call.rest.isEmpty:
            let own = call.request.session.flatMap { SecretToken($0, .session) }?.hash
            let rows = try secrets(.session, call).map { record in
                var row = Self.row(record, call.table)
                row["current"] = .bool(record.hash == own)
                return JSONValue.object(row)
            }
            return AccountsResponse(200, .array(rows))
        case (.delete, let id?):
            call.log("session rm", id)
            try remove(id, .session, call)
            return .done
        default: return nil
        }
    }

    private func secrets(_ kind: SecretToken.Kind, _ call: AccountsCall) throws(AccountsError)
        -> [SecretRecord]
    {
        var name = try call.query("user")["user"]
        if name != nil || !call.administers { name = try call.user(named: name).name }
        // When they were used last is in memory.
        try? registry.flush()
        return try registry.store.secrets(kind, ofUser: name, at: call.now)
    }

    private static func row(_ record: SecretRecord, _ table: AccessTable) -> JSONObject {
        let holder: String =
            switch record.holder {
            case .user(.listener): AccountsStore.listenerName
            case .user(let id): table.user(id)?.name ?? "\(id)"
            case .thing: "\(record.holder)"
            }
        return [
            "id": .string(record.id), "user": .string(holder), "name": .string(record.name),
            "made": .time(record.made), "until": .time(record.until), "used": .time(record.used),
        ]
    }

    private func remove(_ id: String, _ kind: SecretToken.Kind, _ call: AccountsCall) throws(AccountsError) {
        let isThere = try registry.store.secrets(kind, at: call.now).contains { $0.id == id }
        guard isThere else { throw .unknown("there is no \(kind.rawValue) \(quoted(id))") }
        try change { store throws(AccountsError) in
            try store.removeSecret(id, by: call.authority, at: call.now)
        }
    }

    private func addToken(_ call: inout AccountsCall) throws(AccountsError) -> AccountsResponse {
        let body = try AccountsBody(call.request.body, "user", "name", "access", "until")
        let named = try body.optionalText("user")
        call.log("token add", user: named ?? call.userID.flatMap { call.table.user($0)?.name })
        let user = try call.user(named: named)
        let (name, ceiling, until) = (
            try body.text("name"), try body.access("access"), try body.time("until")
        )
        let (authority, now) = (call.authority, call.now)
        let (secret, record) = try change { store throws(AccountsError) in
            try store.addToken(
                name,
                ofUser: user.name,
                ceiling: ceiling,
                until: until,
                by: authority,
                at: now
            )
        }
        return AccountsResponse(
            201,
            ["id": .string(record.id), "token": .string(secret.text), "until": .time(record.until)]
        )
    }

    // MARK: Contacts

    /// `contacts`: of who asks, or of the user in the query.
    func contacts(_ call: inout AccountsCall) throws(AccountsError) -> AccountsResponse? {
        switch (call.method, call.name) {
        case (.get, nil) where call.rest.isEmpty:
            let user = try call.user(named: call.query("user")["user"])
            let rows = try registry.store.contacts(ofUser: user.name, by: call.authority, at: call.now)
            return AccountsResponse(200, .array(rows.map(\.json)))
        case (.post, nil) where call.rest.isEmpty: return try addContact(&call)
        case (.delete, let word?):
            let user = try call.user(named: call.query("user")["user"])
            call.log("contact rm", user: user.name)
            guard let id = Int64(word) else { throw .unknown("\(user.name) has no contact \(quoted(word))") }
            try change { store throws(AccountsError) in
                try store.removeContact(id, ofUser: user.name, by: call.authority, at: call.now)
            }
            return .done
        default: return nil
        }
    }

    private func addContact(_ call: inout AccountsCall) throws(AccountsError) -> AccountsResponse {
        let body = try AccountsBody(call.request.body, "user", "name", "email", "phone", "channels")
        let named = try body.optionalText("user")
        call.log("contact add", user: named ?? call.userID.flatMap { call.table.user($0)?.name })
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
        let (new, authority, now) = (contact, call.authority, call.now)
        let id = try change { store throws(AccountsError) in
            try store.addContact(new, ofUser: user.name, by: authority, at: now)
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
