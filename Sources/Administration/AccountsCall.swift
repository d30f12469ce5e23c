import Accounts
import JSON
import People
import Text

/// One request while it is answered.
struct AccountsCall {
    /// What is written to the log of a change, carried out or refused.
    struct Act {
        /// As the verbs call it: `user add`.
        var kind: String
        /// Whom or what it is about.
        var target: String?
        /// Whether the target is somebody's name, as it was typed.
        var isAboutUser = false

        static let signIn = "sign in"
        static let signOut = "sign out"
    }

    let request: AccountsRequest
    /// Milliseconds since 1970, UTC.
    let now: Int64
    /// Users, groups and grants as they are at the beginning.
    let table: AccessTable
    /// `nil` for a request that changes nothing.
    var act: Act?
    /// Who is signed in by this request.
    var signedIn: Caller?

    var method: AccountsRequest.Method { request.method }

    mutating func log(_ kind: String, _ target: String? = nil) {
        act = Act(kind: kind, target: target)
    }

    /// - Parameter user: A name as it was typed; it is kept only if there is such a user or group.
    mutating func log(_ kind: String, user: String?) {
        act = Act(kind: kind, target: user, isAboutUser: true)
    }

    // MARK: Who asks

    /// Who asks; routes that anybody may ask do not get here.
    var caller: Caller { request.caller ?? .user(.everybody) }

    var authority: Authority { Authority(caller, by: secret, at: now) }

    /// The session or token by which they were recognized.
    var secret: SecretToken? {
        switch request.claim {
        case .session(let text): SecretToken(text, .session)
        case .token(let text, _): SecretToken(text, .token)
        case .unnamed, .trusted, .listenerSession, .vouched, nil: nil
        }
    }

    /// The session that came with the request.
    var session: SecretToken? { request.session.flatMap { SecretToken($0, .session) } }

    /// The session of the listener's password that came with the request.
    var listenerSession: SecretToken? {
        guard case .listenerSession(let text)? = request.claim else { return nil }
        return SecretToken(text, .session)
    }

    var administers: Bool { request.caller.map(administers) ?? false }

    func administers(_ caller: Caller) -> Bool {
        table.verdict(of: caller, .own, on: .administration, at: now).isGranted
    }

    func requireAdministration() throws(AccountsError) {
        try authority.requireAdministration(table)
    }

    /// The user who asks; `nil` for the program itself.
    var userID: AccountID? {
        guard case .user(let id, _)? = request.caller else { return nil }
        return id
    }

    /// The name of the user who asks.
    var ownName: String? { userID.flatMap { table.user($0)?.name } }

    /// The user who asks.
    func user() throws(AccountsError) -> User {
        guard let id = userID, let user = table.user(id) else {
            throw .refused("not allowed: this is for users, and nobody is signed in here")
        }
        return user
    }

    /// The user whom a request is about: the named one, for who administers; else who asks.
    func user(named name: String?) throws(AccountsError) -> User {
        guard let name else {
            guard userID != nil else { throw .badValue("user is missing: say whose") }
            return try user()
        }
        if let own = userID.flatMap({ table.user($0) }), own.name == name { return own }
        // Others' names are not told.
        try requireAdministration()
        return try table.requireUser(name)
    }

    /// The name of the user whom a word of the path means: a name, or for who administers an identifier.
    func userName(_ word: String) -> String {
        guard administers, table.user(named: word) == nil else { return word }
        return AccountID(word).flatMap { table.user($0)?.name } ?? word
    }

    /// The name of the group that a word of the path means, in the same way.
    func groupName(_ word: String) -> String {
        guard administers, table.group(named: word) == nil else { return word }
        return AccountID(word).flatMap { table.group($0)?.name } ?? word
    }

    /// A user to whom something is given.
    func receiver(named name: String) throws(AccountsError) -> User {
        if let user = table.user(named: name) { return user }
        throw .unknown(
            "there is no user \(quoted(name))\(administers ? hint(name, table.users.map(\.name)) : "")"
        )
    }

    /// `bob` or `group:staff`.
    func grantee(_ text: String) throws(AccountsError) -> Grantee {
        guard text.hasPrefix("group:") else { return .user(try receiver(named: text).id) }
        if let group = table.grantee(named: text) { return group }
        let name = String(text.dropFirst(6))
        throw .unknown(
            "there is no group \(quoted(name))\(administers ? hint(name, table.groups.map(\.name)) : "")"
        )
    }

    // MARK: The query

    func query(_ allowed: String...) throws(AccountsError) -> [String: String] {
        for key in request.query.keys.sorted() where !allowed.contains(key) {
            throw .badValue("unknown parameter \(quoted(key))\(hint(key, allowed))")
        }
        return request.query.filter { !$0.value.isEmpty }
    }
}

extension AccessTable {
    /// Who has a grant, by name: `bob` or `group:staff`.
    func grantee(named text: String) -> Grantee? {
        guard text.hasPrefix("group:") else { return user(named: text).map { .user($0.id) } }
        return group(named: String(text.dropFirst(6))).map { .group($0.id) }
    }
}

/// A time as a person or a program writes it.
func parseTime(_ text: String) throws(AccountsError) -> Int64 {
    do { return try GrantDates.parse(text) } catch { throw .badValue("\(error)") }
}

func parseAccess(_ text: String) throws(AccountsError) -> Access {
    guard let access = Access(rawValue: text) else {
        let words = Access.allCases.map(\.rawValue)
        throw .badValue(
            "a right is \(words.joined(separator: ", ")) (is \(quoted(text)))\(hint(text, words))"
        )
    }
    return access
}

extension JSONValue {
    /// A time; null for none.
    static func time(_ milliseconds: Int64?) -> JSONValue {
        milliseconds.map { .string(CivilTime(milliseconds: $0).shortText) } ?? .null
    }

    /// The identifier of a grant; null for none.
    static func identifier(_ id: Int64?) -> JSONValue { id.map { JSONValue(Int(clamping: $0)) } ?? .null }

    /// A text; null for none.
    static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
}
