/// Address, access and limits of a listener.
package struct HTTPListenerConfiguration: Sendable, Hashable {
    /// The section of the configuration file, for messages that name its keys.
    package var section: String
    /// The key or option with the address, for messages.
    package var setting: String
    /// A name or address of this machine; `0.0.0.0` and `::` are all addresses.
    package var host: String
    /// 0 lets the system choose.
    package var port: Int
    /// The path of a Unix socket instead of an address; a socket that is there is replaced.
    package var socketPath: String?

    /// Names of this machine, besides loopback and the connection's local address.
    ///
    /// Without port.
    package var allowedHosts: [String] = []
    /// Origins (`https://panel.example:8443`) whose pages may send requests, besides this server's.
    package var allowedOrigins: [String] = []

    /// The certificate and key for TLS; `nil` for plain HTTP.
    package var tls: ListenerTLSFiles?

    /// Longest request line and headers, bytes.
    package var maximumHeadBytes = 32 * 1024
    /// Longest body of a request, bytes.
    package var maximumBodyBytes = 100 * 1024
    /// Other limits of the body, by path.
    package var bodyLimits: [String: Int] = [:]
    /// Longest WebSocket message, bytes.
    package var maximumMessageBytes = 1_000_000
    /// Most open connections.
    ///
    /// For another connection the one is closed that has been idle, or has kept the listener waiting in the middle of a
    /// request or an answer, for longest. When all others are busy, new ones wait.
    package var maximumConnections = 512

    /// From the opening of a connection to the end of its TLS handshake.
    package var handshakeTimeout: Duration = .seconds(10)
    /// From the opening of a connection to the first byte of its first request.
    package var firstRequestTimeout: Duration = .seconds(30)
    /// From the first byte of a request to the end of its headers.
    package var headTimeout: Duration = .seconds(10)
    /// From the end of the headers to the end of the body.
    package var bodyTimeout: Duration = .seconds(30)
    /// From an answer to the first byte of the next request.
    package var idleTimeout: Duration = .seconds(75)
    /// While the client does not read an answer.
    package var sendTimeout: Duration = .seconds(30)

    /// How errors of the listener itself are reported.
    package var errorFormat = ErrorFormat.plain
    /// Paths with another form of errors and another limit of bodies; of several that fit, the first one counts.
    package var areas: [Area] = []

    package init(section: String = "http", host: String = "127.0.0.1", port: Int) {
        self.section = section
        setting = "\(section).listen"
        self.host = host
        self.port = port
    }

    /// Whether it is reachable only from this machine.
    package var isOnlyForThisMachine: Bool { HostName(authority: host)?.isLoopback == true }
}
