package import Accounts
import JSON
package import People
import Threading

extension AccountsAPI {
    /// What users see of themselves.
    func profile(_ call: AccountsCall) async throws(AccountsError) -> JSONValue {
        let user = try call.user()
        let table = registry.table
        let record = try record(of: user)
        let groups = table.groups.filter { group in
            guard case .users(let members) = group.members else { return false }
            return members.contains(user.id)
        }
        let grantees: Set<Grantee> = Set([.user(user.id)] + groups.map { .group($0.id) })
        let rights = await json(table.grants.filter { grantees.contains($0.grantee) }, table)
        var members = record.members
        members["administers"] = .bool(call.administers)
        members["owns"] = .bool(owns(call))
        members["devices"] = .array(table.devices(of: user).map { .string($0) })
        members["groups"] = .array(groups.map { .string($0.name) })
        members["rights"] = .array(rights.map { .object($0) })
        return .object(members)
    }

    private func record(of user: User) throws(AccountsError) -> UserRecord {
        guard let record = try registry.store.users().first(where: { $0.user.id == user.id }) else {
            throw .unknown("there is no such user any more")
        }
        return record
    }

    /// Whether somebody owns anything, and so has something to administer.
    private func owns(_ call: AccountsCall) -> Bool {
        if !Reader(call.table, for: call.caller, .own, at: call.now).seesNothing { return true }
        return call.table.groups.contains {
            call.table.verdict(of: call.caller, .own, on: .group($0.id), at: call.now).isGranted
        }
    }

    func editProfile(_ call: inout AccountsCall) async throws(AccountsError) -> AccountsResponse {
        let user = try call.user()
        call.log("user edit", user: user.name)
        let body = try AccountsBody(call.request.body, "display", "email", "old")
        let display = try body.optionalText("display")
        // Whether it is needed or not: nobody has a longer one.
        if let old = try body.password("old"), old.count > PasswordHash.lengths.upperBound {
            throw .refused("the present password is wrong")
        }
        var email = try body.optionalText("email")
        let known = try record(of: user)
        if let text = email, try AccountText.email(text) == known.email { email = nil }
        var (present, waiting) = (ExpectedPassword.any, String?.none)
        if let email {
            // A forgotten password is set by the address.
            switch try await inPerson(user, body, call) {
            case .refused(let answer): return answer
            case .known(let stored): present = .stored(stored)
            }
            if !email.isEmpty, try confirm(email, of: user, call, replacing: present) { waiting = email }
        }
        try change {
            try $0.setProfile(
                ofUser: user.name,
                display: display,
                email: waiting == nil ? email : nil,
                replacing: present,
                by: call.authority
            )
        }
        var members = try await profile(call).object ?? [:]
        members["waiting"] = .text(waiting)
        return AccountsResponse(200, .object(members))
    }

    /// Sets one's own password, which ends all sessions; the one that asked gets a new one.
    func setOwnPassword(_ call: inout AccountsCall) async throws(AccountsError) -> AccountsResponse {
        let user = try call.user()
        call.log("user password", user: user.name)
        let body = try AccountsBody(call.request.body, "old", "new")
        guard let new = try body.password("new") else { throw .badValue("new is missing") }
        guard PasswordHash.lengths.contains(new.count) else { throw .badValue(PasswordHash.rule) }
        let stored: String?
        switch try await inPerson(user, body, call) {
        case .refused(let answer): return answer
        case .known(let hash): stored = hash
        }
        let hash = try await registry.passwords.hash(new)
        let (request, now) = (call.request, call.now)
        let session: SecretToken? = try change { store in
            try store.setPassword(
                hash,
                ofUser: user.name,
                replacing: .stored(stored),
                by: call.authority
            )
            guard request.session != nil else { return nil }
            return try store.addSession(
                of: user.id,
                name: Self.sessionName(request.interface, request.source),
                until: now + registry.settings.sessionLifetime,
                at: now
            ).0
        }
        return AccountsResponse(204, session: session.map { .begin($0.text) })
    }

