package import Controller

/// Access rights on the broker, in the format of mosquitto's `acl_file`.
///
/// It is derived from the topics in use, so it grants neither less nor more.
package struct AccessList: Sendable {
    /// The role of a client of the broker.
    package enum Role: String, Sendable, Hashable, CaseIterable {
        /// This program.
        case daemon
        case homeAssistant = "homeassistant"
        /// A display without controls; it says whether it is visible.
        case kiosk
        /// A client that reads and sends commands: Node-RED, a panel with buttons, a script.
        case driver
        /// A phone that publishes readings.
        case sensor
        /// A program that delivers email: it reads the outboxes.
        case sender
    }

    package enum Access: String, Sendable, Hashable {
        case read, write, readwrite
    }

    /// One line of the list.
    package struct Grant: Sendable, Hashable {
        package let access: Access
        package let filter: String

        package init(access: Access, filter: String) { (self.access, self.filter) = (access, filter) }
    }

    package let topics: Topics
    /// The commands that a user with the right to drive may send.
    package let commands: CommandTable
    /// The first levels of Home Assistant's own topics.
    package var discoveryPrefix: String
    /// Users get answers below `<replies>/<user>` when they ask with a response topic of MQTT 5.
    package var replies = "replies"
    /// Where the daemon answers commands that name a response topic, as filters.
    package var responseTopics = ["replies/#"]
    /// The nodes of further devices, which take and publish what is the device's.
    package var nodes: [String] = []
    /// Rights that the daemon's capabilities need beyond the topics of their node.
    package var capabilities: [Grant] = []
    /// The users' names; by default `trilateral` for the daemon, else the role's.
    package var users: [Role: String] = [:]

    package init(topics: Topics, commands: CommandTable, discoveryPrefix: String) {
        (self.topics, self.commands) = (topics, commands)
        self.discoveryPrefix = discoveryPrefix
    }

    package func user(_ role: Role) -> String {
        users[role] ?? (role == .daemon ? "trilateral" : role.rawValue)
    }

    /// All rights of a role.
    ///
    /// Only the daemon reads commands, which may carry tokens, and what is one user's.
    package func grants(_ role: Role) -> [Grant] {
        let ofDevices = nodes.isEmpty ? nil : CommandTable(ofDevice: commands)
        let reading =
            (topics.published + nodes.flatMap { topics.node($0).publishedByDevice })
            .map { Grant(access: .read, filter: $0) }
        let writing =
            (topics.commands(commands)
            + nodes.flatMap { node in ofDevices.map { topics.node(node).commands($0) } ?? [] })
            .map { Grant(access: .write, filter: $0) }
        let answers = Grant(access: .read, filter: "\(replies)/\(user(role))/#")
        let discovery = DiscoveryTopics(prefix: discoveryPrefix)
        switch role {
        case .daemon:
            return ([topics] + nodes.map(topics.node)).map {
                Grant(access: .readwrite, filter: $0.everything)
            }
                + capabilities
                + topics.neighbours.map { Grant(access: .read, filter: $0) }
                + responseTopics.map { Grant(access: .write, filter: $0) }
        case .homeAssistant:
            return reading + [
                Grant(access: .read, filter: discovery.everything),
                Grant(access: .write, filter: discovery.status),
                Grant(access: .write, filter: discovery.device("+")), answers,
            ] + writing
        case .kiosk:
            return reading + [Grant(access: .write, filter: topics.presence)]
        case .driver:
            return reading + [answers] + writing + [Grant(access: .write, filter: topics.presence)]
        case .sensor:
            return [
                Grant(access: .write, filter: topics.raw("+")),
                Grant(access: .write, filter: topics.setupSSIDs),
            ]
        case .sender: return topics.outboxes.map { Grant(access: .read, filter: $0) }
        }
    }

    /// The lines for some roles.
    package func text(_ roles: [Role] = Role.allCases) -> String {
        roles.map { role in
            let lines = grants(role).map { "topic \($0.access.rawValue) \($0.filter)" }
            return (["# \(role.summary)", "user \(user(role))"] + lines).joined(separator: "\n") + "\n"
        }.joined(separator: "\n")
    }
}

extension AccessList.Role {
    /// The comment above the role's lines.
    fileprivate var summary: String {
        switch self {
        case .daemon: "daemon: trilateral itself"
        case .homeAssistant: "homeassistant: reads, sends commands, and receives the announcements"
        case .kiosk: "kiosk: reads, and says whether it is visible"
        case .driver: "driver: reads and sends commands (Node-RED, a panel, a script)"
        case .sensor: "sensor: publishes what it measures, and reads nothing"
        case .sender: "sender: reads the email messages that it is to deliver"
        }
    }
}
