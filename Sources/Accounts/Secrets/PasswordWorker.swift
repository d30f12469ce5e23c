import SystemPackage
import Threading

/// Computes password hashes, one at a time, on a thread that exists only while there is work.
///
/// A limited number waits; more are refused. Who does not exist, or has no password, costs the same time.
package final class PasswordWorker: Sendable {
    private struct State {
        /// Each gets whether it can be computed.
        var waiting: [@Sendable (Bool) -> Void] = []
        /// Those that wait, and the one that is being computed.
        var unfinished = 0
        var isRunning = false
    }

    /// The most that wait while one is being computed.
    private let capacity: Int
    private let cost: PasswordHash.Cost
    /// What is compared with when there is no hash.
    private let nobody: PasswordHash
    private let state = Locked(State())

    /// - Parameters:
    ///   - capacity: The most that wait while one is being computed.
    ///   - cost: Of new hashes, and of a comparison with no hash.
    package init(capacity: Int = 20, cost: PasswordHash.Cost = .user) {
        (self.capacity, self.cost, nobody) = (capacity, cost, .ofNobody(cost))
    }

    /// Whether a password is that of a stored hash.
    ///
    /// - Parameters:
    ///   - stored: `nil`, and what is damaged, matches nothing and costs the same.
    ///   - lengths: Other lengths match nothing.
    /// - Throws: ``AccountsError/rateLimited``.
    package func verify(
        _ password: [UInt8],
        against stored: String?,
        lengths: ClosedRange<Int> = PasswordHash.lengths
    ) async throws(AccountsError) -> Bool {
        // Its length is no secret.
        guard lengths.contains(password.count) else { return false }
        let (known, nobody) = (stored.flatMap { PasswordHash($0) }, nobody)
        return try await run { (known ?? nobody).matches(password) && known != nil }
    }

    /// The hash of a new password.
    ///
    /// - Throws: ``AccountsError/badValue(_:)`` for its length, ``AccountsError/rateLimited``.
    package func hash(
        _ password: [UInt8],
        lengths: ClosedRange<Int> = PasswordHash.lengths
    ) async throws(AccountsError) -> PasswordHash {
        guard lengths.contains(password.count) else { throw .badValue(PasswordHash.rule(of: lengths)) }
        let cost = cost
        guard let hash = try await run({ PasswordHash(of: password, lengths: lengths, cost: cost) }) else {
            throw .rateLimited
        }
        return hash
    }

    private func run<Answer: Sendable>(
        _ work: @escaping @Sendable () -> Answer
    ) async throws(AccountsError) -> Answer {
        let answer: Answer? = await withCheckedContinuation { continuation in
            let isFirst: Bool? = state.withLock { state in
                guard state.unfinished <= capacity else { return nil }
                state.unfinished += 1
                state.waiting.append { canRun in
                    let answer = canRun ? work() : nil
                    self.state.withLock { $0.unfinished -= 1 }
                    continuation.resume(returning: answer)
                }
                defer { state.isRunning = true }
                return !state.isRunning
            }
            guard let isFirst else { return continuation.resume(returning: nil) }
            if isFirst { start() }
        }
        guard let answer else { throw .rateLimited }
        return answer
    }

    private func start() {
        do throws(Errno) {
            try POSIXThread { self.drain() }.detach()
        } catch {
            // Without a thread nothing can be computed: whoever waits is refused.
            let jobs = state.withLock { state in
                defer { (state.waiting, state.isRunning) = ([], false) }
                return state.waiting
            }
            for job in jobs { job(false) }
        }
    }

    private func drain() {
        while let job = state.withLock({ Self.next(&$0) }) { job(true) }
    }

    private static func next(_ state: inout State) -> (@Sendable (Bool) -> Void)? {
        guard !state.waiting.isEmpty else {
            state.isRunning = false
            return nil
        }
        return state.waiting.removeFirst()
    }
}
