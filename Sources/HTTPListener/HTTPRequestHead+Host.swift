import NIOHTTP1

extension HTTPRequestHead {
    /// Normalises the request: a path as target, and a Host header.
    ///
    /// The host of an absolute target (`http://HOST/PATH`) overrides the Host header, and is checked like it.
    /// HTTP/1.1 requires a Host header: a missing one becomes empty, which is refused.
    /// - Source: RFC 9112 3.2 and 3.2.2.
    mutating func normaliseHost() {
        let schemes = uri.utf8.first == UInt8(ascii: "/") ? [] : ["http://", "https://"]
        if let scheme = schemes.first(where: { uri.prefix($0.count).lowercased() == $0 }) {
            let rest = uri.dropFirst(scheme.count)
            let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
            let path = rest.dropFirst(authority.count)
            headers.replaceOrAdd(name: "Host", value: String(authority))
            uri = path.hasPrefix("/") ? String(path) : "/" + path
        } else if !isOld, !headers.contains(name: "Host") {
            headers.add(name: "Host", value: "")
        }
    }
}
