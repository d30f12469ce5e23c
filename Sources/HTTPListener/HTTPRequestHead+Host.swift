import NIOHTTP1

extension HTTPRequestHead {
    /// Brings the request into the form that everything behind looks at: a path as the target, and a Host header.
    ///
    /// A target that is a whole address (`http://HOST/PATH`) counts instead of the Host header, and is checked like
    /// one. HTTP/1.1 requires a Host header: where it is missing there is an empty one, which is refused.
    /// - Source: RFC 9112 3.2 and 3.2.2.
    mutating func settleHost() {
        let schemes = ["http://", "https://"]
        if let scheme = schemes.first(where: { uri.prefix($0.count).lowercased() == $0 }) {
            let rest = uri.dropFirst(scheme.count)
            let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
            let path = rest.dropFirst(authority.count)
            headers.replaceOrAdd(name: "Host", value: String(authority))
            uri = path.hasPrefix("/") ? String(path) : "/" + path
        } else if (version.major, version.minor) >= (1, 1), !headers.contains(name: "Host") {
            headers.add(name: "Host", value: "")
        }
    }
}
