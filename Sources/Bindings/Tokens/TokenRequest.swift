package import JSON
package import Things

/// A request for a token, whose form is checked.
///
/// - Source: contrib/contract/bindings.md, "Tokens".
package enum TokenRequest: Sendable, Hashable {
    /// A user signs in; the password is a secret, and in no message.
    case user(name: String, password: String)
    /// A program with the app's key asks for a token for nobody.
    case app(id: String, key: String)
}

/// A token that was made for a request, in its answer and nowhere else.
package struct IssuedToken: Sendable, Hashable {
    /// Whose it is: a user's identifier, or the app's.
    package let id: String
    package let text: String
    /// How long it counts, seconds.
    package let seconds: Int64

    package init(_ text: String, of id: String, seconds: Int64) {
        (self.text, self.id, self.seconds) = (text, id, seconds)
    }
}

// MARK: - Reading

extension TokenRequest {
    /// Bytes of a name, a password or a key.
    package static let longestSecret = 1024

    private enum GrantType: String, CaseIterable {
        case password
        case app = "client_credentials"
    }

    /// Reads the body of a request.
    ///
    /// Members that mean nothing here are ignored, as OAuth wants it.
    /// - Parameter app: The app's identifier and key beside the body, which need not repeat them.
    /// - Source: RFC 6749, 3.2, 4.3.2 and 4.4.2.
    package init(_ json: JSONValue, app: (id: String, key: String)? = nil) throws(Refusal) {
        let body = try ReceivedObject(json, at: "", known: json.object?.keys ?? [])
        guard try body.word("grant_type", as: GrantType.self) != .password else {
            self = .user(
                name: try Self.secret("username", in: body),
                password: try Self.secret("password", in: body)
            )
            return
        }
        let isGiven = body.optional("client_id") != nil || body.optional("client_secret") != nil
        guard isGiven else {
            guard let app else {
                throw Refusal(
                    .unauthenticated,
                    "client_credentials needs the app's identifier and key, as client_id and client_secret"
                )
            }
            self = .app(id: app.id, key: app.key)
            return
        }
        let (id, key) = (try Self.secret("client_id", in: body), try Self.secret("client_secret", in: body))
        if let app, (app.id, app.key) != (id, key) {
            throw Refusal(
                .unauthenticated,
                "client_id and client_secret differ from the app's identifier and key in the headers"
            )
        }
        self = .app(id: id, key: key)
    }

    /// A text that is in no refusal.
    private static func secret(_ name: String, in body: ReceivedObject) throws(Refusal) -> String {
        let legal = "a text of 1 to \(longestSecret) bytes"
        guard let text = try body.required(name, legal).string else {
            throw body.refusal(.wrongType, of: name, "must be \(legal)")
        }
        guard 1...longestSecret ~= text.utf8.count else {
            throw body.refusal(.invalidValue, of: name, "must be \(legal)")
        }
        return text
    }
}

extension IssuedToken {
    /// The body of the answer.
    /// - Source: RFC 6749, 5.1.
    package var json: JSONObject {
        [
            "id": .string(id), "access_token": .string(text), "expires_in": JSONValue(Int(seconds)),
            "token_type": "bearer",
        ]
    }
}
