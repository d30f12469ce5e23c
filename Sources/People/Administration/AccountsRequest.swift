package import JSON

/// A request about users, rights, secrets and the log, however it came: over HTTP, over the local socket, or by a verb
/// without a daemon.
///
/// - Source: contrib/contract/people.md, "Administration".
package struct AccountsRequest: Sendable {
    package enum Method: String, Sendable, Hashable, CaseIterable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case patch = "PATCH"
        case delete = "DELETE"
    }

    package var method: Method
    /// What follows `/api/` in the path, decoded: `["users", "bob"]`.
    package var path: [String]
    package var query: [String: String]
    package var body: JSONValue?
    /// Who asks; `nil` if nobody is identified.
    package var caller: Caller?
    /// By what they were recognized.
    package var claim: Claim?
    /// For the log: `kiosk` or `command line`.
    package var interface: String
    /// The address of the other end; limits on guessing count by it.
    package var source: String?
    /// The name of the system's user, for a request of this machine's command line.
    package var systemUser: String?

    package init(
        _ method: Method,
        _ path: [String],
        query: [String: String] = [:],
        body: JSONValue? = nil,
        caller: Caller? = nil,
        by claim: Claim? = nil,
        interface: String,
        source: String? = nil,
        systemUser: String? = nil
    ) {
        (self.method, self.path, self.query, self.body) = (method, path, query, body)
        (self.caller, self.claim, self.interface, self.source) = (caller, claim, interface, source)
        self.systemUser = systemUser
    }

    /// The text of the session that came with the request.
    package var session: String? {
        if case .session(let text)? = claim { return text }
        return nil
    }
}

/// The answer to an ``AccountsRequest``.
package struct AccountsResponse: Sendable, Hashable {
    /// What happens to the session of who asked.
    package enum SessionChange: Sendable, Hashable {
        /// The text of a new session, for a cookie.
        case begin(String)
        case end
    }

    /// As of HTTP.
    package var status: Int
    /// Of a refusal `{"error":CODE,"message":SENTENCE}`.
    package var body: JSONValue?
    /// Seconds after which another attempt makes sense.
    package var retryAfter: Int?
    package var session: SessionChange?

    package init(
        _ status: Int,
        _ body: JSONValue? = nil,
        retryAfter: Int? = nil,
        session: SessionChange? = nil
    ) {
        (self.status, self.body, self.retryAfter, self.session) = (status, body, retryAfter, session)
    }

    /// A refusal with a sentence.
    package static func refusal(_ status: Int, _ code: String, _ message: String, retryAfter: Int? = nil)
        -> AccountsResponse
    {
        AccountsResponse(
            status,
            ["error": .string(code), "message": .string(message)],
            retryAfter: retryAfter
        )
    }
}

/// Answers requests about users, rights, secrets and the log.
package typealias AccountsHandler = @Sendable (AccountsRequest) async -> AccountsResponse
