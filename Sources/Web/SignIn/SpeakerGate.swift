import HTTPListener
import HTTPTypes
import Hummingbird
import People
import Text
import Things

/// Finds who makes a request, and lets in who may make it.
///
/// Where there are no users, the listener's own password decides alone.
/// - Source: contrib/contract/people.md, "At the page and the API".
struct SpeakerGate: Sendable {
    /// What becomes of a request.
    enum Admission: Sendable {
        /// It is answered. The cookie, if any, replaces the browser's.
        case allowed(Asker, cookie: String? = nil)
        /// Nobody is identified. The cookie, if any, clears the browser's.
        case anonymous(String, clearing: String? = nil)
        case wrongPassword
        /// Too many wrong passwords.
        case limited(seconds: Int)
        /// The proxy names somebody who is no user here.
        case unknownUser
    }

    /// The caller's session or token ended while the request arrived.
    struct Ended: Error {}

    /// `nil` where there are no users.
    let people: WebPeople?
    /// `nil` if the listener has no password of its own.
    let signIns: SignIns?
    /// Called when a header that names a user comes from somebody else than the proxy.
    let ignored: @Sendable () -> Void

    /// - Parameters:
    ///   - peer: Its address.
    ///   - next: Answers a request that is let in.
    func respond(
        to request: Request,
        from peer: String?,
        next: (Asker) async throws -> Response
    ) async throws -> Response {
        do {
            return try await answer(request, from: peer, next)
        } catch is Ended {
            let message = "the session or token ended while the request arrived; sign in again"
            return WebAnswer.challenge(message, code: code, request)
        }
    }

    private func answer(
        _ request: Request,
        from peer: String?,
        _ next: (Asker) async throws -> Response
    ) async throws -> Response {
        guard !SignInPaths.isOpen(request.uri.path) else {
            return try await next(Asker(address: address(of: request.headers, from: peer)))
        }
        switch await admission(of: request.headers, from: peer) {
        case .allowed(let asker, let cookie):
            var response = try await next(asker)
            if let cookie { response.headers.append(HTTPField(name: .setCookie, value: cookie)) }
            return response
        case .limited(let seconds):
            return WebAnswer.limited(seconds).response(to: request.head)
        case .anonymous(let message, let cookie):
            var response =
                SignInPaths.signInPage(for: request)
                ?? WebAnswer.challenge(message, code: code, request)
            if let cookie { response.headers.append(HTTPField(name: .setCookie, value: cookie)) }
            return response
        case .wrongPassword:
            return WebAnswer.challenge("the password is wrong", code: code, request)
        case .unknownUser:
            return WebAnswer(Refusal(.notAllowed, "the proxy names somebody who is no user here"))
                .response(to: request.head)
        }
    }

    /// The answer to whoever has not signed in, for what needs that.
    func signInFirst(_ request: Request) -> Response {
        SignInPaths.signInPage(for: request)
            ?? WebAnswer.challenge("nobody is signed in: \(Self.signInAdvice)", code: code, request)
    }

    /// What to do without a password.
    static let signInAdvice =
        "`trilateral sign-in`, run by the daemon's user, prints a link that signs in a browser; programs send a token"

    private var code: String { people == nil ? "not_allowed" : RefusalCode.unauthenticated.rawValue }

    /// Who makes a request, by its headers.
    func admission(of fields: HTTPFields, from peer: String?) async -> Admission {
        let address = address(of: fields, from: peer)
        guard let people else {
            guard let signIns else { return .allowed(Asker(address: address)) }
            return await byPassword(signIns, fields, Asker(address: address))
        }
        if let proxy = people.proxy, let name = fields[proxy.header] {
            if let peer, proxy.isTrusted(peer) { return await vouched(name, proxy, people, address) }
            ignored()
        }
        if let token = Self.token(in: fields) {
            return identified(.token(token), people, address)
                ?? .anonymous("the token is wrong, or has ended")
        }
        let sessions = fields[values: .cookie].flatMap { UserCookie.sessions(in: $0) }
        for session in sessions {
            if let allowed = identified(.session(session), people, address) { return allowed }
        }
        guard sessions.isEmpty else {
            return .anonymous("the session has ended; sign in again", clearing: people.cookie.clearing)
        }
        let claim = signIns == nil ? Claim.unnamed(.kiosk) : .trusted(.kiosk)
        let asker = Asker(speaker: people.identify(claim), claim: claim, address: address)
        if let signIns {
            let admission = await byPassword(signIns, fields, asker)
            guard case .allowed = admission, asker.speaker == nil else { return admission }
        } else if people.isOpen || Self.isHere(peer, fields), asker.speaker != nil {
            // Wrong credentials are an error, not the unnamed user.
            guard people.isOpen || fields[.authorization] == nil else {
                return .anonymous("the token is wrong, or has ended")
            }
            return .allowed(asker)
        }
        return .anonymous("nobody is signed in here; sign in first, or send a token as Bearer")
    }

    private func identified(_ claim: Claim, _ people: WebPeople, _ address: String?) -> Admission? {
        people.identify(claim).map { .allowed(Asker(speaker: $0, claim: claim, address: address)) }
    }

    private func vouched(
        _ name: String,
        _ proxy: WebPeople.Proxy,
        _ people: WebPeople,
        _ address: String?
    ) async -> Admission {
        if let known = identified(.vouched(name), people, address) { return known }
        guard let make = proxy.make, AccountName.isLegal(name) else { return .unknownUser }
        await make(name)
        return identified(.vouched(name), people, address) ?? .unknownUser
    }

    private func byPassword(_ signIns: SignIns, _ fields: HTTPFields, _ asker: Asker) async -> Admission {
        switch await signIns.admission(of: fields, from: asker.address) {
        case .allowed(let cookie):
            var asker = asker
            if signIns.hasSession(fields) { asker.isSignedIn = { signIns.hasSession(fields) } }
            return .allowed(asker, cookie: cookie)
        case .anonymous: return .anonymous("sign in first, or send the password with HTTP Basic or Bearer")
        case .wrongPassword: return .wrongPassword
        case .limited(let seconds): return .limited(seconds: seconds)
        }
    }

    /// A user's token; `nil` for other contents, as the listener's password.
    private static func token(in fields: HTTPFields) -> String? {
        fields[.authorization].flatMap { AuthorizationHeader.secret(in: $0) }
            .flatMap { $0.hasPrefix(SecretMask.tokenPrefix) ? $0 : nil }
    }

    /// The address of the other end; behind the proxy, that of whom it forwards.
    private func address(of fields: HTTPFields, from peer: String?) -> String? {
        guard let proxy = people?.proxy, let peer, proxy.isTrusted(peer) else { return peer }
        let hops = (fields[.forwardedFor] ?? "").split(separator: ",").map { $0.filter { $0 != " " } }
        // The client may have written the first ones itself.
        return hops.last { !proxy.isTrusted($0) && $0.utf8.count <= 64 } ?? peer
    }

    /// Whether a request comes from this machine itself, and not through a proxy on it.
    private static func isHere(_ peer: String?, _ fields: HTTPFields) -> Bool {
        guard let peer, fields[.forwarded] == nil, fields[.forwardedFor] == nil else { return false }
        return peer.hasPrefix("127.") || peer == "::1" || peer.hasPrefix("::ffff:127.")
    }
}

extension HTTPField.Name {
    fileprivate static let forwarded = HTTPField.Name("Forwarded") ?? .from
    fileprivate static let forwardedFor = HTTPField.Name("X-Forwarded-For") ?? .from
}
