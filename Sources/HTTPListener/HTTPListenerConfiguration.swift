/// Where a listener listens, whom it answers and what it bears.
package struct HTTPListenerConfiguration: Sendable, Hashable {
    /// The section of the configuration file that these values come from; messages name its keys.
    package var section: String
    /// A name or address of this machine; `0.0.0.0` and `::` are all of them.
    package var host: String
    /// 0 lets the system choose.
    package var port: Int

    /// Names under which this machine is reached, beside loopback and the address that was connected to.
    ///
    /// Without port.
    package var allowedHosts: [String] = []
    /// Origins (`https://panel.example:8443`), beside those on this machine, whose pages may send requests.
    package var allowedOrigins: [String] = []

    /// Request line and headers, bytes.
    package var maximumHeadBytes = 32 * 1024
    /// Body of a request, bytes.
    package var maximumBodyBytes = 100 * 1024
    /// The same for single paths where it is another.
    package var bodyLimits: [String: Int] = [:]
    /// A message over a WebSocket, bytes.
    package var maximumMessageBytes = 1_000_000
    /// Connections open at the same time.
    ///
    /// For one more the longest idle one is closed; when none is idle, more wait until one is closed.
    package var maximumConnections = 512

    /// From the opening of a connection to the first byte of its first request.
    package var firstRequestTimeout: Duration = .seconds(30)
    /// From the first byte of a request to the end of its headers.
    package var headTimeout: Duration = .seconds(10)
    /// From the end of the headers to the end of the body.
    package var bodyTimeout: Duration = .seconds(30)
    /// From an answer to the first byte of the next request.
    package var idleTimeout: Duration = .seconds(75)
    /// With an answer that the client does not take.
    package var sendTimeout: Duration = .seconds(30)

    package init(section: String = "http", host: String = "127.0.0.1", port: Int) {
        self.section = section
        self.host = host
        self.port = port
    }

    /// Whether only programs on this machine reach it.
    package var isOnlyForThisMachine: Bool { HostName(authority: host)?.isLoopback == true }

    /// How large a body may be, bytes.
    /// - Parameter target: The path of the request, with or without its query.
    func maximumBodyBytes(of target: String) -> Int {
        guard !bodyLimits.isEmpty else { return maximumBodyBytes }
        return bodyLimits[String(target.prefix { $0 != "?" })] ?? maximumBodyBytes
    }
}
