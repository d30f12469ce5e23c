package import People
import Threading

/// Things with a token of their own, which are no callers.
extension AccountsRegistry {
    /// The thing that sent a token, which counts as a use; `nil` for what is none, or has ended.
    package func thing(bringing text: String) -> BindingID? {
        guard let token = SecretToken(text, .thing) else { return nil }
        let now = clock()
        return state.withLock { state in
            guard case .thing(let id)? = state.secrets.use(token, at: now)?.holder else { return nil }
            return id
        }
    }

    /// Removes rows of the log that are beyond its limits, also those that commands of things have written themselves.
    package func trimLog() throws(AccountsError) {
        let (settings, now) = (settings, clock())
        try store.write { database in
            try AccountsStore.removeOld(
                at: now,
                limits: settings.log,
                unnamed: settings.unnamed,
                database
            )
        }
    }
}
