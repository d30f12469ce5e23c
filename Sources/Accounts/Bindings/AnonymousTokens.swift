import Threading

/// Tokens for nobody: a program with the app's key gets one, to onboard things as themselves.
///
/// They are only in memory, so that a restart ends them.
/// - Source: contrib/contract/bindings.md, "Tokens".
package final class AnonymousTokens: Sendable {
    private struct State {
        /// When each ends, by its hash, milliseconds since 1970.
        var ends: [[UInt8]: Int64] = [:]
        /// The hashes, oldest first.
        var order: [[UInt8]] = []

        mutating func remove(_ count: Int) {
            for hash in order.prefix(count) { ends[hash] = nil }
            order.removeFirst(min(count, order.count))
        }
    }

    /// Milliseconds.
    package static let lifetime: Int64 = 3_600_000
    /// How many count at once.
    package static let capacity = 1000

    private let state = Locked(State())

    package init() {}

    /// Makes one, which counts for an hour; beyond the limit the oldest ends.
    ///
    /// - Parameter now: Milliseconds since 1970, UTC.
    package func make(at now: Int64) -> SecretToken {
        let token = SecretToken(.anonymous)
        let hash = token.hash
        state.withLock { state in
            let ended = state.order.prefix { state.ends[$0].map { $0 <= now } ?? true }.count
            state.remove(max(ended, state.order.count - Self.capacity + 1))
            state.ends[hash] = now + Self.lifetime
            state.order.append(hash)
        }
        return token
    }

    /// Whether a text is one that counts.
    package func contains(_ text: String, at now: Int64) -> Bool {
        guard let hash = SecretToken(text, .anonymous)?.hash else { return false }
        return state.withLock { state in state.ends[hash].map { now < $0 } ?? false }
    }

    /// Ends all of them, as when the app is another one.
    package func removeAll() { state.withLock { $0 = State() } }
}
