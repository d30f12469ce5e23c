import HTTPListener
import HTTPTypes

/// Where a cookie counts: a proxy before the listener may add TLS, and a prefix to all paths.
///
/// Only this listener's own addresses are known here; the rest is what the proxy or the browser says of the request. That
/// is believed from everybody, because who lies loses nothing but a cookie of their own.
struct CookieScope: Sendable, Hashable {
    /// Whether the browser's connection is encrypted, as far as is known.
    let isSecure: Bool
    /// Ends with a slash.
    let path: String

    /// - Parameter publicURL: Where browsers find the page, `web.public_url`; `nil` if that is not known.
    init(_ fields: HTTPFields, host: String?, publicURL: String? = nil) {
        let origin = fields[.origin] ?? ""
        let known = publicURL.flatMap { Self.parts(of: $0) }
        // The request came by the public address, if the proxy leaves that in it.
        let isPublic =
            known.map { $0.origin == origin || (origin.isEmpty && $0.origin.hasSuffix("://\(host ?? "")")) }
            ?? false
        isSecure =
            origin.hasPrefix("https://") || Self.scheme(of: fields) == "https"
            || isPublic && known?.origin.hasPrefix("https://") == true
        let prefixes = [fields[.forwardedPrefix], fields[.ingressPath], isPublic ? known?.path : nil]
        path = prefixes.lazy.compactMap(\.self).compactMap(Self.folder).first ?? "/"
    }

    /// Limits the cookies that an answer sets or removes.
    func limit(_ fields: inout HTTPFields) {
        guard isSecure || path != "/" else { return }
        let cookies = fields[values: .setCookie]
        fields[values: .setCookie] = cookies.flatMap { cookie in
            var own = cookie.replacing("; Path=/;", with: "; Path=\(path);")
            if isSecure, !own.contains("; Secure") { own += "; Secure" }
            // One of an older version may count everywhere.
            return cookie.contains("; Max-Age=0;") && path != "/" ? [cookie, own] : [own]
        }
    }

    /// The scheme with which the browser asked: each proxy adds its own word to the end, so the first is the browser's.
    ///
    /// - Source: RFC 7239, 4 and 5.4, for `Forwarded`.
    private static func scheme(of fields: HTTPFields) -> String? {
        func first(_ text: String?, upTo separators: String) -> Substring? {
            text.flatMap { $0.split(omittingEmptySubsequences: false) { separators.contains($0) }.first }
        }
        if let proto = first(fields[.forwardedProto], upTo: ",") { return word(proto) }
        let pairs = first(fields[.forwarded], upTo: ",")?.split(separator: ";") ?? []
        for pair in pairs {
            let parts = pair.split(separator: "=", maxSplits: 1)
            if parts.count == 2, word(parts[0]) == "proto" { return word(parts[1]) }
        }
        return nil
    }

    /// Without spaces and quotation marks, in lower case.
    private static func word(_ text: Substring) -> String {
        text.lowercased().filter { !" \t\"".contains($0) }
    }

    /// Scheme, host and port, and the path.
    private static func parts(of url: String) -> (origin: String, path: String)? {
        guard let scheme = url.firstRange(of: "://") else { return nil }
        let end = url[scheme.upperBound...].firstIndex(of: "/") ?? url.endIndex
        return (String(url[..<end]), String(url[end...]))
    }

    /// A path that ends with a slash; `nil` for one that a cookie cannot have.
    private static func folder(_ text: String) -> String? {
        let parts = text.split(separator: "/")
        guard text.hasPrefix("/"), text.utf8.count <= 200, parts.joined().isPlain(with: "-_.~%"),
            !parts.isEmpty
        else { return nil }
        return "/" + parts.joined(separator: "/") + "/"
    }
}

extension HTTPField.Name {
    fileprivate static let forwardedProto = HTTPField.Name("X-Forwarded-Proto") ?? .from
    fileprivate static let forwardedPrefix = HTTPField.Name("X-Forwarded-Prefix") ?? .from
    /// Of Home Assistant.
    fileprivate static let ingressPath = HTTPField.Name("X-Ingress-Path") ?? .from
}
