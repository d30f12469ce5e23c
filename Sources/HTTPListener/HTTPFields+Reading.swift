package import HTTPTypes

extension HTTPField.Name {
    /// - Source: RFC 7239.
    package static let forwarded = HTTPField.Name("Forwarded") ?? .from
    /// Sent by proxies that do not know `Forwarded`.
    package static let forwardedFor = HTTPField.Name("X-Forwarded-For") ?? .from
}

extension HTTPFields {
    /// Whether a request came through a proxy.
    package var isForwarded: Bool { self[.forwarded] != nil || self[.forwardedFor] != nil }

    /// Whether the sender has the answer with an entity tag, by its `If-None-Match`; `nil` if it has none.
    ///
    /// The comparison is weak: a leading `W/` does not count.
    /// - Source: RFC 9110 8.8.3.2 and 13.1.2.
    package func hasAnswer(tagged tag: String) -> Bool? {
        func opaque(_ tag: some StringProtocol) -> String {
            String(tag.hasPrefix("W/") ? tag.dropFirst(2)[...] : tag[...])
        }
        return self[.ifNoneMatch].map { header in
            let known = header.split(separator: ",").map { opaque($0.filter { $0 != " " && $0 != "\t" }) }
            return known.contains("*") || known.contains(opaque(tag))
        }
    }
}
