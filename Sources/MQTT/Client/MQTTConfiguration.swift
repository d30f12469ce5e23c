package import Text
import Threading

/// The settings of a connection to a broker.
package struct MQTTConfiguration: Sendable, Hashable {
    /// Host name or address; with TLS also the name in the broker's certificate.
    package var host = "localhost"
    package var port = 1883
    package var protocolVersion = MQTTProtocolChoice.automatic
    /// `nil` for a random id at every connect.
    package var clientID: String?
    package var username: String?
    package var password: Secret?
    /// Keep-alive in seconds, 5…65535.
    package var keepAliveSeconds = 30
    /// Timeout of a connection attempt, seconds.
    package var connectTimeoutSeconds = 10
    package var tls = MQTTTLS()
    /// The message that the broker publishes when the link is lost without DISCONNECT.
    package var will: MQTTMessage?
    /// The message that is sent first on every link, before those that were not acknowledged over the last one.
    package var birth: MQTTMessage?
    /// The first and the longest pause between two connection attempts.
    package var reconnectMinimumSeconds = 0.5
    package var reconnectMaximumSeconds = 60.0
    /// Most unacknowledged publications of QoS 1, and most unwritten ones of QoS 0.
    ///
    /// At most 30,000 are used, because message ids have 16 bits.
    package var maximumQueued = 10_000
    /// Most publications of QoS 1 in flight, 1…65535.
    package var maximumInflight = 100
    /// A broker that answers, but has acknowledged nothing for so long, has lost acknowledgements: the link is made again.
    ///
    /// Doubled after each such link in a row, up to 32 times.
    package var acknowledgementPatience = Duration.seconds(30)
    /// Longest incoming payload, bytes; larger ones arrive empty, see ``MQTTMessage/oversizeBytes``.
    package var maximumPayload = 1 << 20
    /// Most messages queued for the reader of a subscription; further ones are counted in
    /// ``MQTTCounters/lost``.
    package var maximumUnread = 65_536
    /// Most bytes of all messages that wait for their readers; nothing more is received until half of them are read.
    package var maximumUnreadBytes = 16 << 20
    /// Seconds without a link after which a warning is logged, once per outage.
    package var warnAfterSeconds = 30

    package init() {}

    /// The pauses between connection attempts.
    var reconnect: Backoff {
        Backoff(minimumSeconds: reconnectMinimumSeconds, maximumSeconds: reconnectMaximumSeconds)
    }

    /// A link that lasted for so long was no failure: another client with our id would have ended it before, because it
    /// pauses for the same time at most.
    package var steadyLink: Duration { .seconds(min(max(reconnectMaximumSeconds * 1.5, 1), 300)) }

    /// `host:port`, for messages.
    package var address: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

/// The protocol version of a client.
package enum MQTTProtocolChoice: String, Sendable, Hashable, CaseIterable {
    /// MQTT 5, or 3.1.1 when the broker does not support it; determined again at every connect.
    case automatic = "auto"
    case v5 = "5"
    case v311 = "3.1.1"
}

/// TLS settings.
///
/// Both the requested name (SNI) and the name required in the certificate are ``MQTTConfiguration/host``:
/// libmosquitto supports no other.
package struct MQTTTLS: Sendable, Hashable {
    /// Whether the connection uses TLS; the rest has no effect otherwise.
    package var isEnabled = false
    /// A PEM file of trusted certificates; without it, those of the system.
    package var caFile: String?
    /// The client certificate, PEM, if the broker requires one; needs `keyFile`.
    package var certificateFile: String?
    /// Not encrypted, PEM.
    package var keyFile: String?
    /// Application protocol to request (ALPN), for instance `mqtt` on port 443.
    package var alpn: String?
    /// False only in tests: accepts any certificate of a trusted authority, whatever its name.
    package var verifyHostname = true
    /// The only TLS version to use; `nil` negotiates the best.
    package var version: MQTTTLSVersion?
}

/// The TLS versions that can be required; the raw value is libmosquitto's name.
package enum MQTTTLSVersion: String, Sendable, Hashable, CaseIterable {
    case v1_2 = "tlsv1.2"
    case v1_3 = "tlsv1.3"
}
