package import HTTPTypes
package import People

/// The users of the node, as the web adapter needs them.
package struct WebPeople: Sendable {
    /// A reverse proxy that signs people in.
    package struct Proxy: Sendable {
        /// The header that names the user.
        let header: HTTPField.Name
        /// Whether a peer's address is the proxy's.
        let isTrusted: @Sendable (String) -> Bool
        /// Makes a user who is not known, without grants; `nil` if none is made.
        let make: (@Sendable (String) async -> Void)?

        package init(
            header: HTTPField.Name,
            isTrusted: @escaping @Sendable (String) -> Bool,
            make: (@Sendable (String) async -> Void)? = nil
        ) {
            (self.header, self.isTrusted, self.make) = (header, isTrusted, make)
        }
    }

    package let identify: Identify
    /// When a session or token ends, milliseconds since 1970, UTC; `nil` if it does not end by itself.
    let end: @Sendable (Claim) -> Int64?
    package let handler: AccountsHandler
    let cookie: UserCookie
    /// Whether other machines need neither a password nor a session.
    let isOpen: Bool
    let proxy: Proxy?

    /// - Parameters:
    ///   - isSecure: Whether the listener speaks TLS.
    ///   - isFramed: Whether pages of other sites may show ours.
    package init(
        identify: @escaping Identify,
        end: @escaping @Sendable (Claim) -> Int64? = { _ in nil },
        handler: @escaping AccountsHandler,
        isOpen: Bool = false,
        isSecure: Bool = false,
        isFramed: Bool = false,
        proxy: Proxy? = nil
    ) {
        (self.identify, self.end, self.handler) = (identify, end, handler)
        (self.isOpen, self.proxy) = (isOpen, proxy)
        cookie = UserCookie(isSecure: isSecure, isFramed: isFramed)
    }
}
