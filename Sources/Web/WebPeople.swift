package import HTTPTypes
package import People
import Threading

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

    /// The listener's own password.
    package struct Password: Sendable {
        let cookie: SessionCookie
        /// Checks what came with a request from an address, within the limits of guessing.
        let check: @Sendable (String, _ source: String?) async -> PasswordVerdict
        /// When the cookies of sessions were set last, milliseconds of the steady clock.
        private let renewals = Locked<[String: Int64]>([:])

        package init(
            cookie: SessionCookie,
            check: @escaping @Sendable (String, _ source: String?) async -> PasswordVerdict
        ) {
            (self.cookie, self.check) = (cookie, check)
        }

        /// Whether a session's cookie is to be set again, once a day, so that a display that is in use stays signed in.
        func isDueForRenewal(_ session: String, at now: Int64) -> Bool {
            renewals.withLock { renewals in
                if let last = renewals[session], now - last < 86_400_000 { return false }
                if renewals.count >= PeopleLimits.listenerSessions { renewals = [:] }
                renewals[session] = now
                return true
            }
        }
    }

    package let identify: Identify
    /// When a session or token ends, milliseconds since 1970, UTC; `nil` if it does not end by itself.
    let end: @Sendable (Claim) -> Int64?
    package let handler: AccountsHandler
    /// Of users: the installation's own one first, which other daemons on the host leave alone.
    let cookies: [SessionCookie]
    /// Whether other machines need neither a password nor a session.
    let isOpen: Bool
    let proxy: Proxy?
    /// Whether a peer's address is that of a proxy that is believed when it names the client.
    private let isForwarder: @Sendable (String) -> Bool
    /// `nil` if the listener has no password of its own.
    package let password: Password?
    /// Called before connections are accepted.
    let prepare: @Sendable () async -> Void

    /// Whether a proxy at this address is trusted to name the client.
    func isBelieved(_ address: String) -> Bool { isForwarder(address) || proxy?.isTrusted(address) == true }

    /// - Parameters:
    ///   - isSecure: Whether the listener speaks TLS.
    ///   - isFramed: Whether pages of other sites may show ours.
    ///   - key: The installation's; without it users have the cookie alone that all daemons share.
    package init(
        identify: @escaping Identify,
        end: @escaping @Sendable (Claim) -> Int64? = { _ in nil },
        handler: @escaping AccountsHandler,
        isOpen: Bool = false,
        isSecure: Bool = false,
        isFramed: Bool = false,
        key: [UInt8]? = nil,
        proxy: Proxy? = nil,
        isForwarder: @escaping @Sendable (String) -> Bool = { _ in false },
        password: Password? = nil,
        prepare: @escaping @Sendable () async -> Void = {}
    ) {
        (self.identify, self.end, self.handler, self.isForwarder) = (identify, end, handler, isForwarder)
        (self.isOpen, self.proxy, self.password, self.prepare) = (isOpen, proxy, password, prepare)
        let own = key.map { SessionCookie(usersOf: $0, isSecure: isSecure, isFramed: isFramed) }
        cookies = [own, SessionCookie(isSecure: isSecure, isFramed: isFramed)].compactMap(\.self)
    }
}
