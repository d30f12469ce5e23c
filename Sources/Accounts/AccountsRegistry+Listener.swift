import People
import Threading

/// The password of the web listener, which is that of a built-in user.
extension AccountsRegistry {
    struct ListenerPassword: Sendable {
        /// The stored form.
        let hash: String
        /// Without that there are no sessions.
        let isStored: Bool
    }

    /// The hash of the listener's password; `nil` if it has none.
    package var listenerPassword: String? { state.withLock { $0.listener?.hash } }

    /// Follows the listener's password from now on; the sessions of another one end.
    ///
    /// A password that cannot be stored counts all the same, without sessions.
    /// - Parameter password: `nil` for none.
    package func useListenerPassword(_ password: [UInt8]?) async {
        let lengths = PasswordHash.listenerLengths
        let stored = try? store.listenerPassword()
        guard let password else {
            setListener(nil)
            if stored != nil { storeListener(nil) }
            return
        }
        // Others who wait for a hash may leave no room for a while.
        while !Task.isCancelled {
            do throws(AccountsError) {
                if let stored, try await passwords.verify(password, against: stored, lengths: lengths) {
                    return setListener(ListenerPassword(hash: stored, isStored: true))
                }
                setListener(nil)
                let hash = try await passwords.hash(password, lengths: lengths)
                return setListener(ListenerPassword(hash: "\(hash)", isStored: storeListener(hash)))
            } catch {
                try? await Task.sleep(for: .seconds(1))
            }
        }
    }

    /// Begins a session of the listener's password, which was right.
    ///
    /// - Parameters:
    ///   - hash: What was compared with.
    ///   - former: A session that ends, because its browser signs in again.
    package func addListenerSession(_ name: String, verified hash: String, replacing former: SecretToken?)
        throws(AccountsError) -> SecretToken
    {
        let now = clock()
        let until = now + settings.sessionLifetime
        let unstored = state.withLock { $0.listener.map { $0.hash == hash && !$0.isStored } ?? false }
        let session = try change { store in
            // It could not be stored before.
            if unstored { try store.setListenerPassword(PasswordHash(hash), at: now) }
            return try store.addSession(
                of: .listener,
                name: name,
                until: until,
                verified: .stored(hash),
                replacing: former,
                at: now
            ).0
        }
        if unstored {
            state.withLock { state in
                if state.listener?.hash == hash {
                    state.listener = ListenerPassword(hash: hash, isStored: true)
                }
            }
        }
        return session
    }

    private func setListener(_ password: ListenerPassword?) { state.withLock { $0.listener = password } }

    /// Whether it is stored now.
    @discardableResult
    private func storeListener(_ hash: PasswordHash?) -> Bool {
        (try? change { try $0.setListenerPassword(hash, at: clock()) }) != nil
    }
}
