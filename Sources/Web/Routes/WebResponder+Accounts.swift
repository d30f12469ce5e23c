import HTTPListener
import HTTPTypes
import Hummingbird
import JSON
import NIOCore
import People
import Text
import Threading
import Things

/// Users, rights, secrets and the log over HTTP, and who is signed in.
extension WebResponder {
    /// Who signs out brings the session that ends.
    private func withSession(_ requester: Requester, _ path: [String], _ fields: HTTPFields) -> Requester {
        let people = hub.node.people
        let claims: [Claim] =
            switch path {
            case ["session"]: people.cookies.sessions(in: fields).map { .session($0) }
            case ["sign-in"], ["sign-out"]:
                (people.password?.cookie.sessions(in: fields) ?? []).map { .listenerSession($0) }
            default: []
            }
        guard let claim = claims.first(where: { people.identify($0) != nil }) else { return requester }
        return Requester(caller: people.identify(claim), claim: claim, address: requester.address)
    }

    /// Who makes a request to a path that is open to everybody; `nil` for nobody.
    func identified(_ request: Request, on channel: any Channel) async -> Requester? {
        let peer = channel.remoteAddress?.ipAddress
        guard case .allowed(let requester, _) = await gate.admission(of: request.headers, from: peer) else {
            return nil
        }
        return requester
    }

    /// `session`: whether the requester may use the page, and who it is.
    func presence(_ request: Request, on channel: any Channel) async -> WebAnswer {
        var members: JSONObject = ["signed_in": false, "user": .null]
        var found: Requester?
        var clearing: [String] = []
        switch await gate.admission(of: request.headers, from: channel.remoteAddress?.ipAddress) {
        case .allowed(let requester, _):
            found = requester
            members["signed_in"] = true
            members["by_session"] = .bool(requester.hasSession)
        case .limited(let seconds): return .limited(seconds)
        case .anonymous(_, let cookies): clearing = cookies
        case .wrongPassword, .unknownUser: break
        }
        let people = hub.node.people
        let answer = await people.handler(
            AccountsRequest(
                .get,
                ["session"],
                caller: found?.caller,
                by: found?.claim,
                interface: WebHub.interface,
                source: found?.address
            )
        )
        members.merge(answer.body?.object ?? [:]) { _, new in new }
        members["users"] = true
        members["password"] = .bool(people.password != nil)
        var shown = WebAnswer.json(JSONValue.object(members).bytes)
        shown.headers[values: .setCookie] = clearing
        return shown
    }

    /// What the accounts answer.
    func accounts(_ path: [String], _ request: Request, by requester: Requester) async throws -> WebAnswer {
        let name = request.method == .head ? "GET" : request.method.rawValue
        guard let method = AccountsRequest.Method(rawValue: name) else { return .notFound(request.head) }
        let people = hub.node.people
        let requester = withSession(requester, path, request.headers)
        let bytes = try await content(of: request, by: requester)
        var body: JSONValue?
        // Signing out needs no body.
        if !bytes.isEmpty || method == .post && path != ["sign-out"] {
            if let refusal = Self.unsupportedMedia(request.headers) { return refusal }
            guard let json = bytes.isEmpty ? JSONValue.object([:]) : try? JSONValue(parsing: bytes) else {
                return WebAnswer(Refusal(.badJSON, "the body is not JSON"))
            }
            body = json
        }
        let response = await people.handler(
            AccountsRequest(
                method,
                path,
                query: Self.query(of: request.head.path ?? ""),
                body: body,
                caller: requester.caller,
                by: requester.claim,
                interface: WebHub.interface,
                source: requester.address
            )
        )
        if path == ["sign-in"], response.status == 403 { hub.counters.withLock { $0.refusedSignIns += 1 } }
        let isListeners = path == ["sign-in"] || path == ["sign-out"]
        let cookies = isListeners ? people.password.map { [$0.cookie] } : nil
        return WebAnswer(response, cookies ?? people.cookies)
    }

    /// The values of a query; of several with a name the last one.
    static func query(of target: String) -> [String: String] {
        var values: [String: String] = [:]
        for parameter in RequestTarget(target).parameters.prefix(20) {
            let parts = parameter.parts(between: "=", maxSplits: 1)
            guard let key = parts.first?.percentDecoded else { continue }
            values[key] = parts.dropFirst().first?.percentDecoded ?? ""
        }
        return values
    }
}

extension WebAnswer {
    fileprivate init(_ response: AccountsResponse, _ cookies: [SessionCookie]) {
        let status = HTTPResponse.Status(code: response.status)
        // Refusals have the form of all others here.
        if let body = response.body, let code = body["error"]?.string, let message = body["message"]?.string {
            self = .problem(status, code, message, field: body["field"]?.string)
        } else {
            self = .json(response.body?.bytes ?? [])
            self.status = status
        }
        if let seconds = response.retryAfter { headers[.retryAfter] = String(seconds) }
        switch response.session {
        case .begin(let session)?: headers[values: .setCookie] = cookies.setting(session)
        case .end?: headers[values: .setCookie] = cookies.clearing
        case nil: break
        }
    }
}
