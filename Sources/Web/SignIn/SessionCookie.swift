import Cryptography
import HTTPTypes

/// The cookie of a session, of a user or of the listener's own password.
///
/// `SameSite` keeps it from requests that begin at another site; a frame of another site, such as a dashboard under
/// another name, would not get it either. Where such frames are allowed and the connection is encrypted, the cookie is
/// for them too: `SameSite=None`, which browsers take only with `Secure`, and `Partitioned`, without which several drop
/// it. Requests of other sites' pages are then still refused for their Origin.
/// - Source: contrib/contract/people.md, "Sessions and tokens"; RFC 6265, and 6265bis for SameSite.
package struct SessionCookie: Sendable, Hashable {
    /// Most cookies of one name that are looked at: another path or partition may have one as well.
    private static let most = 4

    private let name: String
    /// Seconds; the session itself may end earlier.
    private let lifetime: Int
    private let attributes: String

    /// The cookie of users that all daemons of a host share, as browsers send a host's cookies to all its ports.
    ///
    /// - Parameters:
    ///   - isSecure: Whether the listener speaks TLS.
    ///   - isFramed: Whether pages of other sites may show ours.
    init(isSecure: Bool, isFramed: Bool) {
        self.init("trilateral_session", days: 365, site: "Strict", isSecure, isFramed)
    }

    /// The cookie of users that no other daemon of the host sets: signing in there leaves it as it is.
    ///
    /// - Parameter key: The installation's. A port would not do: it may be any, or a proxy's.
    init(usersOf key: [UInt8], isSecure: Bool, isFramed: Bool) {
        let name = "trilateral_session_" + Self.digits(of: "session cookie", key)
        self.init(name, days: 365, site: "Strict", isSecure, isFramed)
    }

    /// The cookie of the listener's own password, which is renewed once a day.
    ///
    /// - Parameter key: The installation's; browsers send a host's cookies to all its ports, so names must differ.
    package init(key: [UInt8], isSecure: Bool, isFramed: Bool) {
        let name = "trilateral_" + Self.digits(of: "web cookie", key)
        self.init(name, days: 30, site: "Lax", isSecure, isFramed)
    }

    /// Eight digits that tell installations apart.
    private static func digits(of purpose: String, _ key: [UInt8]) -> String {
        let code = MessageCode(of: Array(purpose.utf8), key: key).value
        return code.prefix(4).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    private init(_ name: String, days: Int, site: String, _ isSecure: Bool, _ isFramed: Bool) {
        (self.name, lifetime) = (name, days * 86_400)
        let rights =
            isSecure
            ? (isFramed ? "SameSite=None; Secure; Partitioned" : "SameSite=\(site); Secure")
            : "SameSite=\(site)"
        // Not only below the path of the request: a proxy may have put a prefix before it.
        attributes = "; Path=/; HttpOnly; \(rights)"
    }

    /// The value of a Set-Cookie header that signs in.
    func setting(_ session: String) -> String {
        "\(name)=\(session); Max-Age=\(lifetime)\(attributes)"
    }

    /// The value of a Set-Cookie header that signs out.
    var clearing: String { "\(name)=; Max-Age=0\(attributes)" }

    /// The sessions that a request brings.
    func sessions(in fields: HTTPFields) -> [String] {
        fields[values: .cookie].flatMap { header in
            header.split(separator: ";").compactMap { pair -> String? in
                let pair = pair.drop { $0 == " " }
                guard pair.hasPrefix(name + "="), pair.utf8.count <= 200 else { return nil }
                let value = String(pair.dropFirst(name.count + 1))
                return value.isEmpty ? nil : value
            }.prefix(Self.most)
        }
    }
}

/// The cookies of one session: all are set and cleared together, and the first one that identifies somebody counts.
extension [SessionCookie] {
    /// The values of the Set-Cookie headers that sign in.
    func setting(_ session: String) -> [String] { map { $0.setting(session) } }

    /// The values of the Set-Cookie headers that sign out.
    var clearing: [String] { map(\.clearing) }

    /// The sessions that a request brings.
    func sessions(in fields: HTTPFields) -> [String] { flatMap { $0.sessions(in: fields) } }
}
