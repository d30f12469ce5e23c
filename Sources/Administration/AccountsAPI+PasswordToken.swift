package import Accounts
import People

/// Tokens for programs that sign a user in by name and password.
extension AccountsAPI {
    /// What became of a user's name and password.
    package enum PasswordToken: Sendable {
        case made(SecretToken, SecretRecord)
        /// The name or the password is wrong.
        case wrong
        /// Nothing was checked: too many guesses were wrong.
        case limited(seconds: Int)
    }

    /// A user has so many of one name at most: a token for each of their devices.
    private static let mostOfName = 10

    /// Signs a user in within the limits of guessing, and makes a token that allows all that the user may.
    ///
    /// A further token of the same name has a number behind it; of ten the one that was made first ends.
    /// - Parameters:
    ///   - name: The user's, as it was sent.
    ///   - label: What tokens of this kind are called.
    ///   - lifetime: How long it counts, milliseconds.
    ///   - source: The address of the other end.
    package func makeToken(
        forUser name: String,
        _ password: [UInt8],
        called label: String,
        lifetime: Int64,
        from source: String?
    ) async throws(AccountsError) -> PasswordToken {
        let known = try registry.store.credentials(ofUser: name)
        switch try await guess(password, against: known?.password, name: name, from: source) {
        case .limited(let seconds): return .limited(seconds: seconds)
        case .wrong: return .wrong
        case .right: break
        }
        guard let user = known?.user else { return .wrong }
        guard user.state == .active else {
            throw .refused("not allowed: \(user.name) is switched off, or not approved yet")
        }
        let now = registry.clock()
        let names = (1...Self.mostOfName).map { $0 == 1 ? label : "\(label) \($0)" }
        let (token, record) = try change { store in
            // What the password was compared with may have been replaced meanwhile.
            guard try store.credentials(ofUser: user.name)?.password == known?.password else {
                throw AccountsError.unauthenticated("the password was changed; sign in again")
            }
            let tokens = try store.secrets(.token, ofUser: user.name, at: now).filter {
                names.contains($0.name)
            }
            var name = names.first { name in !tokens.contains { $0.name == name } }
            if name == nil, let oldest = tokens.min(by: { $0.made < $1.made }) {
                try store.removeSecret(oldest.id, by: .program(at: now))
                name = oldest.name
            }
            return try store.addToken(
                name ?? label,
                ofUser: user.name,
                ceiling: nil,
                until: now + lifetime,
                by: .program(at: now)
            )
        }
        // So that the user counts as seen.
        _ = registry.identify(.token(token.text))
        return .made(token, record)
    }
}
