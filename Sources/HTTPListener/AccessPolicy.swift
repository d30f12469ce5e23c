/// Which requests a listener answers, by the names in their Host and Origin headers.
///
/// A web page from elsewhere can make a browser send requests to this machine. Two checks stop it:
/// - **Host** must name this machine: loopback, the address that was connected to, the address that is bound, or
///   a configured name. A page whose own name was re-pointed at this machine (DNS rebinding) fails here.
/// - **Origin**, when there is one, must be this very server, as the Host header names it, or configured. A page on
///   another port of this machine is another origin. `null` (a sandboxed page, a local file) is refused.
///
/// Programs send no Origin and pass; so does an HTTP/1.0 request without Host, which no browser sends.
/// - Source: RFC 9110 7.2, RFC 6454.
package struct AccessPolicy: Sendable {
    private let hosts: Set<HostName>
    private let origins: Set<String>
    private let section: String

    package init(_ configuration: HTTPListenerConfiguration) {
        hosts = Set(
            ([configuration.host] + configuration.allowedHosts).compactMap { HostName(authority: $0) }
        )
        origins = Set(configuration.allowedOrigins.map { WebOrigin($0)?.text ?? $0.lowercased() })
        section = configuration.section
    }

    /// Why a request is refused; `nil` when it may pass.
    /// - Parameters:
    ///   - host: The Host header.
    ///   - connectedTo: This machine's address on the connection; looked up only when it matters.
    package func refusal(
        host: String?,
        origin: String?,
        connectedTo address: @autoclosure () -> String?
    ) -> AccessRefusal? {
        if let host, !isHere(HostName(authority: host), address) {
            return AccessRefusal(header: "Host", value: host, key: "\(section).allowed_hosts")
        }
        guard let origin else { return nil }
        guard let parsed = WebOrigin(origin) else {
            // What is no web origin can still be configured, word for word: an application's own scheme.
            if origin != "null", origins.contains(origin.lowercased()) { return nil }
            return AccessRefusal(header: "Origin", value: origin, key: "\(section).allowed_origins")
        }
        // Connections are not encrypted here: a page from this server has http in its origin.
        if origins.contains(parsed.text) || host.flatMap({ WebOrigin("http://" + $0) }) == parsed {
            return nil
        }
        return AccessRefusal(header: "Origin", value: origin, key: "\(section).allowed_origins")
    }

    private func isHere(_ host: HostName?, _ address: () -> String?) -> Bool {
        guard let host else { return false }
        if host.isLoopback || hosts.contains(host) { return true }
        // Only an address can be the one connected to; a name would have to be looked up, which is the attack.
        guard case .address = host, let address = address() else { return false }
        return HostName(authority: address.contains(":") ? "[\(address)]" : address) == host
    }
}

/// A request that was refused for a name in one of its headers.
package struct AccessRefusal: Sendable, Hashable {
    /// `Host` or `Origin`.
    package let header: String
    package let value: String
    /// The configuration key that lists what is allowed.
    package let key: String

    /// A sentence for whoever sent it.
    package var message: String {
        let allowed =
            header == "Host"
            ? "requests to this machine by loopback or its address are, other names can be listed under \(key)"
            : "pages of this server are, pages from elsewhere and from other ports can be listed under \(key)"
        return "\(header) \"\(value.prefix(200))\" is not allowed here; \(allowed)"
    }
}
