package import FlareClient
package import Settings
import SocketIO
import Text

extension FlareClientConfiguration {
    /// `nil` if no remote server is configured.
    package init?(_ remote: TrilateralConfiguration.Remote) {
        guard let url = remote.url, let scheme = ["http://", "https://"].first(where: url.hasPrefix) else {
            return nil
        }
        let rest = String(url.dropFirst(scheme.count))
        let isSecure = scheme == "https://"
        // Without a port: the default of the scheme.
        let place = HostAndPort(rest) ?? HostAndPort(host: rest, port: isSecure ? 443 : 80)
        self = remote.client
        (host, port) = (place.host, place.port)
        revision = remote.revision == .auto ? nil : remote.revision == .three ? .three : .four
        if let token = remote.token {
            headers.append(Header("Authorization", "Bearer \(token.reveal())"))
        }
        if isSecure { tls = remote.tls }
    }
}
