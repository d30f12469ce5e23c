import HTTPTypes

/// Decides by the Host and Origin headers which requests a listener answers.
///
/// Web pages from elsewhere can make a browser send requests to this machine. Two checks prevent this:
/// - **Host** must name this machine: loopback, the connection's local address, the bound address, or
///   a configured name. A page whose name was rebound to this machine (DNS rebinding) fails here.
/// - **Origin**, if present, must be this server, as named by the Host header, or configured. A page on
///   another port of this machine has another origin. `null` (a sandboxed page, a local file) is refused.
///
/// Programs send no Origin and pass; so does an HTTP/1.0 request without Host, which no browser sends.
/// - Source: RFC 9110 7.2, RFC 6454.
package struct AccessPolicy: Sendable {
    private let hosts: Set<HostName>
    private let origins: Set<String>
    private let section: String
    /// With `://`.
    private let scheme: String

    package init(_ configuration: HTTPListenerConfiguration) {
        hosts = Set(
            ([configuration.host] + configuration.allowedHosts).compactMap { HostName(authority: $0) }
        )
        origins = Set(configuration.allowedOrigins.map { WebOrigin($0)?.text ?? $0.lowercased() })
        section = configuration.section
        scheme = configuration.tls == nil ? "http://" : "https://"
    }

    /// Why a request is refused; `nil` when it is allowed.
    /// - Parameters:
    ///   - host: The Host header.
    ///   - connectedTo: The connection's local address; called only when it matters.
    package func refusal(
        host: String?,
        origin: String?,
        connectedTo address: @autoclosure () -> String?
    ) -> RequestError? {
        if let host, !isThisMachine(HostName(authority: host), address) {
            let allowed = "requests to this machine by loopback or its address are, other names can"
            return Self.refusal("Host", host, allowed, key: "\(section).allowed_hosts")
        }
        guard let origin, !isAllowed(origin, host) else { return nil }
        let allowed = "pages of this server are, pages from elsewhere and from other ports can"
        return Self.refusal("Origin", origin, allowed, key: "\(section).allowed_origins")
    }

    /// - Parameter key: The configuration key with the allowed values.
    private static func refusal(
        _ header: String,
        _ value: String,
        _ allowed: String,
        key: String
    ) -> RequestError {
        let message =
            "\(header) \"\(value.prefix(200))\" is not allowed here; \(allowed) be listed under \(key)"
        return RequestError(.forbidden, "forbidden", message, key: key)
    }

    private func isAllowed(_ origin: String, _ host: String?) -> Bool {
        guard let parsed = WebOrigin(origin) else {
            // Custom schemes of apps are not web origins, but can be configured literally.
            return origin != "null" && origins.contains(origin.lowercased())
        }
        return origins.contains(parsed.text) || host.flatMap { WebOrigin(scheme + $0) } == parsed
    }

    private func isThisMachine(_ host: HostName?, _ address: () -> String?) -> Bool {
        guard let host else { return false }
        if host.isLoopback || hosts.contains(host) { return true }
        // Only an address can equal the connection's; resolving a name would enable the attack.
        guard case .address = host, let address = address() else { return false }
        return HostName(authority: address.contains(":") ? "[\(address)]" : address) == host
    }
}
