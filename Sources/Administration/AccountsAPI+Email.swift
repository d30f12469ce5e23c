import Accounts
import JSON
import People
import Text
import Threading

/// Signing up, forgotten passwords, and the links of email messages.
extension AccountsAPI {
    /// What everybody gets, whether or not a message is sent.
    private static let accepted = AccountsResponse(
        202,
        ["message": "If this is possible, an email message with a link is on its way."]
    )
    /// How long somebody has to verify an address, milliseconds.
    private static let patience = LinkPurpose.verify.lifetime

    // MARK: Signing up

    /// `sign-up`: makes a pending user and sends them a link; the answer tells nothing.
    func signUp(_ call: AccountsCall) throws(AccountsError) -> AccountsResponse {
        guard settings.signUp != .off, let send, let url = settings.publicURL else {
            throw .refused("nobody can sign up here; ask an owner")
        }
        let body = try AccountsBody(call.request.body, "user", "email", "password", "display")
        var new = NewUser(try body.text("user"))
        new.email = try AccountText.email(try body.text("email"))
        new.display = try AccountText.display(try body.optionalText("display") ?? "")
        new.state = .pending
        guard let password = try body.password("password") else { throw .badValue("password is missing") }
        // What is said about the form is the same for everybody.
        guard AccountName.isLegal(new.name), !AccountName.reserved.contains(new.name) else {
            throw .badValue("a user's name must be \(AccountName.rule)")
        }
        guard !new.email.isEmpty else { throw .badValue("email is missing") }
        guard PasswordHash.lengths.contains(password.count) else { throw .badValue(PasswordHash.rule) }
        let (user, request, now) = (new, call.request, call.now)
        guard mayWrite(to: user.email, request) else { return Self.accepted }
        // Not awaited: the answer must not tell by its time whether there is such a user.
        Task {
            var background = AccountsCall(request: request, now: now, table: registry.table)
            background.log("sign up", user: user.name)
            do throws(AccountsError) {
                let message = try await register(user, password, url, at: now)
                send(message)
                finish(background, AccountsResponse(201))
            } catch {
                finish(background, AccountsResponse(error))
            }
        }
        return Self.accepted
    }

    private func register(
        _ new: NewUser,
        _ password: [UInt8],
        _ url: String,
        at now: Int64
    ) async throws(AccountsError) -> EmailMessage {
        var user = new
        user.password = try await registry.passwords.hash(password)
        let link = try change { store in
            try store.removeUnverified(before: now - Self.patience)
            let id = try store.addNewcomer(user, at: now)
            return try store.addLink(.verify, of: id, at: now)
        }
        return message(.verify, to: new.email, name: new.name, link, url, at: now)
    }

    // MARK: Forgotten passwords

    /// `forgot`: sends a link to the address of a user; the answer tells nothing.
    func forgot(_ call: AccountsCall) throws(AccountsError) -> AccountsResponse {
        guard settings.canReset, let send, let url = settings.publicURL else {
            throw .refused("no email messages are sent here; ask an owner for a new password")
        }
        let word = try AccountsBody(call.request.body, "user").text("user")
        let (request, now) = (call.request, call.now)
        guard mayAsk(request) else { return Self.accepted }
        // Not awaited: the answer must not tell by its time whether there is such a user.
        Task {
            var background = AccountsCall(request: request, now: now, table: registry.table)
            do throws(AccountsError) {
                let users = try registry.store.users().filter {
                    !$0.email.isEmpty && $0.user.state == .active && Self.isAddress($0.email)
                        && ($0.user.name == word || $0.email.lowercased() == word.lowercased())
                }
                let user = users.count == 1 ? users.first : nil
                // One limit, by whichever name a mailbox is asked for; what nobody is known by counts for who asks.
                guard mayWrite(to: user?.email ?? word, request), let user else { return }
                background.log("forgot", user: user.user.name)
                let link = try registry.store.addLink(.reset, of: user.user.id, at: now)
                send(message(.reset, to: user.email, name: user.user.name, link, url, at: now))
                finish(background, AccountsResponse(202))
            } catch {
                finish(background, AccountsResponse(error))
            }
        }
        return Self.accepted
    }

