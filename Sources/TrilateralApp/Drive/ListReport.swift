import Daemon
import Flare
package import JSON
import Messages

/// What `list` prints, from what is retained.
package struct ListReport {
    package enum Kind: String, CaseIterable, Sendable {
        case things, zones, environments, nodes

        /// What is read: below `B/`, save for nodes, which stand below the base.
        var filters: [String] {
            let (topics, nodes) = (Topics.tails, Topics(root: "+"))
            return switch self {
            case .things:
                [topics.object(.thing, "+"), topics.data(thing: "+"), topics.availability(thing: "+")]
            case .zones: [topics.object(.zone, "+"), topics.lights(zone: "+"), topics.zone]
            case .environments: [topics.object(.environment, "+"), topics.environment]
            case .nodes: [nodes.status, nodes.info]
            }
        }
    }

    private let kind: Kind
    private let read: JSONObject
    /// Of nodes, the broker, if there are several.
    private let broker: String?
    private let time: LocalTime

    /// - Parameter broker: Of nodes, the broker, if those of several are listed.
    package init(_ kind: Kind, _ read: JSONObject, of broker: String? = nil, time: LocalTime) {
        (self.kind, self.broker) = (kind, broker)
        self.read = read
        self.time = time
    }

    /// The short names, in order.
    private var names: [String] {
        if kind == .nodes {
            return read.keys.filter { $0.hasSuffix("/status") }.map { String($0.dropLast("/status".count)) }
                .sorted()
        }
        let prefix = kind.rawValue + "/"
        return read.keys.filter { $0.hasPrefix(prefix) && !$0.dropFirst(prefix.count).contains("/") }
            .map { String($0.dropFirst(prefix.count)) }.sorted()
    }

    /// Of nodes, those that are online.
    package var online: [String] { names.filter { read[Topics(root: $0).status] == "online" } }

    /// A list of objects, with what belongs to them.
    package var json: JSONValue {
        .array(
            names.map { name in
                let topic = kind == .nodes ? Topics(root: name).info : "\(kind.rawValue)/\(name)"
                var members = read[topic]?.object ?? [:]
                switch kind {
                case .things: members["availability"] = read[topic + "/availability"]
                case .zones:
                    members["lights"] = read[topic + "/lights"]
                    members["current"] = isCurrent(name, Topics.tails.zone).map { .bool($0) }
                case .environments:
                    members["current"] = isCurrent(name, Topics.tails.environment).map { .bool($0) }
                case .nodes:
                    members["node"] = .string(name)
                    members["status"] = read[Topics(root: name).status]
                    if let broker { members["broker"] = .string(broker) }
                }
                return .object(members)
            }
        )
    }

    /// A table for a person; `none` when there is nothing.
    ///
    /// - Parameter columns: Of the terminal, where lines are cut; `nil` for whole lines.
    package func lines(columns: Int? = nil) -> [String] {
        [self].lines(columns: columns)
    }

    fileprivate var rows: [[String]] { names.map { row($0) + [broker].compactMap(\.self) } }

    fileprivate var header: [String] { kindHeader + (broker == nil ? [] : ["BROKER"]) }

    private var kindHeader: [String] {
        switch kind {
        case .things: ["THING", "NAME", "ZONE", "AVAILABILITY", "VALUES"]
        case .zones: ["ZONE", "NAME", "LIGHTS", "HERE"]
        case .environments: ["ENVIRONMENT", "NAME", "HERE"]
        case .nodes: ["NODE", "STATUS", "VERSION", "STARTED"]
        }
    }

    private func row(_ name: String) -> [String] {
        let object = read["\(kind.rawValue)/\(name)"] ?? .null
        func text(_ value: JSONValue?) -> String { value?.string ?? "-" }
        switch kind {
        case .things:
            let data = read[Topics.tails.data(thing: name)]?.object ?? [:]
            return [
                name, text(object["name"]), text(object["zone"]),
                text(read[Topics.tails.availability(thing: name)]), WatchText.summary(object, data: data),
            ]
        case .zones:
            let lights = read[Topics.tails.lights(zone: name)]
            let on = lights?["on"]?.integer ?? 0
            let count = lights?["lights"]?.integer.map { "\(on) of \($0) on" }
            let values = on > 0 ? lights.map(WatchText.light) ?? [] : []
            let shown = ([count].compactMap(\.self) + values).joined(separator: ", ")
            return [name, text(object["name"]), shown, here(name, Topics.tails.zone)]
        case .environments:
            return [name, text(object["name"]), here(name, Topics.tails.environment)]
        case .nodes:
            let info = read[Topics(root: name).info]
            let started = info?["started"]?.string.map(time.dayAndClock)
            return [name, text(read[Topics(root: name).status]), text(info?["version"]), started ?? "-"]
        }
    }

    private func here(_ name: String, _ topic: String) -> String {
        isCurrent(name, topic) == true ? "yes" : "-"
    }

    /// - Returns: `nil` if nothing is known of where the device is, as for who may not see that.
    private func isCurrent(_ name: String, _ topic: String) -> Bool? {
        read[topic].map { $0["slug"]?.string == name }
    }
}

extension [ListReport] {
    /// One table for all of them, which are of one kind; `none` when there is nothing.
    package func lines(columns: Int? = nil) -> [String] {
        let rows = flatMap(\.rows)
        guard !rows.isEmpty, let header = first?.header else { return ["none"] }
        let lines = TextTable(header: header, rows: rows).lines
        return columns.map { columns in lines.map { TerminalText.fitted($0, columns: columns) } } ?? lines
    }

    /// One list of all objects.
    package var json: JSONValue { .array(flatMap { $0.json.array ?? [] }) }
}
