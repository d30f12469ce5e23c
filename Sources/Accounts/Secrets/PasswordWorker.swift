import SystemPackage
import Threading

/// Computes password hashes, one at a time, on a thread that exists only while there is work.
///
/// 20 wait at most; more are refused. A user who does not exist, or has no password, costs the same time.
package final class PasswordWorker: Sendable {
    private struct Job: Sendable {
        let work: @Sendable () -> Bool
        /// `nil` if it could not be computed.
        let end: @Sendable (Bool?) -> Void
    }

    private struct State {
        var waiting: [Job] = []
        /// Those that wait, and the one that is being computed.
        var unfinished = 0
        var isRunning = false
    }

    /// The most that wait while one is being computed.
    package static let capacity = 20

    private let state = Locked(State())

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
        let result = Locked<PasswordHash?>(nil)
        _ = try await run {
            let hash = PasswordHash(of: password, lengths: lengths)
            result.withLock { $0 = hash }
            return hash != nil
        }
        guard let hash = result.withLock({ $0 }) else { throw .rateLimited }
        return hash
    }

    private func run(_ work: @escaping @Sendable () -> Bool) async throws(AccountsError) -> Bool {
        let answer: Bool? = await withCheckedContinuation { continuation in
            let job = Job(work: work) { continuation.resume(returning: $0) }
            switch state.withLock({ Self.add(job, to: &$0) }) {
            case .refused: continuation.resume(returning: nil)
            case .queued: break
            case .first: start()
            }
        }
        guard let answer else { throw .rateLimited }
        return answer
    }

    private enum Place {
        case first, queued, refused
    }

    private static func add(_ job: Job, to state: inout State) -> Place {
        guard state.unfinished <= capacity else { return .refused }
        state.unfinished += 1
        state.waiting.append(job)
        defer { state.isRunning = true }
        return state.isRunning ? .queued : .first
    }

    private func start() {
        do throws(Errno) {
            try POSIXThread { self.drain() }.detach()
        } catch {
            // Without a thread nothing can be computed: whoever waits is refused.
            let jobs = state.withLock { state in
                defer { state = State() }
                return state.waiting
            }
            for job in jobs { job.end(nil) }
        }
    }

    private func drain() {
        while let job = state.withLock({ Self.next(&$0) }) {
            let answer = job.work()
            state.withLock { $0.unfinished -= 1 }
            job.end(answer)
        }
    }

    private static func next(_ state: inout State) -> Job? {
        guard !state.waiting.isEmpty else {
            state.isRunning = false
            return nil
        }
        return state.waiting.removeFirst()
    }
}
