package import SocketIO

/// The settings of a connection to a Flare server.
package struct FlareClientConfiguration: Sendable, Hashable {
    /// TLS settings.
    package struct TLS: Sendable, Hashable {
        /// The trusted certificates (PEM); `nil` for those of the system.
        package var caFile: String?
        /// The client certificate and its key (PEM, not encrypted), if the server requires one.
        package var certificateFile: String?
        package var keyFile: String?
        /// Whether the certificate must be for the server's name or address.
        package var verifiesName = true

        package init() {}
    }

    /// The transport of Socket.IO.
    package enum Transport: String, Sendable, Hashable, CaseIterable {
        /// WebSocket, or polling if none can be opened.
        case automatic = "auto"
        case websocket
        case polling
    }

    /// A header of every request.
    package struct Header: Sendable, Hashable {
        package var name: String
        package var value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// A name, or an IPv4 or IPv6 address.
    package var host: String
    /// Where to connect, if somebody else than the system's resolver says so; the host is still the name for TLS and `Host`.
    package var address: String?
    package var port: Int
    /// `nil` for plain HTTP.
    package var tls: TLS?
    /// The revision of Engine.IO; `nil` to detect it.
    package var revision: EngineRevision?
    package var transport = Transport.automatic
    /// For instance `Authorization`; never logged.
    package var headers: [Header] = []

    /// Whether the server announces changes; else the place is read every ``pollSeconds``.
    package var streams = true
    /// The pause between two readings of the place, up to an hour.
    package var pollSeconds = 5.0

    /// From the beginning of an attempt to the server's first answer: name, connection, TLS and handshake.
    package var connectSeconds = 5.0
    /// The timeout of a REST response, and of an upgrade to a WebSocket.
    package var answerSeconds = 10.0
    /// The timeout of the confirmation of a message over Socket.IO.
    package var confirmationSeconds = 5.0
    /// The first and the longest pause between attempts.
    package var reconnectMinimumSeconds = 0.5
    package var reconnectMaximumSeconds = 5.0
    /// The silence after which a liveness request is sent, and the timeout of its answer.
    package var quietSeconds = 5.0
    package var livenessSeconds = 8.0
    /// The rate limit of incoming messages; a long message counts as several.
    ///
    /// Above the limit reading is slowed down; after `floodSeconds` the connection is closed and retried later.
    package var messagesPerSecond = 10_000
    package var floodSeconds = 10.0
    /// The size limit of a REST response.
    package var maximumAnswerBytes = 32_000_000

    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }
}

extension FlareClientConfiguration {
    /// `host:port` for URLs and the `Host` header.
    var authority: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }

    /// The combinations of transport and revision to try, in order.
    package var approaches: [ClientSession.Approach] {
        let transports: [ClientSession.Transport] =
            switch transport {
            case .automatic: [.websocket, .polling]
            case .websocket: [.websocket]
            case .polling: [.polling]
            }
        // The original server ignores the revision, so 4 works there too; a few servers that support only 3 refuse it.
        let revisions: [EngineRevision] = revision.map { [$0] } ?? [.four, .three]
        return revisions.flatMap { spoken in
            transports.map {
                ClientSession.Approach(
                    $0,
                    spoken,
                    takesEither: revision == nil && spoken == .four,
                    upgrades: transport == .automatic
                )
            }
        }
    }

    /// - Parameter opened: When the attempt began.
    func livenessCheck(opened: Int, now: Int) -> LivenessCheck {
        LivenessCheck(
            quiet: max(10, Int(min(quietSeconds, 3600) * 1000)),
            patience: max(10, Int(min(livenessSeconds, 3600) * 1000)),
            firstPatience: max(10, connectMilliseconds - (now - opened)),
            now: now
        )
    }

    /// Whoever waits less for answers waits less for the first one, too.
    var connectMilliseconds: Int { max(100, Int(min(connectSeconds, answerSeconds, 3600) * 1000)) }

    func flowMeter(now: Int) -> ByteRateLimit {
        ByteRateLimit(
            perSecond: messagesPerSecond,
            patience: Int(min(max(floodSeconds, 0), 3600) * 1000),
            now: now
        )
    }

    var sessionSettings: ClientSession.Settings {
        var settings = ClientSession.Settings()
        settings.joinTimeout = connectMilliseconds
        settings.upgradeTimeout = max(100, answerMilliseconds)
        // One message may contain all data of an object.
        settings.limits.maximumPacketBytes = 4_000_000
        return settings
    }
}
