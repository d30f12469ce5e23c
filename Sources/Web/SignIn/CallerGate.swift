import Glibc
import HTTPListener
import HTTPTypes
import Hummingbird
import People
import Text
import Things
import Threading

/// Who makes a request over HTTP.
struct Requester: Sendable {
    /// `nil` if nobody is identified.
    var caller: Caller?
    /// By what they were identified.
    var claim: Claim?
    /// The address of the client: that of the connection, or the one that a trusted proxy names.
    var address: String?

    /// Whether they still are who they were when the request began.
    func isCurrent(_ people: WebPeople) -> Bool { claim.map { people.identify($0) == caller } ?? true }

    /// Whether it was a session that told who they are, which can be ended.
    var hasSession: Bool {
        switch claim {
        case .session, .listenerSession: true
        case .token, .vouched, .unnamed, .trusted, nil: false
        }
    }

    /// Whether it is one user, and not whoever is let in.
    var isNamed: Bool {
        switch claim {
        case .session, .token, .vouched: true
        case .unnamed, .trusted, .listenerSession, nil: false
        }
    }

    /// Whether it may be anybody on this machine.
    var isUnnamed: Bool { claim == .unnamed(.kiosk) }
}

/// Finds who makes a request, and lets in who may make it.
///
/// - Source: contrib/contract/people.md, "At the page and the API".
struct CallerGate: Sendable {
    /// What becomes of a request.
    enum Admission: Sendable {
        /// It is answered. The cookie, if any, replaces the browser's.
        case allowed(Requester, cookie: String? = nil)
        /// Nobody is identified. The cookies, if any, clear the browser's.
        case anonymous(String, clearing: [String] = [])
        case wrongPassword
        /// Too many wrong passwords.
        case limited(seconds: Int)
        /// The proxy names somebody who is no user here.
        case unknownUser
    }

    /// The caller's session or token ended while the request arrived.
    struct Ended: Error {}

    let people: WebPeople
    let counters: Locked<WebCounters>
    /// Milliseconds of the steady clock.
    let clock: @Sendable () -> Int64

    /// - Parameters:
    ///   - peer: Its address.
    ///   - callers: Who may make it.
    ///   - next: Answers a request that is let in.
    func respond(
        to request: Request,
        from peer: String?,
        for callers: WebRoute.Callers,
        next: (Requester) async throws -> Response
    ) async throws -> Response {
        do {
            return try await answer(request, from: peer, callers, next)
        } catch is Ended {
            let message = "the session or token ended while the request arrived; sign in again"
            return WebAnswer.challenge(message, request)
        }
    }

    private func answer(
        _ request: Request,
        from peer: String?,
        _ callers: WebRoute.Callers,
        _ next: (Requester) async throws -> Response
    ) async throws -> Response {
        guard callers != .everybody else {
            return try await next(Requester(address: address(of: request.headers, from: peer)))
        }
        switch await admission(of: request.headers, from: peer) {
        case .allowed(let requester, let cookie):
            let mustSignIn = callers == .signedIn && requester.isUnnamed
            var response = mustSignIn ? signInFirst(request) : try await next(requester)
            if let cookie { response.headers.append(HTTPField(name: .setCookie, value: cookie)) }
            return response
        case .limited(let seconds):
            return WebAnswer.limited(seconds).response(to: request.head)
        case .anonymous(let message, let cookies):
            var response =
                SignInPaths.signInPage(for: request)
                ?? WebAnswer.challenge(message, request)
            for cookie in cookies { response.headers.append(HTTPField(name: .setCookie, value: cookie)) }
            return response
        case .wrongPassword:
            return WebAnswer.challenge("the password is wrong", request)
        case .unknownUser:
            return WebAnswer(Refusal(.notAllowed, "the proxy names somebody who is no user here"))
                .response(to: request.head)
        }
    }

    /// The answer to whoever has not signed in, for what needs that.
    private func signInFirst(_ request: Request) -> Response {
        SignInPaths.signInPage(for: request)
            ?? WebAnswer.challenge("nobody is signed in: \(Self.signInAdvice)", request)
    }

    /// What to do without a password.
    private static let signInAdvice =
        "`trilateral sign-in`, run by the daemon's user, prints a link that signs in a browser; programs send a token"

