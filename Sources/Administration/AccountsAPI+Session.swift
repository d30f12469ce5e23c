import Accounts
import JSON
import People

extension AccountsAPI {
    /// Who is signed in.
    func presence(_ call: AccountsCall) -> AccountsResponse {
        AccountsResponse(
            200,
            [
                "user": .text(call.ownName), "administers": .bool(call.administers),
                "canSignUp": .bool(settings.signUp != .off && send != nil),
                "canForget": .bool(settings.canReset && send != nil),
            ]
        )
    }

    func signIn(_ call: inout AccountsCall) async throws(AccountsError) -> AccountsResponse {
        if call.request.body?["link"] != nil { return try signInByLink(&call) }
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
        let (secret, _) = try change {
            try $0.addSession(
                of: user.id,
                name: Self.sessionName(request.interface, request.source),
                until: now + registry.settings.sessionLifetime,
                verified: .stored(known?.password),
                replacing: call.session,
                at: now
            )
        }
        return try signedIn(user, by: secret, call)
    }

    func signedIn(_ user: User, by secret: SecretToken, _ call: AccountsCall) throws(AccountsError)
        -> AccountsResponse
    {
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

    func signOut(_ call: inout AccountsCall) throws(AccountsError) -> AccountsResponse {
        if let secret = call.session {
            call.log(AccountsCall.Act.signOut, call.ownName)
            try change { try $0.endSession(secret) }
        }
        return AccountsResponse(204, session: .end)
    }
}
