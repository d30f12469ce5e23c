import Accounts
import Administration
package import Bindings
package import People
import Text
import Things
package import Web

extension BindingService: ThingIFIdentity {
    /// What tokens are called that a program gets for a user's name and password.
    static let tokenName = "thing-if"
    /// How long such a token counts, milliseconds: a year.
    static let tokenLifetime: Int64 = 365 * 86_400_000

    package nonisolated func caller(
        bringing credentials: ThingIFCredentials,
        to app: String,
        from address: String?
    ) async -> Result<BindingCaller, BindingsError> {
        guard let known = settings.app, known.id == app else { return .failure(unknownApp(app)) }
        switch credentials {
        case .none:
            return .failure(.refused(.unauthenticated, "send a token, or the app's identifier and key"))
        case .app(let id, let key):
            if let error = refusal(of: id, key, known, from: address) { return .failure(error) }
            return .success(.app)
        case .bearer(let text):
            guard let caller = caller(bringing: text) else {
                return .failure(.refused(.unauthenticated, "the token is unknown, or has ended"))
            }
            return .success(caller)
        }
    }

    /// Why the app's key is not accepted; wrong ones are limited by address, as wrong passwords of a thing are.
    ///
    /// The right one is never limited: it costs nothing to check, and everybody behind an address may send it beside one
    /// program that has a wrong one.
    private nonisolated func refusal(
        of id: String,
        _ key: String,
        _ known: App,
        from address: String?
    ) -> BindingsError? {
        if known.isKey(key), id == known.id { return nil }
        // No thing has this name.
        switch administration.guess(isRight: false, name: "app", from: address) {
        case .right, .wrong: return .refused(.notAllowed, "the app's identifier or key is wrong")
        case .limited(let seconds):
            return .refused(.rateLimited, "too many wrong keys of the app; try again in \(seconds) s")
        }
    }

    private nonisolated func caller(bringing token: String) -> BindingCaller? {
        if let thing = accounts.thing(bringing: token) { return .thing(thing) }
        if anonymous.contains(token, at: now) { return .anonymous }
        return accounts.identify(.token(token)).map { .user($0) }
    }

    private nonisolated func unknownApp(_ app: String) -> BindingsError {
        .refused(.unknownThing, "there is no app \(QuotedValue.of(app)) here")
    }

    package nonisolated func token(
        for request: TokenRequest,
        bringing credentials: ThingIFCredentials,
        to app: String,
        from address: String?
    ) async -> Result<IssuedToken, BindingsError> {
        guard let known = settings.app, known.id == app else { return .failure(unknownApp(app)) }
        // A key that comes with a user's password must be right, too.
        if case .app = credentials {
            switch await caller(bringing: credentials, to: app, from: address) {
            case .success: break
            case .failure(let error): return .failure(error)
            }
        }
        switch request {
        case .app(let id, let key):
            if let error = refusal(of: id, key, known, from: address) { return .failure(error) }
            let token = anonymous.make(at: now).text
            return .success(IssuedToken(token, of: known.id, seconds: AnonymousTokens.lifetime / 1000))
        case .user(let name, let password):
            return await signIn(name, password, from: address)
        }
    }

    private nonisolated func signIn(
        _ name: String,
        _ password: String,
        from address: String?
    ) async -> Result<IssuedToken, BindingsError> {
        let result: Result<IssuedToken, BindingsError>
        do throws(AccountsError) {
            let made = try await administration.makeToken(
                forUser: name,
                Array(password.utf8),
                called: Self.tokenName,
                lifetime: Self.tokenLifetime,
                from: address
            )
            result =
                switch made {
                case .wrong: .failure(.refused(.notAllowed, "the name or the password is wrong"))
                case .limited(let seconds): .failure(.tooManyGuesses(seconds))
                case .made(let token, let record):
                    .success(
                        IssuedToken(
                            token.text,
                            of: record.user.map { "\($0)" } ?? "",
                            seconds: Self.tokenLifetime / 1000
                        )
                    )
                }
        } catch {
            result = .failure(BindingsError(error))
        }
        logSignIn(name, result, from: address)
        return result
    }

    package func onboard(
        _ request: OnboardingRequest,
        by caller: BindingCaller,
        from address: String?
    ) async -> Result<OnboardingAnswer, BindingsError> {
        do throws(BindingsError) {
            return .success(
                try await onboard(request, by: Requester(identity: .door(caller), address: address))
            )
        } catch {
            return .failure(error)
        }
    }

    // MARK: Installations

    package func install(_ request: Installation.Request, by caller: BindingCaller) async -> Result<
        Installation, BindingsError
    > {
        result { () throws(BindingsError) in try install(request, for: try user(caller, .write)) }
    }

    package func installation(_ id: String, of caller: BindingCaller) async -> Result<
        Installation, BindingsError
    > {
        result { () throws(BindingsError) in try installation(id, of: try user(caller, .read)) }
    }

    package func uninstall(_ id: String, of caller: BindingCaller) async -> Result<Void, BindingsError> {
        result { () throws(BindingsError) in
            let user = try user(caller, .write)
            try uninstall(try installation(id, of: user).id)
        }
    }

    /// Installs for a user.
    func install(_ request: Installation.Request, for owner: AccountID) throws(BindingsError) -> Installation
    {
        try withBindingsErrors { () throws(AccountsError) in
            try accounts.change { store in
                try store.register(request, newID: Self.newName("i"), owner: owner)
            }
        }
    }

    func uninstall(_ id: String) throws(BindingsError) {
        let isRemoved = try withBindingsErrors { () throws(AccountsError) in
            try accounts.change { try $0.removeInstallation(id) }
        }
        guard isRemoved else { throw Self.noInstallation(id) }
    }

    /// One of a user: those of others are not there for them.
    private func installation(_ id: String, of owner: AccountID) throws(BindingsError) -> Installation {
        let found = try withBindingsErrors { () throws(AccountsError) in try accounts.store.installation(id) }
        guard let found, found.owner == owner else { throw Self.noInstallation(id) }
        return found
    }

    private static func noInstallation(_ id: String) -> BindingsError {
        .refused(.unknownThing, "there is no installation \(QuotedValue.of(id))")
    }

    /// The user who asks for something that only users have.
    ///
    /// - Parameter access: What the user's token must allow.
    private func user(_ caller: BindingCaller, _ access: Access) throws(BindingsError) -> AccountID {
        guard case .user(.user(let id, let ceiling)) = caller else {
            throw .refused(.notAllowed, "installations are those of users; send the token of one")
        }
        if let ceiling, ceiling < access {
            let reason = AccessRefusal.ceiling(ceiling)
            throw .refused(.notAllowed, "you may not change installations: \(reason)")
        }
        return id
    }

    private func result<Success>(_ work: () throws(BindingsError) -> Success) -> Result<
        Success, BindingsError
    > {
        do throws(BindingsError) { return .success(try work()) } catch { return .failure(error) }
    }

    /// A new identifier that begins with a letter.
    static func newName(_ letter: String) -> String {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        return "\(letter).\(String(repeating: "0", count: 16 - digits.count))\(digits)"
    }

    static func newID() -> BindingID {
        BindingID(high: UInt64.random(in: .min ... .max), low: UInt64.random(in: .min ... .max))
    }
}