    // MARK: In person

    private enum Presence {
        /// The hash of the present password that was compared; `nil` for a user without one.
        case known(String?)
        case refused(AccountsResponse)
    }

    /// Requires that users are there in person, for what decides to whom an account belongs.
    ///
    /// A token that allows less, or ends, does not; who has a password must know it.
    private func inPerson(_ user: User, _ body: AccountsBody, _ call: AccountsCall)
        async throws(AccountsError) -> Presence
    {
        try call.authority.require(user.id, or: call.table)
        try registry.store.requireLastingSecret(of: call.authority)
        guard let stored = try registry.store.credentials(ofUser: user.name)?.password else {
            return .known(nil)
        }
        guard let old = try body.password("old") else {
            throw .refused("the present password is needed, in the member \"old\"")
        }
        return switch try await guess(old, against: stored, name: user.name, from: call.request.source) {
        case .right: .known(stored)
        case .wrong: throw .refused("the present password is wrong")
        case .limited(let seconds): .refused(.limited(seconds))
        }
    }

    // MARK: Guesses

    /// Checks the password of a thing within the limits of guessing, which are not those of people.
    package func guess(
        _ password: [UInt8],
        ofThing name: String,
        against stored: String,
        from source: String?
    ) async throws(AccountsError) -> PasswordVerdict {
        try await guess(
            password,
            against: stored,
            name: name,
            from: source,
            lengths: PasswordHash.thingLengths,
            thingGuesses,
            registry.thingPasswords
        )
    }

    /// Counts a guess of something that needs no time to be checked, within the limits of things.
    package func guess(isRight: Bool, name: String, from source: String?) -> PasswordVerdict {
        let (address, now) = (GuessAddress.text(of: source), steady())
        return thingGuesses.withLock { guesses in
            if let seconds = guesses.begin(name, from: address, at: now) { return .limited(seconds: seconds) }
            guard isRight else {
                guesses.failed(name, from: address, at: now)
                return .wrong
            }
            guesses.succeeded(name, from: address, at: now)
            return .right
        }
    }

    /// Checks a password of people within the limits of guessing.
    ///
    /// - Parameters:
    ///   - stored: `nil` for an unknown name, which costs the same.
    ///   - isKnown: Whether the password is right without a hash.
    func guess(
        _ password: [UInt8],
        against stored: String?,
        name: String,
        from source: String?,
        lengths: ClosedRange<Int> = PasswordHash.lengths,
        isKnown: Bool = false
    ) async throws(AccountsError) -> PasswordVerdict {
        try await guess(
            password,
            against: stored,
            name: name,
            from: source,
            lengths: lengths,
            isKnown: isKnown,
            guesses,
            registry.passwords
        )
    }

    private func guess(
        _ password: [UInt8],
        against stored: String?,
        name: String,
        from source: String?,
        lengths: ClosedRange<Int>,
        isKnown: Bool = false,
        _ guesses: Locked<GuessLimiter>,
        _ worker: PasswordWorker
    ) async throws(AccountsError) -> PasswordVerdict {
        let address = GuessAddress.text(of: source)
        let begun = steady()
        if let seconds = guesses.withLock({ $0.begin(name, from: address, at: begun) }) {
            return .limited(seconds: seconds)
        }
        var isRight = isKnown
        do throws(AccountsError) {
            if !isKnown {
                isRight = try await worker.verify(password, against: stored, lengths: lengths)
            }
        } catch {
            guesses.withLock { $0.abandoned(name, from: address) }
            throw error
        }
        let ended = steady()
        guesses.withLock { guesses in
            if isRight {
                guesses.succeeded(name, from: address, at: ended)
            } else {
                guesses.failed(name, from: address, at: ended)
            }
        }
        return isRight ? .right : .wrong
    }

    /// What a session is called in lists.
    static func sessionName(_ interface: String, _ source: String?) -> String {
        source.map { "\(interface) \($0)" } ?? interface
    }
}
