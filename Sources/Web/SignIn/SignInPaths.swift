import Hummingbird
import HTTPTypes
import Things

/// What may be asked for without a session.
enum SignInPaths {
    private static let open: Set<String> = [
        "/healthz", "/sign-in", "/sign-up", "/forgot", "/verify", "/api/sign-in", "/api/sign-out",
        "/api/session", "/api/sign-up", "/api/forgot", "/api/verify",
    ]
    /// Of the page's files: those that the sign-in page needs, and those that browsers fetch without cookies.
    private static let openEndings = [".css", ".svg", ".png", ".ico", ".webmanifest", "/sign-in.js"]

    static func isOpen(_ path: String) -> Bool {
        // They only lead to the pages.
        if open.contains(path) || WebRoute.isSlashedPage(path) { return true }
        let prefix = "/kiosk/"
        guard path.hasPrefix(prefix), (openEndings + signInScripts).contains(where: path.hasSuffix) else {
            return false
        }
        // Perhaps below the version of the page.
        var parts = path.dropFirst(prefix.count).split(separator: "/", omittingEmptySubsequences: false)
        if parts.count == 2, parts.first == PageFiles.embedded.version[...] { parts.removeFirst() }
        return parts.count == 1 && parts[0].isPlain(with: "-_.")
    }

    /// The modules that the pages for who is not signed in are made of.
    private static let signInScripts = [
        "/dom.js", "/people.js", "/people-forms.js", "/people-german.js", "/sign-up.js", "/forgot.js",
        "/verify.js", "/oldest.js",
    ]

    /// Sends who asks for the page to the sign-in page, with the same query; `nil` for other requests.
    static func signInPage(for request: Request) -> Response? {
        guard request.method == .get || request.method == .head, !isProgram(request),
            ["/", "/kiosk", "/me", "/admin"].contains(request.uri.path)
        else { return nil }
        let query: String
        switch request.uri.path {
        case "/me", "/admin": query = "?next=" + request.uri.path.dropFirst()
        default: query = request.uri.query.map { "?" + $0 } ?? ""
        }
        // Relative: a proxy may have put a prefix before the path.
        return WebAnswer(redirectTo: "sign-in" + query).response(to: request.head)
    }

    /// Whether a request is no browser's.
    ///
    /// All browsers begin their name with this word, for historical reasons.
    static func isProgram(_ request: Request) -> Bool {
        request.headers[.userAgent]?.hasPrefix("Mozilla/") != true
            && request.headers[.accept]?.contains("text/html") != true
    }
}

extension WebAnswer {
    /// Asks for a session or a password.
    ///
    /// Browsers would show a dialog of their own for Basic, instead of the sign-in page; programs may need to be asked.
    static func challenge(_ message: String, _ request: Request) -> Response {
        let answer = problem(.unauthorized, RefusalCode.unauthenticated.rawValue, message)
        var response = answer.response(to: request.head)
        response.headers.append(HTTPField(name: .wwwAuthenticate, value: #"Bearer realm="Trilateral""#))
        if SignInPaths.isProgram(request) {
            let basic = #"Basic realm="Trilateral", charset="UTF-8""#
            response.headers.append(HTTPField(name: .wwwAuthenticate, value: basic))
        }
        return response
    }

    static func limited(_ seconds: Int) -> WebAnswer {
        var answer = WebAnswer(
            Refusal(.rateLimited, "too many wrong passwords; try again in \(seconds) s")
        )
        answer.headers[.retryAfter] = String(seconds)
        return answer
    }
}
