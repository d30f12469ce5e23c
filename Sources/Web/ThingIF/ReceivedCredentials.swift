import HTTPListener
import HTTPTypes
import Things

/// What the headers of a request bring to be recognised by.
///
/// - Source: contrib/contract/bindings.md, "Callers".
struct ReceivedCredentials: Sendable {
    private let token: String?
    /// The app's identifier and key.
    let app: (id: String, key: String)?

    /// - Parameter path: The app's identifier in the path.
    /// - Throws: If they are malformed or contradict each other.
    init(_ fields: HTTPFields, to path: String) throws(Refusal) {
        let header = fields[.authorization]
        let credentials = header.flatMap { AuthorizationHeader.credentials(in: $0) }
        let (id, key) = (fields[.kiiAppID], fields[.kiiAppKey])
        switch credentials {
        case .bearer(let token):
            // Programs send them beside each token; the identifier still says which app they mean.
            guard id.map({ $0 == path }) ?? true else {
                throw Self.refusal("X-Kii-AppID names another app than the path")
            }
            self.token = token
            app = if let id, let key { (id, key) } else { nil }
        case .basic(let user, let password):
            guard id.map({ $0 == user }) ?? true, key.map({ $0 == password }) ?? true else {
                throw Self.refusal("Authorization and X-Kii-AppID or X-Kii-AppKey contradict each other")
            }
            token = nil
            app = (user, password)
        case nil:
            guard header == nil else {
                throw Self.refusal(
                    "Authorization must be Bearer with a token, or Basic with the app's identifier and key"
                )
            }
            guard (id == nil) == (key == nil) else {
                throw Self.refusal("X-Kii-AppID and X-Kii-AppKey belong together, and one is missing")
            }
            token = nil
            app = if let id, let key { (id, key) } else { nil }
        }
    }

    private static func refusal(_ message: String) -> Refusal { Refusal(.unauthenticated, message) }

    /// For all but tokens: a token says more than the app's key.
    var ofCaller: ThingIFCredentials {
        if let token { return .bearer(token) }
        return app.map { .app(id: $0.id, key: $0.key) } ?? .none
    }

    /// For a request for a token, which the app's key allows.
    var ofApp: ThingIFCredentials {
        if let app { return .app(id: app.id, key: app.key) }
        return token.map { .bearer($0) } ?? .none
    }
}

extension HTTPField.Name {
    fileprivate static let kiiAppID = HTTPField.Name("X-Kii-AppID") ?? .from
    fileprivate static let kiiAppKey = HTTPField.Name("X-Kii-AppKey") ?? .from
}
