import Daemon
package import JSON
package import MQTT
import Messages
import Text

/// The daemons on a broker, as they report themselves: what is retained of the status, version, health and alerts of each.
///
/// Anybody may write there, so all that is kept has a limit.
package struct Fleet: Sendable {
    /// The most nodes that are read.
    package static let capacity = 10_000
    /// The most bytes of a message that are read; those of a daemon have less than 4 KB.
    package static let largestMessage = 65_536
    private static let longestName = 200
    /// The health and alerts of a node that is online, and of which none were read.
    private static let unknown = "unknown"
    /// The status of a node whose status went while the fleet was read, as when two daemons fight for one client id.
    private static let gone = "gone"
    /// The most characters of an alert's id in the table.
    private static let shownID = 24

    /// What is known of a node.
    package struct Node: Sendable, Hashable {
        /// `online` or `offline`; `nil` if nothing is retained: then it is not listed, unless it was there before.
        fileprivate var status: String?
        /// Whether it had a status while the fleet was read.
        fileprivate var wasSeen = false
        fileprivate var version: String?
        fileprivate var started: String?
        fileprivate var health: String?
        /// When it last published its health.
        fileprivate var seen: String?
        fileprivate var alerts = Alerts()
        /// Whether its alerts were read.
        fileprivate var hasAlerts = false

        fileprivate struct Alerts: Sendable, Hashable {
            var count = 0
            var severity: String?
            /// The sentence of the most severe alert.
            var message: String?
            var ids: [String] = []
        }

        fileprivate var isOnline: Bool { status == "online" }

        fileprivate var isGone: Bool { wasSeen && status == nil }

        fileprivate var shownStatus: String? { isGone ? Fleet.gone : status }

        /// Whether it is online, and has published that its links are up and no alert is open.
        fileprivate var isWell: Bool { isOnline && health == "ok" && hasAlerts && alerts.count == 0 }

        /// The last health of a node that went offline says nothing about now.
        fileprivate var presentHealth: String? { isOnline ? health ?? Fleet.unknown : nil }
    }

    private let base: String
    private let time: LocalTime
    private var all: [String: Node] = [:]
    /// Whether there were more nodes than are read.
    private var hasTooMany = false
    /// How long it was read, if that was too short.
    private var shortTime: Duration?

    /// - Parameter base: The first levels of all topics.
    package init(base: String, time: LocalTime) { (self.base, self.time) = (base, time) }

    // MARK: Reading

    /// The filter to subscribe to first: it finds the nodes.
    package var statusFilter: String { Topics(root: "\(base)/+").status }

    /// The nodes that are known, in order.
    package var names: [String] { nodes.map(\.name) }

    /// How many nodes are read at once.
    ///
    /// The messages of all must fit into the broker's queue when the line is slow:
    /// mosquitto's holds a thousand, and it drops the others.
    package static let batch = 100

    /// The topics to subscribe to for the details of these nodes.
    package func topics(of names: some Sequence<String>) -> [String] {
        names.flatMap { name in
            let topics = Topics(root: "\(base)/\(name)")
            return [topics.info, topics.health, topics.alerts]
        }
    }

    /// Whether everything that these nodes retain was read.
    package func isComplete(_ names: some Sequence<String>) -> Bool {
        names.allSatisfy { name in
            guard let node = all[name] else { return true }
            return node.started != nil && node.seen != nil && node.hasAlerts
        }
    }

    /// Handles a message that the broker kept, or one that has just been published.
    package mutating func receive(_ message: MQTTMessage) {
        guard message.topic.hasPrefix(base + "/"), !message.isOversize else { return }
        let rest = message.topic.dropFirst(base.count + 1)
        guard let slash = rest.firstIndex(of: "/"), !rest[..<slash].isEmpty,
            rest[..<slash].utf8.count <= Self.longestName
        else { return }
        let name = String(rest[..<slash])
        guard all[name] != nil || all.count < Self.capacity else {
            hasTooMany = true
            return
        }
        var node = all[name] ?? Node()
        node.read(String(rest[rest.index(after: slash)...]), message.payload)
        all[name] = node == Node() ? nil : node
    }

    /// Ends the reading before all is read.
    package mutating func stop(after time: Duration) { shortTime = time }

    // MARK: Results

    /// The nodes by name.
    private var nodes: [(name: String, node: Node)] {
        all.filter { $0.value.status != nil || $0.value.wasSeen }
            .sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    package var isEmpty: Bool { nodes.isEmpty }

    /// Whether all nodes were read.
    package var isComplete: Bool { !hasTooMany && shortTime == nil }

    /// Whether all nodes were read and are online, their links are up, and no alert is open.
    package var isWell: Bool { isComplete && nodes.allSatisfy { $0.node.isWell } }

    /// The nodes, and whether these are all.
    package var json: JSONValue {
        [
            "nodes": .array(nodes.map { name, node in .object(node.members(name)) }),
            "complete": .bool(isComplete),
        ]
    }

    /// A table for a person, and a line with the numbers.
    ///
    /// - Parameter columns: Of the terminal, where lines are cut; `nil` for whole lines.
    package func lines(columns: Int? = nil) -> [String] {
        let nodes = nodes
        guard !nodes.isEmpty else { return ["none"] }
        let table = TextTable(
            header: ["NODE", "STATUS", "VERSION", "HEALTH", "STARTED", "SEEN", "ALERTS"],
            rows: nodes.map { row($0.name, $0.node) }
        )
        let lines = columns.map { columns in table.lines.map { TerminalText.fitted($0, columns: columns) } }
        return (lines ?? table.lines) + [summary(nodes.map(\.node))]
    }

    private func row(_ name: String, _ node: Node) -> [String] {
        [
            name, node.shownStatus ?? "", node.version ?? "", node.presentHealth ?? "",
            node.started.map(time.dayAndClock) ?? "", node.seen.map(time.dayAndClock) ?? "",
            node.isOnline && !node.hasAlerts ? Self.unknown : node.alerts.text(Self.shownID),
        ]
    }

    private func summary(_ nodes: [Node]) -> String {
        let online = nodes.count(where: \.isOnline)
        let alerted = nodes.count { $0.alerts.count > 0 }
        let gone = nodes.count(where: \.isGone)
        let unknown = nodes.count { $0.presentHealth == Self.unknown }
        return [
            "\(nodes.count) node\(nodes.count == 1 ? "" : "s"), \(online) online, \(alerted) with alerts",
            unknown == 0 ? nil : ", \(unknown) of unknown health",
            gone == 0 ? nil : ", \(gone) gone while this was read",
            hasTooMany ? "; there are more than the \(Self.capacity) that are read" : nil,
            shortTime.map { "; not all was read within \($0.inSeconds): see --timeout" },
        ].compactMap(\.self).joined()
    }
}

extension Fleet.Node {
    fileprivate mutating func read(_ tail: String, _ payload: [UInt8]) {
        let topics = Topics.tails
        if tail == topics.status {
            let text = String(decoding: payload.prefix(8), as: UTF8.self)
            status = ["online", "offline"].contains(text) ? text : nil
            wasSeen = wasSeen || status != nil
            return
        }
        let value = try? JSONValue(parsing: payload)
        func text(_ key: String, _ limit: Int = 40) -> String? {
            value?[key]?.string.map { QuotedValue.clipped($0, to: limit) }
        }
        switch tail {
        case topics.info: (version, started) = (text("version"), text("started"))
        case topics.health: (health, seen) = (text("status"), text("ts"))
        case topics.alerts:
            hasAlerts = value != nil
            alerts = Alerts(
                count: max(0, value?["count"]?.integer ?? 0),
                severity: text("severity"),
                message: text("message", 500),
                ids: (value?["ids"]?.array ?? []).prefix(100).compactMap { id in
                    id.string.map { QuotedValue.clipped($0, to: 64) }
                }
            )
        default: break
        }
    }

    /// Members for which there is no value are left out.
    fileprivate func members(_ name: String) -> JSONObject {
        var members: JSONObject = ["node": .string(name), "well": .bool(isWell)]
        let texts = [
            ("status", shownStatus), ("version", version), ("started", started),
            ("health", presentHealth), ("seen", seen),
        ]
        for (key, text) in texts { members[key] = text.map { .string($0) } }
        guard hasAlerts else { return members }
        var open: JSONObject = [
            "count": JSONValue(alerts.count), "ids": .array(alerts.ids.map { .string($0) }),
        ]
        open["severity"] = alerts.severity.map { .string($0) }
        open["message"] = alerts.message.map { .string($0) }
        members["alerts"] = .object(open)
        return members
    }
}

extension Fleet.Node.Alerts {
    /// `1: disk`, or `3: disk…` if there are more; empty without any.
    ///
    /// - Parameter limit: The most characters of the id.
    fileprivate func text(_ limit: Int) -> String {
        guard count > 0 else { return "" }
        guard let first = ids.first else { return "\(count)" }
        let isCut = count > 1 || first.count > limit
        return "\(count): \(first.prefix(limit))\(isCut ? "…" : "")"
    }
}
