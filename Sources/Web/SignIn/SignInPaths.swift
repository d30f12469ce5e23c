import Hummingbird
import HTTPTypes
import Things

/// What is needed to sign in.
enum SignInPaths {
    /// Of the page's files: what the sign-in page looks like, and what browsers fetch without cookies.
    private static let openEndings = [".css", ".svg", ".png", ".ico", ".webmanifest"]
    /// The modules that the pages for who is not signed in are made of.
    private static let openScripts: Set<String> = [
        "sign-in.js", "dom.js", "people.js", "people-forms.js", "people-german.js", "sign-up.js",
        "forgot.js", "verify.js", "oldest.js",
    ]

    /// Whether everybody may have a file of the page.
    ///
    /// - Parameters:
    ///   - path: Its name, perhaps below the version of the page.
    ///   - version: That of the page.
    static func isOpen(file path: [String], version: () async -> String) async -> Bool {
        // A decoded part may have slashes in it.
        guard let name = path.last, name.isPlain(with: "-_."),
            openScripts.contains(name) || openEndings.contains(where: name.hasSuffix)
        else { return false }
        guard path.count > 1 else { return true }
        return path.first == (await version())
    }

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
