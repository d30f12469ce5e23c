package import HTTPListener
import HTTPTypes
import Hummingbird
import JSON
package import People
import Things

/// Answers a request of who has signed in, as the socket of this machine answers it.
///
/// - Parameters:
///   - caller: Who asks; what they may do is judged by what answers.
///   - address: Of the other end.
package typealias SignedInHandler =
    @Sendable (LocalRequest, _ caller: Caller, _ address: String?) async -> LocalResponse

/// Things with owners, for users: lists, onboarding, owners, tokens.
///
/// - Source: contrib/contract/bindings.md, "For users".
extension WebRoute {
    private static let onboarding = "/api/bindings/onboard"

    /// Bodies that are longer than others, bytes: the properties of a thing alone may have 64,512.
    static let bindingsLimits = [onboarding: 128 * 1024]

    /// The routes of bindings for users.
    package static func bindings(_ handler: @escaping SignedInHandler) -> [WebRoute] {
        let routes: [(template: String, methods: [HTTPRequest.Method])] = [
            ("/api/bindings", [.get, .head]), (onboarding, [.post]), ("/api/bindings/expect", [.post]),
            ("/api/bindings/{binding}", [.get, .head, .delete]), ("/api/bindings/{binding}/token", [.post]),
            ("/api/bindings/{binding}/owners", [.post]),
            ("/api/bindings/{binding}/owners/{owner}", [.delete]),
        ]
        return routes.map { template, methods in
            .signedIn(template, methods) { try await $0.answer($1, by: handler) }
        }
    }
}

/// Rules, for users: lists, changes, tests, and what happened.
///
/// - Source: contrib/contract/rules.md, "Over HTTP".
extension WebRoute {
    /// The routes of rules for users.
    package static func rules(_ handler: @escaping SignedInHandler) -> [WebRoute] {
        let routes: [(template: String, methods: [HTTPRequest.Method])] = [
            ("/api/rules", [.get, .head, .post]), ("/api/rules/{rule}", [.get, .head, .put, .delete]),
            ("/api/rules/{rule}/on", [.post]), ("/api/rules/{rule}/off", [.post]),
            ("/api/rules/{rule}/run", [.post]), ("/api/rules/{rule}/test", [.post]),
            ("/api/rules/{rule}/explain", [.get, .head]),
        ]
        return routes.map { template, methods in
            .signedIn(template, methods) { try await $0.answer($1, by: handler) }
        }
    }
}

/// The survey of the place, for users.
///
/// - Source: contrib/contract/web.md, "Survey".
extension WebRoute {
    /// The routes of the survey for users.
    package static func survey(_ handler: @escaping SignedInHandler) -> [WebRoute] {
        let routes: [(template: String, methods: [HTTPRequest.Method])] = [
            ("/api/survey", [.get, .head]), ("/api/survey/points", [.post, .delete]),
            ("/api/survey/points/{point}", [.get, .head, .delete]),
            ("/api/survey/measurement", [.get, .head, .delete]), ("/api/survey/export", [.get, .head]),
            ("/api/survey/import", [.post]),
        ]
        return routes.map { template, methods in
            .signedIn(template, methods) { try await $0.answer($1, by: handler) }
        }
    }
}

/// The list of devices, for users, and what is heard and is none.
///
/// - Source: contrib/contract/web.md, "The list of devices".
extension WebRoute {
    /// The routes of the list of devices for users.
    package static func devices(_ handler: @escaping SignedInHandler) -> [WebRoute] {
        let routes: [(template: String, methods: [HTTPRequest.Method])] = [
            ("/api/device-settings", [.get, .head, .post]),
            ("/api/device-settings/{node}", [.get, .head, .patch, .delete]),
            ("/api/heard", [.get, .head]),
        ]
        return routes.map { template, methods in
            .signedIn(template, methods) { try await $0.answer($1, by: handler) }
        }
    }
}

extension WebResponder {
    /// The answer of a handler.
    func answer(_ call: WebCall, by handler: SignedInHandler) async throws -> WebAnswer {
        guard let caller = call.requester.caller else { return .notFound(call.head) }
        let (method, isReading) = (call.head.method, call.head.method == .get || call.head.method == .head)
        var body = try await content(of: call.request, by: call.requester)
        // Other pages are known by their origin.
        if body.isEmpty {
            if method == .post { body = Array("{}".utf8) }
        } else {
            if let refusal = Self.unsupportedMedia(call.request.headers) { return refusal }
            do throws(JSONError) { _ = try JSONValue(parsing: body) } catch {
                return WebAnswer(Refusal(.badJSON, "the body is no JSON: \(error)"))
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
            self = .problem(status, code, message, field: answer?["field"]?.string)
        } else if response.status == 204 {
            self = .nothing
        } else {
            self = .json(response.body)
            self.status = status
        }
        if let seconds = response.retryAfter { headers[.retryAfter] = String(seconds) }
    }
}
