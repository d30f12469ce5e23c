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
