import Cryptography
import Dispatch
import Foundation
import HTTPListener
package import HTTPTypes
package import Logging
import Threading

/// Who is signed in: checks passwords and session tokens.
///
/// Used from the connections of the web listener.
package final class SignIns: Sendable {
    /// What a request may do.
    package enum Admission: Sendable, Hashable {
        /// Everything. The cookie, if any, replaces the browser's.
        case allowed(cookie: String?)
        /// Nothing: it has no session and no password.
        case anonymous
        /// Nothing: its password is wrong.
        case wrongPassword
        /// Nothing for some seconds: too many wrong passwords.
        case limited(seconds: Int)
    }

    /// The time: seconds since 1970-01-01 UTC, and seconds of a clock that never jumps.
    package struct Clock: Sendable {
        package var wall: @Sendable () -> Int
        package var steady: @Sendable () -> Double

        package init(
            wall: @escaping @Sendable () -> Int = { Int(Date.now.timeIntervalSince1970) },
            steady: @escaping @Sendable () -> Double = {
                Double(DispatchTime.now().uptimeNanoseconds) / 1_000_000_000
            }
        ) {
            (self.wall, self.steady) = (wall, steady)
        }
    }

    private struct State {
        var limiter: SignInLimiter
        /// The code of the right password once it was shown, so that scripts do not cost a digest each time.
        ///
        /// Memory that holds it also holds the password, in the buffers of the requests.
        var known: [UInt8]?
        /// Sessions that were signed out, the oldest first.
        var ended: [[UInt8]] = []
        var limitedPeers: Set<SignInLimiter.Peer> = []
        /// Attempts whose digest is being made, with the requests that wait for it: a script may send many at once.
        var waiting: [Attempt: [CheckedContinuation<Bool, Never>]] = [:]
        var failures = 0
    }

    private struct Attempt: Hashable {
        let peer: SignInLimiter.Peer
        /// Of the password.
        let code: [UInt8]
    }

    private enum Step {
        case allow, check, wait
        case refuse(seconds: Int)
    }

    private static let mostEnded = 1024
    private static let mostWaiting = 512

    private let password: PasswordDigest
    private let tokens: SessionTokens
    private let cookie: SessionCookie
    private let clock: Clock
    private let logger: Logger
    /// For ``State/known``; forgotten with the process.
    private let ownKey = randomBytes(32)
    private let state: Locked<State>
    /// One digest at a time: each takes 16 MiB.
    private let queue = DispatchQueue(label: "sign-in")

    /// - Parameter key: The installation's, 32 bytes.
    package init(
        password: PasswordDigest,
        key: [UInt8],
        cookie: SessionCookie,
        clock: Clock = Clock(),
        logger: Logger
    ) {
        (self.password, self.cookie, self.clock, self.logger) = (password, cookie, clock, logger)
        tokens = SessionTokens(key: key, password: password)
        state = Locked(State(limiter: SignInLimiter(now: clock.steady())))
    }

    /// Wrong passwords since the start.
    package var failures: Int { state.withLock { $0.failures } }

    /// What a request may do, by its cookie or its password.
    /// - Parameter address: The peer's.
    package func admission(of fields: HTTPFields, from address: String?) async -> Admission {
        if let session = session(of: fields) {
            let now = clock.wall()
            let isDue = session.isDueForRenewal(at: now)
            return .allowed(cookie: isDue ? cookie.setting(tokens.token(at: now)) : nil)
        }
        guard let header = fields[.authorization] else { return .anonymous }
        guard let candidate = AuthorizationHeader.secret(in: header) else { return .wrongPassword }
        return switch await check(candidate, from: address) {
        case .allowed: .allowed(cookie: nil)
        case let other: other
        }
    }

    /// Signs a browser in; allowed with a cookie.
    package func signIn(_ candidate: String, from address: String?) async -> Admission {
        switch await check(candidate, from: address) {
        case .allowed: .allowed(cookie: cookie.setting(tokens.token(at: clock.wall())))
        case let other: other
        }
    }

    /// Ends the session of a request.
    /// - Returns: The value of a Set-Cookie header.
    package func signOut(_ fields: HTTPFields) -> String {
        if let session = session(of: fields) {
            state.withLock { state in
                state.ended.append(session.id)
                if state.ended.count > Self.mostEnded { state.ended.removeFirst() }
            }
        }
        return cookie.clearing
    }

    /// Whether a request has the cookie of a browser that is signed in.
    package func hasSession(_ fields: HTTPFields) -> Bool { session(of: fields) != nil }

    private func session(of fields: HTTPFields) -> SessionTokens.Session? {
        guard let header = fields[.cookie] else { return nil }
        let now = clock.wall()
        let sessions = cookie.tokens(in: header).compactMap { tokens.session($0, at: now) }
        guard !sessions.isEmpty else { return nil }
        return state.withLock { state in sessions.first { !state.ended.contains($0.id) } }
    }

    private func check(_ candidate: String, from address: String?) async -> Admission {
        let peer = SignInLimiter.Peer(address)
        let code = MessageCode(of: Array(candidate.utf8), key: ownKey)
        let attempt = Attempt(peer: peer, code: code.value)
        let step = state.withLock { state -> Step in
            if state.waiting[attempt] != nil { return .wait }
            // Also for the right password: else guesses could go on beyond the limit.
            let now = clock.steady()
            if let wait = state.limiter.attempt(by: peer, at: now) { return .refuse(seconds: wait) }
            guard state.known.map({ code.matches($0) }) ?? false else {
                state.waiting[attempt] = []
                return .check
            }
            state.limiter.succeeded(peer, at: now)
            return .allow
        }
        switch step {
        case .allow: return .allowed(cookie: nil)
        case .refuse(let seconds):
            reportLimit(of: peer, at: address)
            return .limited(seconds: seconds)
        case .wait: return await result(of: attempt)
        case .check: break
        }
        let isRight = await digestMatches(candidate)
        let waiting = state.withLock { state -> [CheckedContinuation<Bool, Never>] in
            if isRight {
                state.known = code.value
                state.limitedPeers.remove(peer)
                state.limiter.succeeded(peer, at: clock.steady())
            } else {
                state.failures += 1
            }
            return state.waiting.removeValue(forKey: attempt) ?? []
        }
        for request in waiting { request.resume(returning: isRight) }
        return isRight ? .allowed(cookie: nil) : .wrongPassword
    }

    /// Waits for the same attempt of another request.
    private func result(of attempt: Attempt) async -> Admission {
        let isRight = await withCheckedContinuation { request in
            let ended = state.withLock { state -> Bool? in
                guard let others = state.waiting[attempt], others.count < Self.mostWaiting else {
                    return state.known == attempt.code
                }
                state.waiting[attempt]?.append(request)
                return nil
            }
            if let ended { request.resume(returning: ended) }
        }
        return isRight ? .allowed(cookie: nil) : .wrongPassword
    }

    private func digestMatches(_ candidate: String) async -> Bool {
        await withCheckedContinuation { continuation in
            queue.async { [password] in continuation.resume(returning: password.matches(candidate)) }
        }
    }

    /// One line for each peer, until it has signed in.
    private func reportLimit(of peer: SignInLimiter.Peer, at address: String?) {
        let isNew = state.withLock { state in
            if state.limitedPeers.count >= SignInLimiter.mostPeers { state.limitedPeers = [] }
            return state.limitedPeers.insert(peer).inserted
        }
        guard isNew else { return }
        logger.warning(
            "too many wrong web passwords; refused for a while",
            metadata: ["peer": "\(address ?? "?")"]
        )
    }
}
