package import Hummingbird
import HTTPTypes
import NIOCore

/// Lets signed-in requests pass, and some that everybody may make.
///
/// Whatever is not listed as open needs a session or the password, unknown paths included.
package struct SignInGate: Sendable {
    private let signIns: SignIns

    package init(_ signIns: SignIns) { self.signIns = signIns }

    /// - Parameters:
    ///   - address: The peer's.
    ///   - next: Answers a request that is let in.
    package func respond(
        to request: Request,
        from address: String?,
        next: () async throws -> Response
    ) async throws -> Response {
        guard !SignInPaths.isOpen(request.uri.path) else { return try await next() }
        switch await signIns.admission(of: request.headers, from: address) {
        case .allowed(let cookie):
            var response = try await next()
            if let cookie { response.headers.append(HTTPField(name: .setCookie, value: cookie)) }
            return response
        case .limited(let seconds):
            return SignInAnswer.limited(seconds)
        case .anonymous:
            if let page = SignInPaths.signInPage(for: request) { return page }
            return SignInAnswer.challenge(
                "sign in first, or send the password with HTTP Basic or Bearer",
                request
            )
        case .wrongPassword:
            return SignInAnswer.challenge("the password is wrong", request)
        }
    }
}

/// What may be asked for without a session.
enum SignInPaths {
    private static let open: Set<String> = ["/healthz", "/sign-in", "/api/sign-in", "/api/sign-out"]
    /// Of the page's files: those that the sign-in page needs, and those that browsers fetch without cookies.
    private static let openEndings = [".css", ".svg", ".png", ".ico", ".webmanifest", "/sign-in.js"]

    static func isOpen(_ path: String) -> Bool {
        if open.contains(path) { return true }
        let prefix = "/kiosk/"
        guard path.hasPrefix(prefix), openEndings.contains(where: path.hasSuffix) else { return false }
        return path.dropFirst(prefix.count).utf8.allSatisfy {
            switch UInt8($0) {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
                UInt8(ascii: "."):
                true
            default: false
            }
        }
    }

    /// Sends who asks for the page to the sign-in page, with the same query; `nil` for other requests.
    static func signInPage(for request: Request) -> Response? {
        guard request.method == .get || request.method == .head, !SignInAnswer.isProgram(request),
            ["/", "/kiosk"].contains(request.uri.path)
        else { return nil }
        let query = request.uri.query.map { "?" + $0 } ?? ""
        // Relative: a proxy may have put a prefix before the path.
        return Response(
            status: .seeOther,
            headers: [.location: "sign-in" + query, .cacheControl: "no-store"]
        )
    }
}

/// Answers to requests that are not let in.
enum SignInAnswer {
    /// Asks for a session or a password.
    ///
    /// Browsers would show a dialog of their own for Basic, instead of the sign-in page; programs may need to be asked.
    static func challenge(_ message: String, _ request: Request) -> Response {
        var response = error(.unauthorized, code: "not_allowed", message)
        response.headers.append(HTTPField(name: .wwwAuthenticate, value: #"Bearer realm="Trilateral""#))
        if isProgram(request) {
            let basic = #"Basic realm="Trilateral", charset="UTF-8""#
            response.headers.append(HTTPField(name: .wwwAuthenticate, value: basic))
        }
        return response
    }

    /// Whether a request is no browser's.
    ///
    /// All browsers begin their name with this word, for historical reasons.
    static func isProgram(_ request: Request) -> Bool {
        request.headers[.userAgent]?.hasPrefix("Mozilla/") != true && !accepts("text/html", request)
    }

    private static func accepts(_ type: String, _ request: Request) -> Bool {
        request.headers[.accept]?.contains(type) == true
    }

    static func limited(_ seconds: Int) -> Response {
        var response = error(
            .tooManyRequests,
            code: "rate_limited",
            "too many wrong passwords; try again in \(seconds) s"
        )
        response.headers[.retryAfter] = String(seconds)
        return response
    }

    /// - Parameter message: Without characters that JSON escapes.
    static func error(_ status: HTTPResponse.Status, code: String, _ message: String) -> Response {
        let body = ByteBuffer(
            string: #"{"error":{"code":"\#(code)","message":"\#(message)"},"status":"error"}"#
        )
        return Response(
            status: status,
            headers: [.contentType: "application/json; charset=utf-8", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: body)
        )
    }
}
