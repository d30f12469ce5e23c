import Accounts
import JSON
import People

extension AccountsAPI {
    /// `session`: who is signed in, signing in, and signing out.
    func session(_ call: inout AccountsCall) async throws(AccountsError) -> AccountsResponse? {
        guard call.rest.isEmpty else { return nil }
        switch call.method {
        case .get: return AccountsResponse(200, presence(call))
        case .post:
            if call.request.body?["link"] != nil { return try signInByLink(&call) }
            return try await signIn(&call)
        case .delete: return try signOut(&call)
        case .put, .patch: return nil
        }
    }

    private func presence(_ call: AccountsCall) -> JSONValue {
        let user = call.userID.flatMap { call.table.user($0) }
        return [
            "user": .text(user?.name), "administers": .bool(call.administers),
            "canSignUp": .bool(settings.signUp != .off && send != nil),
            "canForget": .bool(settings.canReset && send != nil),
        ]
    }

    private func signIn(_ call: inout AccountsCall) async throws(AccountsError) -> AccountsResponse {
        let body = try AccountsBody(call.request.body, "user", "password")
        let name = try body.text("user")
        guard let password = try body.password("password") else { throw .badValue("password is missing") }
        let known = try registry.store.credentials(ofUser: name)
        call.log(AccountsCall.Act.signIn, user: name)
        switch try await guess(password, against: known?.password, name: name, from: call.request.source) {
        case .limited(let seconds): return .limited(seconds)
        case .wrong: return .refusal(401, "unauthenticated", "the name or the password is wrong")
        case .right: break
        }
        guard let user = known?.user else { throw .refused("the name or the password is wrong") }
        call.signedIn = .user(user.id)
        switch user.state {
        case .active: break
        case .off: throw .refused("\(user.name) is switched off; an owner can change that")
        case .pending: throw .refused("\(user.name) is not verified or approved yet")
        }
        let now = registry.clock()
        let request = call.request
        let former = request.session.flatMap { SecretToken($0, .session) }
        let (secret, _) = try change { store throws(AccountsError) in
            try store.addSession(
                of: user.id,
                name: Self.sessionName(request.face, request.source),
                until: now + registry.settings.sessionLifetime,
                verified: .stored(known?.password),
                replacing: former,
                at: now
            )
        }
        // So that the user counts as seen.
        _ = registry.identify(.session(secret.text))
        let display = try registry.store.users().first { $0.user.id == user.id }?.display ?? ""
        return AccountsResponse(
            200,
            [
                "user": .string(user.name), "display": .string(display),
                "administers": .bool(call.administers(.user(user.id))),
            ],
            session: .begin(secret.text)
        )
    }

    private func signOut(_ call: inout AccountsCall) throws(AccountsError) -> AccountsResponse {
        if let secret = call.request.session.flatMap({ SecretToken($0, .session) }) {
            call.log(AccountsCall.Act.signOut, call.userID.flatMap { call.table.user($0)?.name })
            try change { store throws(AccountsError) in try store.endSession(secret) }
        }
        return AccountsResponse(204, session: .end)
    }
}
