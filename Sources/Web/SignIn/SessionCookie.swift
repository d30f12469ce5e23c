import Cryptography
/// The cookie of a signed-in browser.
///
/// `SameSite=Lax` keeps it from requests of other sites; a frame of another site, such as a dashboard under another name,
/// would not get it either. Where such frames are allowed and the connection is encrypted, the cookie is for them too:
/// `SameSite=None`, which browsers take only with `Secure`, and `Partitioned`, without which several drop it. Requests
/// of other sites' pages are then still refused for their Origin.
/// - Source: RFC 6265, and 6265bis for SameSite.
package struct SessionCookie: Sendable, Hashable {
    private let name: String
    private let attributes: String

    /// - Parameters:
    ///   - key: The installation's; browsers send a host's cookies to all its ports, so names must differ.
    ///   - isSecure: Whether the listener speaks TLS.
    ///   - isFramed: Whether pages of other sites may show ours.
    package init(key: [UInt8], isSecure: Bool, isFramed: Bool) {
        let code = MessageCode(of: Array("web cookie".utf8), key: key).value
        let digits = code.prefix(4).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
        name = "trilateral_" + digits.joined()
        let rights =
            isSecure
            ? (isFramed ? "SameSite=None; Secure; Partitioned" : "SameSite=Lax; Secure") : "SameSite=Lax"
        // Not only below the path of the request: a proxy may have put a prefix before it.
        attributes = "; Path=/; HttpOnly; \(rights)"
    }

    /// The value of a Set-Cookie header that signs in.
    package func setting(_ token: String) -> String {
        "\(name)=\(token); Max-Age=\(SessionTokens.lifetime)\(attributes)"
    }

    /// The value of a Set-Cookie header that signs out.
    package var clearing: String { "\(name)=; Max-Age=0\(attributes)" }

    /// The tokens in a Cookie header; several if another path or partition has one as well.
    package func tokens(in header: String) -> [Substring] {
        header.split(separator: ";").compactMap { pair -> Substring? in
            let pair = pair.drop { $0 == " " }
            guard pair.hasPrefix(name + "=") else { return nil }
            return pair.dropFirst(name.count + 1)
        }.prefix(4).map { $0 }
    }
}
