package import SocketIO

/// Where a Flare server is, and how it is spoken to.
package struct FlareClientConfiguration: Sendable, Hashable {
    /// How the server is known, and how we are known to it.
    package struct TLS: Sendable, Hashable {
        /// The certificates that vouch for the server (PEM); `nil` takes the system's.
        package var caFile: String?
        /// Our own certificate and its key (PEM, not encrypted), for servers that ask for one.
        package var certificateFile: String?
        package var keyFile: String?
        /// Whether the certificate must carry the server's name or address.
        package var verifiesName = true

        package init() {}
    }

    /// What carries Socket.IO.
    package enum Transport: String, Sendable, Hashable, CaseIterable {
        /// A websocket; polling where none can be opened.
        case automatic = "auto"
        case websocket
        case polling
    }

    /// A header that every request carries.
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
    package var port: Int
    /// `nil` for plain HTTP.
    package var tls: TLS?
    /// The revision of Engine.IO; `nil` finds out which one the server speaks.
    package var revision: EngineRevision?
    package var transport = Transport.automatic
    /// Such as `Authorization`; never logged.
    package var headers: [Header] = []

    package var connectSeconds = 10.0
    /// For an answer by REST, for the welcome of Socket.IO, and for a websocket beside polling.
    package var answerSeconds = 10.0
    /// For the confirmation of what was said over Socket.IO.
    package var confirmationSeconds = 5.0
    /// The first pause before another attempt, and the longest.
    package var reconnectMinimumSeconds = 0.5
    package var reconnectMaximumSeconds = 5.0
    /// After how much silence the server is asked whether it is still there, and how long it may take to answer.
    package var quietSeconds = 5.0
    package var livenessSeconds = 8.0
    /// What is taken of a server that tells without end.
    ///
    /// A long message counts as several. More is read later, and when it does not stop for so many seconds, the
    /// server is left for a while.
    package var messagesPerSecond = 10_000
    package var floodSeconds = 10.0
    /// Of one answer by REST.
    package var maximumAnswerBytes = 32_000_000

    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }
}

extension FlareClientConfiguration {
    /// As it is written in addresses and in the `Host` header.
    var authority: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }

    /// The ways in which a session is tried.
    package var approaches: [ClientSession.Approach] {
        let transports: [ClientSession.Transport] =
            switch transport {
            case .automatic: [.websocket, .polling]
            case .websocket: [.websocket]
            case .polling: [.polling]
            }
        // Who says 4 is understood by the original too, which reads no number; a few servers that know only 3
        // refuse it.
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

    func livenessCheck(now: Int) -> LivenessCheck {
        LivenessCheck(
            quiet: max(10, Int(min(quietSeconds, 3600) * 1000)),
            patience: max(10, Int(min(livenessSeconds, 3600) * 1000)),
            now: now
        )
    }

    func flowMeter(now: Int) -> ByteRateLimit {
        ByteRateLimit(
            perSecond: messagesPerSecond,
            patience: Int(min(max(floodSeconds, 0), 3600) * 1000),
            now: now
        )
    }

    var sessionSettings: ClientSession.Settings {
        var settings = ClientSession.Settings()
        settings.joinTimeout = max(100, Int(min(answerSeconds, 3600) * 1000))
        settings.upgradeTimeout = settings.joinTimeout
        // All data of one object may come in one message.
        settings.limits.maximumPacketBytes = 4_000_000
        return settings
    }
}
