import Threading

/// Everything that a link to a broker needs to know.
package struct MQTTConfiguration: Sendable {
    /// Host name or address; with TLS also the name that the broker's certificate must carry.
    package var host = "localhost"
    package var port = 1883
    package var protocolVersion = MQTTProtocolChoice.automatic
    /// Empty: a random one, new at every connect.
    package var clientID = ""
    package var username: String?
    package var password: MQTTPassword?
    /// Seconds between signs of life, 5…65535.
    package var keepAliveSeconds = 30
    /// Seconds until an attempt that got no answer counts as failed.
    package var connectTimeoutSeconds = 10
    package var tls: MQTTTLS?
    /// What the broker publishes when the link is lost without a goodbye.
    package var will: MQTTMessage?
    /// The first pause before another attempt to connect, and the longest.
    package var reconnectMinimumSeconds = 0.5
    package var reconnectMaximumSeconds = 60.0
    /// Publications of QoS 1 and 2 that may wait for their acknowledgement, and as many of QoS 0 for the socket.
    ///
    /// At most 30,000 are used, since message ids have 16 bits.
    package var maximumQueued = 10_000
    /// Publications of QoS 1 and 2 on their way to the broker at once, 1…65535.
    package var maximumInflight = 100
    /// Bytes of an incoming payload; a larger one arrives empty, see ``MQTTMessage/oversizeBytes``.
    package var maximumPayload = 1 << 20
    /// Messages that may wait for the reader of one subscription; more are counted in ``MQTTCounters/lost``.
    package var maximumUnread = 65_536
    /// Seconds without a link after which one warning says so, once an outage.
    package var warnAfterSeconds = 30

    package init() {}

    /// The pauses between attempts to connect.
    var reconnect: Backoff {
        Backoff(minimumSeconds: reconnectMinimumSeconds, maximumSeconds: reconnectMaximumSeconds)
    }

    /// `host:port`, for messages to a person.
    package var address: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

/// Which protocol a client speaks.
package enum MQTTProtocolChoice: String, Sendable, Hashable, CaseIterable {
    /// MQTT 5, and 3.1.1 when the broker does not know it; tried anew at every connect.
    case automatic
    case v5
    case v311
}

/// A password, which prints as `***` wherever it is printed.
package struct MQTTPassword: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    let secret: String

    package init(_ secret: String) { self.secret = secret }

    package var description: String { "***" }
    package var debugDescription: String { "***" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// TLS to the broker.
///
/// The name that is asked for (SNI) and the name that the certificate must carry are both
/// ``MQTTConfiguration/host``: libmosquitto offers no other.
package struct MQTTTLS: Sendable {
    /// A file with the certificates to trust, PEM; without it and `caDirectory`, those of the system.
    package var caFile: String?
    /// A folder of certificates to trust, prepared with `openssl rehash`.
    package var caDirectory: String?
    /// Our own certificate, PEM, for brokers that ask for one; needs `keyFile`.
    package var certificateFile: String?
    package var keyFile: String?
    package var keyPassword: MQTTPassword?
    /// Application protocol to ask for, for instance `mqtt` on port 443.
    package var alpn: String?
    /// False only for a test: then any certificate of a trusted authority is taken, whatever its name.
    package var verifyHostname = true
    /// The only version to speak; the best of both sides when not said.
    package var version: MQTTTLSVersion?

    package init() {}
}

/// The versions of TLS that may be asked for; the raw value is the library's word.
package enum MQTTTLSVersion: String, Sendable, Hashable, CaseIterable {
    case v1_2 = "tlsv1.2"
    case v1_3 = "tlsv1.3"
}
