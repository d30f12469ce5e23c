package import Accounts
import JSON
package import People
import Text
import Threading

/// Answers requests about users, rights, secrets and the log: over HTTP, over the local socket, and of verbs that have
/// opened the store themselves.
///
/// Who may do what is checked here and, with the rules of the tables, in the transaction of each change. Every change,
/// carried out or refused, is a row of the log, without passwords and secrets.
/// - Source: contrib/contract/people.md, "Administration"; "Signing in".
package final class AccountsAPI: Sendable {
    /// What the configuration says.
    package struct Settings: Sendable, Hashable {
        /// Whether strangers may make users.
        package enum SignUp: String, Sendable, Hashable, CaseIterable {
            case off
            /// Whoever has verified their address is active.
            case verified
            /// An owner has to switch them on, too.
            case approved
        }

        package var signUp = SignUp.off
        /// Whether an email message can set a new password.
        package var canReset = false
        /// Whether anything has email messages sent.
        package var sendsEmail = true
        /// What links in email messages begin with: `https://panel.example`.
        package var publicURL: String?
        /// Whom a sign-in link is for if nobody is named, as long as that user administers.
        package var owner = "owner"
        /// Identifies this run in the log.
        package var epoch: String?

        package init() {}
    }

    let registry: AccountsRegistry
    /// Where environments, zones and things are.
    package let place: AccountsPlace
    private let current: Locked<Settings>
    private let mailer: (@Sendable (EmailMessage) -> Void)?
    /// Milliseconds of the steady clock, for limits.
    let steady: @Sendable () -> Int64
    let guesses = Locked(GuessLimiter())
    /// Of things and apps: one with a wrong password must not lock out the people behind its address.
    ///
    /// Many things may have one address, and all come at once.
    let thingGuesses = Locked(GuessLimiter(atOnce: 200))
    let listenerChecks = ListenerChecks()
    let emails = Locked(EmailLimiter())

    /// - Parameters:
    ///   - steady: Milliseconds of a clock that nobody sets.
    ///   - send: Has an email message sent, at once; `nil` if nobody does.
    package init(
        _ registry: AccountsRegistry,
        _ settings: Settings = Settings(),
        place: AccountsPlace,
        steady: @escaping @Sendable () -> Int64,
        send: (@Sendable (EmailMessage) -> Void)? = nil
    ) {
        (self.registry, self.place, current) = (registry, place, Locked(settings))
        (self.steady, mailer) = (steady, send)
    }

    var settings: Settings { current.withLock { $0 } }

    /// `nil` where nobody sends email.
    var send: (@Sendable (EmailMessage) -> Void)? { settings.sendsEmail ? mailer : nil }

    /// Follows another configuration from now on.
    package func use(_ settings: Settings) { current.withLock { $0 = settings } }

    /// Answers a request; see ``AccountsHandler``.
    package func answer(_ request: AccountsRequest) async -> AccountsResponse {
        // What could not be read after a change, or was changed by another program, counts for this request.
        try? registry.refresh()
        var call = AccountsCall(request: request, now: registry.clock(), table: registry.table)
        let response: AccountsResponse
        do throws(AccountsError) {
            response = try await route(&call)
        } catch {
            response = AccountsResponse(error)
        }
        if let act = call.act { registry.log(entry(act, of: call, response)) }
        return response
    }

    /// Whether there is a token in a member whose value others will read, as a name.
    private static func hasMisplacedToken(_ body: JSONValue?) -> Bool {
        (body?.object ?? [:]).contains { name, value in
            !["link", "token", "password", "old", "new"].contains(name)
                && SecretMask.tokens.finds(in: value)
        }
    }

    private func route(_ call: inout AccountsCall) async throws(AccountsError) -> AccountsResponse {
        let route = AccountsRoute(call.request.path)
        if call.request.caller == nil, route?.isPublic != true {
            return .refusal(401, "unauthenticated", "nobody is signed in here; sign in, or send a token")
        }
        guard let route else { return Self.notFound(call) }
        guard route.methods.contains(call.method) else {
            let methods = route.methods.map(\.rawValue).joined(separator: ", ")
            let reason = "/api/\(route.template) takes \(methods) (is \(call.method.rawValue))"
            return .refusal(405, "method_not_allowed", reason)
        }
        guard !Self.hasMisplacedToken(call.request.body) else {
            let reason = "there is a token where none belongs; replace this token: others may have read it"
            return .refusal(400, "invalid_value", reason)
        }
        // No path has more than one word that varies.
        let word = route.template.values(in: call.request.path)?.first ?? ""
        return switch (call.method, route.template.description) {
        case (.get, "session"): presence(call)
        case (.post, "session"): try await signIn(&call)
        case (.delete, "session"): try signOut(&call)
        case (_, "sign-in"): try await listenerSignIn(&call)
        case (_, "sign-out"): try listenerSignOut(&call)
        case (_, "sign-up"): try signUp(call)
        case (_, "forgot"): try forgot(call)
        case (_, "verify"): try await verify(&call)
        case (_, "sign-in-links"): try addSignInLink(&call)
        case (.get, "me"): AccountsResponse(200, try await profile(call))
        case (_, "me"): try await editProfile(&call)
        case (_, "me/password"): try await setOwnPassword(&call)
        case (.get, "users"): try users(call)
        case (_, "users"): try await addUser(&call)
        case (.patch, "users/{user}"): try editUser(word, &call)
        case (_, "users/{user}"): try await removeUser(word, &call)
        case (_, "users/{user}/password"): try await setPassword(word, &call)
        case (.get, "groups"): try await groups(call)
        case (_, "groups"): try addGroup(&call)
        case (_, "groups/{group}"): try removeGroup(word, &call)
        case (_, "groups/{group}/members"): try await changeMembers(of: word, joins: true, &call)
        case (_, "groups/{group}/leave"): try await changeMembers(of: word, joins: false, &call)
        case (.get, "grants"): try await grants(call)
        case (_, "grants"): try await addGrant(&call)
        case (_, "grants/check"): try await checkGrant(call)
        case (_, "grants/{grant}"): try await removeGrant(word, &call, "grant")
        case (.get, "shares"): await shares(call)
        case (_, "shares"): try await addShare(&call)
        case (_, "shares/{share}"): try await removeGrant(word, &call, "share")
        case (_, "shares/{share}/accept"): try acceptShare(word, &call)
        case (.get, "contacts"): try contacts(call)
        case (_, "contacts"): try addContact(&call)
        case (_, "contacts/{contact}"): try removeContact(word, &call)
        case (.get, "tokens"): try secrets(.token, call)
        case (_, "tokens"): try addToken(&call)
        case (_, "tokens/{token}"): try remove(word, .token, &call)
        case (_, "sessions"): try secrets(.session, call)
        case (_, "sessions/{session}"): try remove(word, .session, &call)
        case (_, "log"): try await log(call)
        default: Self.notFound(call)
        }
    }

    private static func notFound(_ call: AccountsCall) -> AccountsResponse {
        let path = "/api/" + call.request.path.joined(separator: "/")
        return .refusal(404, "unknown", "nothing answers \(call.method.rawValue) \(quoted(path)) here")
    }

    // MARK: The log

    func entry(
        _ act: AccountsCall.Act,
        of call: AccountsCall,
        _ response: AccountsResponse
    ) -> CommandLogEntry {
        let request = call.request
        let isAccepted = response.status < 300
        // A failed sign-in is nobody's, also over somebody's session.
        let caller = call.signedIn ?? (act.kind == AccountsCall.Act.signIn ? nil : request.caller)
        var entry = CommandLogEntry(
            at: call.now,
            interface: request.interface,
            caller: request.systemUser.map { "system:\($0)" } ?? caller.map(call.table.logName) ?? "nobody",
            kind: act.kind,
            state: isAccepted ? "accepted" : "refused"
        )
        entry.epoch = settings.epoch
        entry.source = request.source
        let table = registry.table
        // People type passwords into the wrong field: only names of users, who are or were there, are written down.
        func isKnown(_ name: String) -> Bool {
            [call.table, table].contains { $0.grantee(named: name) != nil }
        }
        entry.target = act.target.flatMap { act.isAboutUser && !isKnown($0) ? nil : $0 }
        entry.actions = AccountsBody.logText(request.body, of: act.kind, isAccepted, isKnown)
        entry.isOfStranger = !isAccepted && caller == nil
        if !isAccepted { entry.code = response.body?["error"]?.string ?? "internal" }
        // A wrong password has one code, whichever password it is.
        if act.kind == AccountsCall.Act.signIn, caller == nil, entry.code == "not_allowed" {
            entry.code = "unauthenticated"
        }
        return entry
    }

    /// Changes the store; everybody hears of it before the answer.
    func change<Result>(_ work: (AccountsStore) throws -> Result) throws(AccountsError) -> Result {
        try registry.change(work)
    }
}

extension AccountsResponse {
    /// Done, and nothing to tell.
    static let done = AccountsResponse(204)

    init(_ error: AccountsError) {
        let (status, retry): (Int, Int?) =
            switch error {
            case .refused: (403, nil)
            case .badValue: (400, nil)
            case .unknown: (404, nil)
            case .conflict: (409, nil)
            case .unauthenticated: (401, nil)
            case .rateLimited: (429, 60)
            case .limited: (429, 3600)
            case .database: error.isTransient ? (503, 10) : (500, nil)
            }
        self = .refusal(status, error.code, "\(error)", retryAfter: retry)
    }

    static func limited(_ seconds: Int) -> AccountsResponse {
        let reason = "too many wrong passwords; try again in \(seconds) s"
        return .refusal(429, "rate_limited", reason, retryAfter: seconds)
    }
}
