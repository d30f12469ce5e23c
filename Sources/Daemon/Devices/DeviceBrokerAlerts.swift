import Bridge
package import Controller

/// What the broker refuses the nodes of further devices, for the alerts of the first node.
///
/// A node that may publish nothing cannot publish that either, and people look at the first one.
package struct DeviceBrokerAlerts: Sendable {
    /// The identifier of the alert.
    package static let alert = "device-broker"

    private static let kinds = [
        BrokerRefusals.link, BrokerRefusals.publications, BrokerRefusals.subscriptions,
    ]

    /// The open problems of each node, by the identifier of its own alert.
    private var problems: [String: [String: String]] = [:]

    package init() {}

    /// A node raises or clears an alert of its own.
    ///
    /// - Returns: The alert of the first node, or its end; `nil` if it stays as it is.
    package mutating func observe(_ change: ControllerEvent, of node: String) -> ControllerEvent? {
        switch change {
        case .alertRaised(let id, _, let message) where Self.kinds.contains(id):
            guard problems[node]?[id] != message else { return nil }
            problems[node, default: [:]][id] = message
        case .alertCleared(let id) where problems[node]?[id] != nil:
            problems[node]?[id] = nil
            if problems[node]?.isEmpty == true { problems[node] = nil }
        default: return nil
        }
        return event(problem)
    }

    /// A node is not listed any more.
    ///
    /// - Returns: As of ``observe(_:of:)``.
    package mutating func remove(_ node: String) -> ControllerEvent? {
        problems.removeValue(forKey: node) == nil ? nil : event(problem)
    }

    private func event(_ problem: String?) -> ControllerEvent { .alert(Self.alert, .error, problem) }

    private var problem: String? {
        let nodes = problems.keys.sorted()
        guard let first = nodes.first, let own = problems[first],
            let message = Self.kinds.compactMap({ own[$0] }).first
        else { return nil }
        let names =
            nodes.prefix(5).joined(separator: ", ") + (nodes.count > 5 ? " and \(nodes.count - 5) more" : "")
        return nodes.count == 1
            ? "The device \(names) is not on the broker as it should be. \(message)"
            : "The devices \(names) are not on the broker as they should be. Of \(first): \(message)"
    }
}
