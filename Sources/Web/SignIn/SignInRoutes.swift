import Flare
import HTTPTypes
package import Hummingbird
import NIOCore

/// `/api/sign-in` and `/api/sign-out`.
package struct SignInRoutes: Sendable {
    private static let largestBody = 16 * 1024

    private let signIns: SignIns

    package init(_ signIns: SignIns) { self.signIns = signIns }

    /// `POST /api/sign-in` with `{"password"}`.
    /// - Parameter address: The peer's.
    package func signIn(_ request: Request, from address: String?) async throws -> Response {
        guard Self.isJSON(request) else {
            return SignInAnswer.error(
                .unsupportedMediaType,
                code: "invalid_value",
                "send application/json"
            )
        }
        let body = try await request.body.collect(upTo: Self.largestBody)
        guard let json = try? JSONValue(parsing: body.readableBytesView), json.object != nil else {
            return SignInAnswer.error(.badRequest, code: "bad_json", "the body is not a JSON object")
        }
        guard let password = json["password"]?.string else {
            return SignInAnswer.error(.badRequest, code: "wrong_type", "password must be a text")
        }
        switch await signIns.signIn(password, from: address) {
        case .allowed(let cookie):
            var response = Self.done()
            response.headers[.setCookie] = cookie
            return response
        case .limited(let seconds): return SignInAnswer.limited(seconds)
        case .wrongPassword, .anonymous:
            return SignInAnswer.error(.forbidden, code: "not_allowed", "the password is wrong")
        }
    }

    /// `POST /api/sign-out`; with or without a session.
    package func signOut(_ request: Request) -> Response {
        var response = Self.done()
        response.headers[.setCookie] = signIns.signOut(request.headers)
        return response
    }

    private static func done() -> Response {
        Response(
            status: .ok,
            headers: [.contentType: "application/json; charset=utf-8", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: #"{"status":"ok"}"#))
        )
    }

    /// No form of another page can send this type.
    private static func isJSON(_ request: Request) -> Bool {
        let type = request.headers[.contentType]?.prefix { $0 != ";" } ?? ""
        return type.filter { $0 != " " }.lowercased() == "application/json"
    }
}
