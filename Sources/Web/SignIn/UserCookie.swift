/// The cookie of a user's session.
///
/// `SameSite=Strict` keeps it from every request that begins at another site. Where pages of other sites may show ours
/// and the connection is encrypted, it is for those frames too, as ``SessionCookie``.
/// - Source: contrib/contract/people.md, "Sessions and tokens"; RFC 6265, and 6265bis for SameSite.
struct UserCookie: Sendable, Hashable {
    private static let name = "trilateral_session"
    /// The session itself ends earlier, when it is not used.
    private static let lifetime = 365 * 86_400
    /// Most cookies of this name that are looked at: another path may have one as well.
    private static let most = 4

    private let attributes: String

    init(isSecure: Bool, isFramed: Bool) {
        let site =
            isSecure
            ? (isFramed ? "SameSite=None; Secure; Partitioned" : "SameSite=Strict; Secure")
            : "SameSite=Strict"
        // Not only below the path of the request: a proxy may have put a prefix before it.
        attributes = "; Path=/; HttpOnly; \(site)"
    }

    /// The value of a Set-Cookie header that signs in.
    func setting(_ session: String) -> String {
        "\(Self.name)=\(session); Max-Age=\(Self.lifetime)\(attributes)"
    }

    /// The value of a Set-Cookie header that signs out.
    var clearing: String { "\(Self.name)=; Max-Age=0\(attributes)" }

    /// The sessions in a Cookie header.
    static func sessions(in header: String) -> [String] {
        header.split(separator: ";").compactMap { pair -> String? in
            let pair = pair.drop { $0 == " " }
            guard pair.hasPrefix(name + "="), pair.utf8.count <= 200 else { return nil }
            let value = String(pair.dropFirst(name.count + 1))
            return value.isEmpty ? nil : value
        }.prefix(most).map { $0 }
    }
}