    /// Whether an address that was stored by an earlier version can be written to.
    private static func isAddress(_ text: String) -> Bool { (try? AccountText.email(text)) != nil }

    private func mayWrite(to mailbox: String, _ request: AccountsRequest) -> Bool {
        let (address, now) = (GuessAddress.text(of: request.source), steady())
        let key = mailbox.lowercased()
        return emails.withLock { $0.take(key, from: address, at: now) }
    }

    private func mayAsk(_ request: AccountsRequest) -> Bool {
        let (address, now) = (GuessAddress.text(of: request.source), steady())
        return emails.withLock { $0.hasRoom(for: address, at: now) }
    }

    // MARK: Another address

    /// Sends a link to an address that a user wants to have; it counts once the link is opened.
    ///
    /// - Returns: Whether a message was sent; where none can be sent, the address counts at once.
    func confirm(
        _ email: String,
        of user: User,
        _ call: AccountsCall,
        replacing present: ExpectedPassword
    ) throws(AccountsError) -> Bool {
        guard let send, let url = settings.publicURL else { return false }
        let address = try AccountText.email(email)
        guard mayWrite(to: address, call.request) else {
            throw .limited("too many email messages were asked for; try again in an hour")
        }
        let link = try change {
            try $0.addEmailLink(
                of: user,
                address: address,
                replacing: present,
                by: call.authority
            )
        }
        send(message(.email, to: address, name: user.name, link, url, at: call.now))
        return true
    }

    // MARK: Links

    /// `verify`: uses up the link of an email message.
    func verify(_ call: inout AccountsCall) async throws(AccountsError) -> AccountsResponse {
        let body = try AccountsBody(call.request.body, "token", "password")
        let text = try body.text("token")
        let password = try body.password("password")
        call.log("verify")
        guard let link = SecretToken(text, .link),
            let found = try registry.store.link(link, at: call.now)
        else { throw .refused("this link was used already, or is too old; ask for another one") }
        call.log(found.purpose.rawValue, found.user.name)
        let now = call.now
        let user: User
        switch found.purpose {
        case .email: user = try change { try $0.setEmail(by: link, at: now) }
        case .verify:
            let activates = settings.signUp == .verified
            user = try change { try $0.verify(link, activates: activates, at: now) }
        case .reset:
            guard let password else { throw .badValue("password is missing: the new one") }
            let hash = try await registry.passwords.hash(password)
            user = try change { try $0.reset(link, to: hash, at: now) }
        }
        call.signedIn = .user(user.id)
        return AccountsResponse(
            200,
            [
                "kind": .string(found.purpose.rawValue), "user": .string(user.name),
                "state": .string(user.state.rawValue),
            ]
        )
    }

    // MARK: The message

    private func message(
        _ purpose: LinkPurpose,
        to email: String,
        name: String,
        _ link: SecretToken,
        _ url: String,
        at now: Int64
    ) -> EmailMessage {
        let base = url.hasSuffix("/") ? String(url.dropLast()) : url
        let kind = purpose == .reset ? "kind=reset&" : ""
        let address = "\(base)/verify?\(kind)token=\(link.text)"
        let expires = now + purpose.lifetime
        let end = CivilTime(milliseconds: expires).shortText
        let (subject, what) =
            switch purpose {
            case .verify, .email:
                ("Confirm your address", "To confirm that this is the address of \(name), open")
            case .reset: ("Set a new password", "To set a new password for \(name), open")
            }
        return EmailMessage(
            id: "\(AccountsStore.newID())",
            to: email,
            subject: subject,
            text:
                "\(what)\n\n\(address)\n\nThe link works once, until \(end). If you did not ask for it, do nothing.\n",
            kind: purpose,
            expires: expires
        )
    }

    /// Writes the row of work that went on after its answer.
    private func finish(_ call: AccountsCall, _ response: AccountsResponse) {
        if let act = call.act { registry.log(entry(act, of: call, response)) }
    }
}
