import Accounts
import Cryptography
import JSON
package import People

/// Signing in with the listener's own password, which needs no name.
extension AccountsAPI {
    /// Whether a text that came with a request is the listener's password, within the limits of guessing.
    ///
    /// Refusals are rows of the log.
    package func checkListenerPassword(_ text: String, from source: String?, interface: String) async
        -> PasswordVerdict
    {
        let verdict = await listenerVerdict(text, from: source)
        guard verdict != .right else { return .right }
        var call = AccountsCall(
            request: AccountsRequest(.get, [], interface: interface, source: source),
            now: registry.clock(),
            table: registry.table
        )
        call.log(AccountsCall.Act.signIn)
        if let act = call.act { registry.log(entry(act, of: call, Self.refusal(verdict))) }
        return verdict
    }

    /// `sign-in`.
    func listenerSignIn(_ call: inout AccountsCall) async throws(AccountsError) -> AccountsResponse {
        guard let hash = listenerHash(call) else { return Self.noPassword }
        guard let text = call.request.body?["password"]?.string else {
            return AccountsResponse(
                400,
                ["error": "wrong_type", "message": "password must be a text", "field": "password"]
            )
        }
        call.log(AccountsCall.Act.signIn)
        let verdict = await listenerVerdict(text, from: call.request.source)
        guard verdict == .right else { return Self.refusal(verdict) }
        let session = try registry.addListenerSession(
            Self.sessionName(call.request.interface, call.request.source),
            verified: hash,
            replacing: call.listenerSession
        )
        call.signedIn = registry.identify(.trusted(.kiosk))
        return AccountsResponse(200, ["status": "ok"], session: .begin(session.text))
    }

    /// `sign-out`.
    func listenerSignOut(_ call: inout AccountsCall) throws(AccountsError) -> AccountsResponse {
        guard listenerHash(call) != nil else { return Self.noPassword }
        if call.request.caller != nil, let session = call.listenerSession {
            call.log(AccountsCall.Act.signOut)
            try change { try $0.endSession(session) }
        }
        return AccountsResponse(200, ["status": "ok"], session: .end)
    }

    private static let noPassword = AccountsResponse.refusal(
        404,
        "not_found",
        "this daemon has no password; nobody needs to sign in"
    )

    /// `nil` if there is none, and for the program itself, which does not use the listener.
    private func listenerHash(_ call: AccountsCall) -> String? {
        call.request.caller == .nobody ? nil : registry.listenerPassword
    }

    private static func refusal(_ verdict: PasswordVerdict) -> AccountsResponse {
        switch verdict {
        case .limited(let seconds): .limited(seconds)
        case .wrong, .right: .refusal(403, "not_allowed", "the password is wrong")
        }
    }

    private func listenerVerdict(_ text: String, from source: String?) async -> PasswordVerdict {
        // Until it is known nobody gets in.
        guard let hash = registry.listenerPassword else { return .limited(seconds: 1) }
        let password = Array(text.utf8)
        return await listenerChecks.verdict(password, against: hash, from: source) { isKnown in
            do throws(AccountsError) {
                return try await self.guess(
                    password,
                    against: hash,
                    name: AccountsStore.listenerName,
                    from: source,
                    lengths: PasswordHash.listenerLengths,
                    isKnown: isKnown
                )
            } catch {
                return .limited(seconds: 60)
            }
        }
    }
}

/// Recognizes the listener's password in requests: scripts send it with each one, and browsers many at once.
actor ListenerChecks {
    /// For codes of passwords; forgotten with the process.
    private let key = randomBytes(32)
    /// The code of the right password, so that not each request costs a hash.
    ///
    /// Memory that holds it also holds the password, in the buffers of the requests.
    private var known: [UInt8]?
    /// Checks that are under way: the same password from the same address is one guess.
    private var running: [[UInt8]: Task<PasswordVerdict, Never>] = [:]

    /// - Parameter guess: Checks the password; its argument is whether it is known to be right.
    func verdict(
        _ password: [UInt8],
        against hash: String,
        from source: String?,
        _ guess: @escaping @Sendable (_ isKnown: Bool) async -> PasswordVerdict
    ) async -> PasswordVerdict {
        let code = MessageCode(of: Array(hash.utf8) + [0] + password, key: key)
        let attempt = code.value + Array(GuessAddress.text(of: source).utf8)
        if let check = running[attempt] { return await check.value }
        let isKnown = known.map { code.matches($0) } ?? false
        // Unstructured, because requests share it.
        let check = Task { await guess(isKnown) }
        running[attempt] = check
        let verdict = await check.value
        running[attempt] = nil
        if verdict == .right { known = code.value }
        return verdict
    }
}
