package import MQTT
import Settings

/// Whether the broker is there, lets the daemon in, and does what the daemon needs.
package struct BrokerFacts: Sendable {
    package static let check = "broker"

    /// What became of the attempt to connect.
    package enum Link: Sendable {
        case up(MQTTSession, milliseconds: Int)
        case failed(MQTTError)
        /// No answer in time.
        case silent
        /// This user may not read the password.
        case withoutPassword(String)
    }

    package var address = ""
    package var link = Link.silent
    /// The configuration of a mosquitto on this machine; `nil` for another broker, or if it cannot be read.
    package var mosquitto: String?

    package init() {}

    /// The longest messages are Home Assistant's announcements.
    private static let smallPackets = 20_000

    package var verdicts: [DoctorVerdict] {
        switch link {
        case .withoutPassword(let reason): [DoctorVerdict(Self.check, .warning, reason)]
        case .silent:
            [
                DoctorVerdict(
                    Self.check,
                    .problem,
                    "\(address) does not answer as an MQTT broker",
                    advice: "look at the broker: it hangs, or mqtt.port is another program's"
                )
            ]
        case .failed(let error):
            [DoctorVerdict(Self.check, .problem, error.description, advice: Self.advice(for: error))]
        case .up(let session, let milliseconds): verdicts(session, milliseconds)
        }
    }

    private static func advice(for error: MQTTError) -> String {
        switch error {
        case .unreachable: "start the broker, or correct mqtt.host and mqtt.port; look at the firewall"
        case .tls: "correct mqtt.tls, or the broker's certificate; look at the clock too"
        case .notAuthorised:
            "correct mqtt.username and the password, or add the user to the broker: mosquitto_passwd"
        case .refused, .endedByBroker, .lost: "the broker's log says why"
        case .unacknowledged: "raise max_queued_messages in mosquitto.conf"
        case .noAnswer, .malformed: "mqtt.port must be the broker's; with TLS set mqtt.tls.enabled"
        case .reconfigured, .configuration: "correct the section mqtt of the configuration"
        }
    }

    private func verdicts(_ session: MQTTSession, _ milliseconds: Int) -> [DoctorVerdict] {
        let version = session.version == .v5 ? "5" : "3.1.1"
        let up = "\(address) lets the daemon in, with MQTT \(version), after \(milliseconds) ms"
        var found = [DoctorVerdict(Self.check, .ok, up)]
        func add(_ level: DoctorVerdict.Level, _ text: String, _ advice: String) {
            found.append(DoctorVerdict(Self.check, level, text, advice: advice))
        }
        if !session.hasRetained {
            add(
                .problem,
                "it keeps no retained messages: who subscribes later gets no state",
                "retain_available true in mosquitto, or another broker"
            )
        }
        if session.maximumQoS < .atLeastOnce {
            add(
                .warning,
                "it has QoS 0 only: messages are lost when a link breaks",
                "max_qos 2 in mosquitto, or another broker"
            )
        }
        if !session.hasWildcards {
            add(.problem, "it accepts no wildcards in subscriptions", "use another broker")
        }
        if let most = session.maximumPacketSize, most < Self.smallPackets {
            add(
                .warning,
                "it takes packets of \(most) bytes at most: large announcements do not reach Home Assistant",
                "raise max_packet_size in mosquitto to \(Self.smallPackets) or more"
            )
        }
        if !session.refusedFilters.isEmpty {
            add(
                .problem,
                "it refuses the subscription to \(session.refusedFilters.joined(separator: ", "))",
                "give the daemon's user the rights that trilateral acl --role daemon prints"
            )
        }
        if let mosquitto, !Self.hasNoDelay(mosquitto) {
            add(
                .hint,
                "mosquitto holds small messages back: other programs get answers 40 ms late",
                "set_tcp_nodelay true in mosquitto's configuration"
            )
        }
        return found
    }

    /// Whether a configuration of mosquitto switches Nagle's algorithm off.
    /// - Source: mosquitto.conf(5), `set_tcp_nodelay`.
    private static func hasNoDelay(_ text: String) -> Bool {
        text.split(separator: "\n").contains { line in
            line.split(whereSeparator: \.isWhitespace).prefix(2).elementsEqual(["set_tcp_nodelay", "true"])
        }
    }

    static func gathered(_ context: DoctorContext) async -> BrokerFacts {
        var facts = BrokerFacts()
        facts.address = context.values.mqtt.address
        let (link, root): (MQTTConfiguration, String)
        do throws(VerbError) {
            (link, root) = try context.broker()
        } catch {
            facts.link = .withoutPassword(error.message)
            return facts
        }
        let filters = ["status", "alert/+"].map { "\(root)/\($0)" }
        let start = ContinuousClock.now
        facts.link = await BrokerSession(link).run(filters: filters, timeout: .seconds(4)) { visit -> Link in
            var last = Link.silent
            for await event in visit.events {
                switch event {
                case .link(.connected(let session)):
                    let time = start.duration(to: .now) / .milliseconds(1)
                    return .up(session, milliseconds: Int(time.rounded()))
                case .link(.disconnected(let error)):
                    last = .failed(error)
                    // Other ends may be followed by an attempt with an older version of MQTT.
                    if case .unreachable = error { return last }
                    if error.isFinal { return last }
                case .deadline: return last
                case .link(.refused), .link(.drained), .message, .woken, .signal, .acknowledged: break
                }
            }
            return last
        }
        if ["localhost", "127.0.0.1", "::1"].contains(link.host) {
            facts.mosquitto = LocalMosquitto.configuration(port: link.port)
        }
        return facts
    }
}
