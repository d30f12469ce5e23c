package import Controller

/// Something that is wrong now: a link that is down, or an open alert.
///
/// `B/health` and `/healthz` are made from the same list.
package struct HealthProblem: Sendable, Hashable {
    package var severity: Alert.Severity
    /// One line.
    package var text: String
    /// The alert's identifier; `nil` for a link.
    package var alert: String?

    package init(_ severity: Alert.Severity, _ text: String, alert: String? = nil) {
        (self.severity, self.alert) = (severity, alert)
        self.text = text.split(whereSeparator: \.isNewline).joined(separator: " ")
    }

    /// For whoever may not read alerts, which may name things: which alert it is.
    package var publicText: String { alert.map { "alert \($0)" } ?? text }

    /// All problems, errors first.
    ///
    /// - Parameters:
    ///   - links: By name: whether the link is up. Without the broker or the Flare server the daemon does not work; the
    ///     links of sensors raise alerts if they matter.
    ///   - brokerProblem: Why the broker cannot be reached, if that is known.
    package static func all(
        links: [String: Bool],
        alerts: [String: Alert],
        brokerProblem: String? = nil
    ) -> [HealthProblem] {
        guard !alerts.isEmpty || links.values.contains(false) else { return [] }
        var alerts = alerts
        var problems = links.filter { !$0.value }.keys.sorted().map { link -> HealthProblem in
            switch link {
            case "mqtt":
                // The alert has the same reason.
                alerts = alerts.filter { $0.value.message != brokerProblem }
                return HealthProblem(.error, "no link to the broker\(brokerProblem.map { ": \($0)" } ?? "")")
            case "flare":
                let reason = alerts.removeValue(forKey: "flare-link")?.message
                return HealthProblem(.error, "no link to the Flare server\(reason.map { ": \($0)" } ?? "")")
            default: return HealthProblem(.warning, "no link to \(link)")
            }
        }
        problems += alerts.gravestFirst.map {
            HealthProblem($0.value.severity, $0.value.message, alert: $0.key)
        }
        return problems.filter { $0.severity == .error } + problems.filter { $0.severity == .warning }
    }
}
