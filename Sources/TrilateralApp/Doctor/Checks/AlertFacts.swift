package import JSON
import MQTT
import Messages
import Threading

/// What the daemon itself says is wrong.
package struct AlertFacts: Sendable {
    package static let check = "alerts"

    /// What the broker keeps below the daemon's topics; `nil` if it cannot be read.
    package var retained: JSONObject?
    package var isRunning = false

    package init() {}

    package var verdicts: [DoctorVerdict] {
        guard let retained else {
            return [DoctorVerdict(Self.check, .hint, "they are on the broker, which cannot be read")]
        }
        let status = retained[Topics.tails.status]?.string
        guard status == "online" else {
            guard isRunning else {
                return [DoctorVerdict(Self.check, .ok, "no daemon is online that could have any")]
            }
            return [
                DoctorVerdict(
                    Self.check,
                    .problem,
                    "the daemon runs, and is not online on the broker",
                    advice: "its log says why: journalctl -u trilateral -n 50"
                )
            ]
        }
        let start = Topics.tails.alert("")
        let alerts = retained.filter { $0.key.hasPrefix(start) }.sorted { $0.key < $1.key }
        guard !alerts.isEmpty else { return [DoctorVerdict(Self.check, .ok, "the daemon has none")] }
        return alerts.map { topic, alert in
            let id = String(topic.dropFirst(start.count))
            let since = alert["since"]?.string.map { " (since \($0))" } ?? ""
            let isGrave = alert["severity"]?.string == "error"
            return DoctorVerdict(
                Self.check,
                isGrave ? .problem : .warning,
                "\(id): \(alert["message"]?.string ?? "no message")\(since)",
                advice: "the entry \(id) on the manual's page Troubleshooting"
            )
        }
    }

    static func gathered(_ context: DoctorContext) async -> AlertFacts {
        var facts = AlertFacts()
        facts.isRunning = context.daemon != nil
        do throws(VerbError) {
            let (link, root) = try context.broker()
            let tails = [Topics.tails.status, Topics.tails.health, Topics.tails.alert("+")]
            facts.retained = try await BrokerSession(link)
                .retained(below: root, tails, within: .seconds(4))
        } catch {
            // The check of the broker says why.
            return facts
        }
        if let health = facts.retained?[Topics.tails.health] {
            context.attachments.withLock { $0["health"] = health.text }
        }
        return facts
    }
}
