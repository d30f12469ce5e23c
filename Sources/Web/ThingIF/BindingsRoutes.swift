package import HTTPListener
import HTTPTypes
import Hummingbird
import JSON
package import People
import Things

/// Answers a request about bindings of who has signed in, as the socket of this machine answers it.
///
/// - Parameters:
///   - caller: Who asks; what they may do is judged by what answers.
///   - address: Of the other end.
package typealias BindingsHandler =
    @Sendable (LocalRequest, _ caller: Caller, _ address: String?) async -> LocalResponse

/// Things with owners, for users: lists, onboarding, owners, tokens.
///
/// - Source: contrib/contract/bindings.md, "For users".
extension WebRoute {
    private static let onboarding = "/api/bindings/onboard"

    /// Bodies that are longer than others, bytes: the properties of a thing alone may have 64,512.
    static let bindingsLimits = [onboarding: 128 * 1024]

    /// The routes of bindings for users.
    package static func bindings(_ handler: @escaping BindingsHandler) -> [WebRoute] {
        let routes: [(template: String, methods: [HTTPRequest.Method])] = [
            ("/api/bindings", [.get, .head]), (onboarding, [.post]), ("/api/bindings/expect", [.post]),
            ("/api/bindings/{binding}", [.get, .head, .delete]), ("/api/bindings/{binding}/token", [.post]),
            ("/api/bindings/{binding}/owners", [.post]),
            ("/api/bindings/{binding}/owners/{owner}", [.delete]),
        ]
        return routes.map { template, methods in
            .signedIn(template, methods) { try await $0.bindings($1, handler) }
        }
    }
}

extension WebResponder {
    fileprivate func bindings(_ call: WebCall, _ handler: BindingsHandler) async throws -> WebAnswer {
        guard let caller = call.requester.caller else { return .notFound(call.head) }
        let (method, isReading) = (call.head.method, call.head.method == .get || call.head.method == .head)
        var body = try await content(of: call.request, by: call.requester)
        // Only what is added has a body.
        if !body.isEmpty || method == .post {
            if let refusal = Self.unsupportedMedia(call.request.headers) { return refusal }
            if body.isEmpty { body = Array("{}".utf8) }
            guard (try? JSONValue(parsing: body)) != nil else {
                return WebAnswer(Refusal(.badJSON, "the body is not JSON"))
            }
        }
        let request = LocalRequest(
            isReading ? "GET" : method.rawValue,
            Array(call.path.dropFirst()),
            query: Self.query(of: call.head.path ?? ""),
            body: body
        )
        return WebAnswer(await handler(request, caller, call.requester.address))
    }
}

extension WebAnswer {
    fileprivate init(_ response: LocalResponse) {
        let status = HTTPResponse.Status(code: response.status)
        let answer = try? JSONValue(parsing: response.body)
        // Refusals have the form of all others here.
        if let code = answer?["error"]?.string, let message = answer?["message"]?.string {
            self = .problem(status, code, message)
        } else if response.status == 204 {
            self = .nothing
        } else {
            self = .json(response.body)
            self.status = status
        }
        if let seconds = response.retryAfter { headers[.retryAfter] = String(seconds) }
    }
}
