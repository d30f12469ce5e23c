import Dispatch
import Threading

/// Computes password hashes, one at a time, away from the threads that answer requests.
///
/// 20 wait at most; more are refused. A user who does not exist, or has no password, costs the same time.
package final class PasswordWorker: Sendable {
    /// The most that wait while one is being computed.
    package static let capacity = 20

    private let queue = DispatchQueue(label: "trilateral.passwords")
    /// Those that wait, and the one that is being computed.
    private let unfinished = Locked(0)

    package init() {}

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
        let known = stored.flatMap { PasswordHash($0) }
        return try await run { (known ?? PasswordHash.ofNobody).matches(password) && known != nil }
    }

    /// The hash of a new password.
    ///
    /// - Throws: ``AccountsError/badValue(_:)`` for its length, ``AccountsError/rateLimited``.
    package func hash(
        _ password: [UInt8],
        lengths: ClosedRange<Int> = PasswordHash.lengths
    ) async throws(AccountsError) -> PasswordHash {
        guard lengths.contains(password.count) else { throw .badValue(PasswordHash.rule) }
        guard let hash = try await run({ PasswordHash(of: password, lengths: lengths) }) else {
            throw .rateLimited
        }
        return hash
    }

    private func run<Answer: Sendable>(
        _ work: @escaping @Sendable () -> Answer
    ) async throws(AccountsError) -> Answer {
        let isAccepted = unfinished.withLock { unfinished in
            guard unfinished <= Self.capacity else { return false }
            unfinished += 1
            return true
        }
        guard isAccepted else { throw .rateLimited }
        return await withCheckedContinuation { continuation in
            queue.async {
                let answer = work()
                self.unfinished.withLock { $0 -= 1 }
                continuation.resume(returning: answer)
            }
        }
    }
}