    /// Who makes a request, by its headers.
    func admission(of fields: HTTPFields, from peer: String?) async -> Admission {
        let address = address(of: fields, from: peer)
        if let proxy = people.proxy, let name = fields[proxy.header] {
            if let peer, proxy.isTrusted(peer) { return await vouched(name, proxy, address) }
            counters.withLock { $0.ignoredProxyHeaders += 1 }
        }
        if let token = Self.token(in: fields) {
            return identified(.token(token), address) ?? .anonymous("the token is wrong, or has ended")
        }
        let sessions = people.cookies.sessions(in: fields)
        for session in sessions {
            if let allowed = identified(.session(session), address) { return allowed }
        }
        guard sessions.isEmpty else {
            return .anonymous("the session has ended; sign in again", clearing: people.cookies.clearing)
        }
        if let password = people.password { return await admission(by: password, fields, address) }
        if people.isOpen || Self.isHere(peer, fields), let allowed = identified(.unnamed(.kiosk), address) {
            // Wrong credentials are an error, not the unnamed user.
            guard people.isOpen || fields[.authorization] == nil else {
                return .anonymous("the token is wrong, or has ended")
            }
            return allowed
        }
        return Self.nobody
    }

    private static let nobody = Admission.anonymous(
        "nobody is signed in here; sign in first, or send a token as Bearer"
    )

    /// By a session of the listener's own password, or by the password itself.
    private func admission(
        by password: WebPeople.Password,
        _ fields: HTTPFields,
        _ address: String?
    ) async -> Admission {
        for session in password.cookie.sessions(in: fields) {
            guard case .allowed(let requester, _)? = identified(.listenerSession(session), address) else {
                continue
            }
            let isDue = password.isDueForRenewal(session, at: clock())
            return .allowed(requester, cookie: isDue ? password.cookie.setting(session) : nil)
        }
        guard let header = fields[.authorization] else {
            return .anonymous("sign in first, or send the password with HTTP Basic or Bearer")
        }
        guard let text = AuthorizationHeader.secret(in: header) else { return .wrongPassword }
        switch await password.check(text, address) {
        case .right: return identified(.trusted(.kiosk), address) ?? Self.nobody
        case .wrong:
            counters.withLock { $0.refusedSignIns += 1 }
            return .wrongPassword
        case .limited(let seconds): return .limited(seconds: seconds)
        }
    }

    private func identified(_ claim: Claim, _ address: String?) -> Admission? {
        people.identify(claim).map { .allowed(Requester(caller: $0, claim: claim, address: address)) }
    }

    private func vouched(
        _ name: String,
        _ proxy: WebPeople.Proxy,
        _ address: String?
    ) async -> Admission {
        if let known = identified(.vouched(name), address) { return known }
        guard let make = proxy.make, AccountName.isLegal(name) else { return .unknownUser }
        await make(name)
        return identified(.vouched(name), address) ?? .unknownUser
    }

    /// A user's token; `nil` for other contents, as the listener's password.
    private static func token(in fields: HTTPFields) -> String? {
        fields[.authorization].flatMap { AuthorizationHeader.secret(in: $0) }
            .flatMap { $0.hasPrefix(SecretMask.tokenPrefix) ? $0 : nil }
    }

    /// The address of the other end; behind a proxy that is believed, that of whom it forwards.
    private func address(of fields: HTTPFields, from peer: String?) -> String? {
        guard let peer, people.isBelieved(peer) else { return peer }
        // The client may have written the first ones itself.
        for hop in (fields[.forwardedFor] ?? "").split(separator: ",").reversed() {
            guard let address = Self.address(of: hop.filter { $0 != " " }) else { return peer }
            if !people.isBelieved(address) { return address }
        }
        return peer
    }

    /// The address of a hop, without the port and brackets that some proxies write; `nil` if it is none.
    private static func address(of hop: String) -> String? {
        var text = hop[...]
        if text.first == "[", let end = text.firstIndex(of: "]") {
            text = text[..<end].dropFirst()
        } else if text.contains("."), let colon = text.firstIndex(of: ":"), colon == text.lastIndex(of: ":") {
            text = text[..<colon]
        }
        let address = String(text)
        var (four, six) = (in_addr(), in6_addr())
        let isAddress = inet_pton(AF_INET, address, &four) == 1 || inet_pton(AF_INET6, address, &six) == 1
        return isAddress ? address : nil
    }

    /// Whether a request comes from this machine itself, and not through a proxy on it.
    private static func isHere(_ peer: String?, _ fields: HTTPFields) -> Bool {
        guard let peer, !fields.isForwarded else { return false }
        return peer.hasPrefix("127.") || peer == "::1" || peer.hasPrefix("::ffff:127.")
    }
}
