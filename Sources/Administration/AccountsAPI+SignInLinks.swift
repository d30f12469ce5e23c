import Accounts
import JSON
import People

/// Links that sign in a browser: for users of this machine who can show that they are the daemon's own user.
extension AccountsAPI {
    /// `sign-in-links`: makes one, for the program itself only.
    func addSignInLink(_ call: inout AccountsCall) throws(AccountsError) -> AccountsResponse {
        let body = try AccountsBody(call.request.body ?? [:], "user")
        let named = try body.optionalText("user")
        call.log("sign-in link add", user: named)
        guard call.request.caller == .nobody else {
            throw .refused("not allowed: only the daemon's own user makes sign-in links, on the command line")
        }
        guard let page = registry.pageAddress else {
            throw .refused("no page is served: see web.listen, and the alert \"web\"")
        }
        let user = if let named { try call.table.requireUser(named) } else { try administrator(call) }
        call.log("sign-in link add", user.name)
        let now = call.now
        let link = try change { try $0.addSignInLink(of: user.id, at: now) }
        let next = call.administers(.user(user.id)) ? "admin" : "me"
        return AccountsResponse(
            201,
            [
                "user": .string(user.name), "until": .time(now + AccountsStore.signInLinkLifetime),
                "url": .string("\(page)/sign-in?link=\(link.text)&next=\(next)"),
            ]
        )
    }

    /// The owner of the configuration, or else the first user who administers.
    private func administrator(_ call: AccountsCall) throws(AccountsError) -> User {
        let users = call.table.users.filter { call.administers(.user($0.id)) }
        guard let user = users.first(where: { $0.name == settings.owner }) ?? users.first else {
            throw .unknown("no user administers this daemon")
        }
        return user
    }

    /// `session` with a link, which is used up.
    func signInByLink(_ call: inout AccountsCall) throws(AccountsError) -> AccountsResponse {
        let body = try AccountsBody(call.request.body, "link")
        call.log("sign in")
        let text = try body.text("link")
        guard let link = SecretToken(text, .link) else {
            throw .refused("link is not one that `trilateral sign-in` printed; copy all of it")
        }
        let (request, now, lifetime) = (call.request, call.now, registry.settings.sessionLifetime)
        let (user, secret) = try change {
            try $0.signIn(
                by: link,
                session: Self.sessionName(request.interface, request.source),
                ending: call.session,
                until: now + lifetime,
                at: now
            )
        }
        call.log("sign in", user.name)
        call.signedIn = .user(user.id)
        return try signedIn(user, by: secret, call)
    }
}
