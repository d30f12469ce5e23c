/// Who may read and write what on the broker, in the form of mosquitto's `acl_file`.
///
/// Made from the names of the topics, so that it says neither less nor more than is used.
package struct AccessList: Sendable, Hashable {
    /// What a client of the broker is to us.
    package enum Role: String, Sendable, Hashable, CaseIterable {
        /// This program.
        case daemon
        case homeAssistant = "homeassistant"
        /// A display that only shows.
        case kiosk
        /// Somebody who reads and commands: Node-RED, a panel with buttons, a script.
        case driver
        /// A phone that tells what it measures.
        case sensor
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
    /// The first levels of Home Assistant's own topics.
    package var discoveryPrefix: String
    /// Users get answers below `<replies>/<user>` when they ask with a response topic of MQTT 5.
    package var replies = "replies"
    /// What the daemon's capabilities need beyond the topics of its own node.
    package var capabilities: [Grant] = []
    /// The users' names; by default `trilateral` for the daemon, else the role's.
    package var users: [Role: String] = [:]

    package init(topics: Topics, discoveryPrefix: String) {
        self.topics = topics
        self.discoveryPrefix = discoveryPrefix
    }

    package func user(_ role: Role) -> String {
        users[role] ?? (role == .daemon ? "trilateral" : role.rawValue)
    }

    /// What a role may do, and nothing else.
    package func grants(_ role: Role) -> [Grant] {
        let reading = Grant(access: .read, filter: topics.everything)
        let commands = topics.commands.map { Grant(access: .write, filter: $0) }
        let answers = Grant(access: .read, filter: "\(replies)/\(user(role))/#")
        let announcing = Grant(access: .write, filter: "\(discoveryPrefix)/device/+/config")
        let birth = "\(discoveryPrefix)/status"
        switch role {
        case .daemon:
            return [Grant(access: .readwrite, filter: topics.everything)] + capabilities
                + [Grant(access: .write, filter: "\(replies)/#")]
        case .homeAssistant:
            return [
                reading, Grant(access: .read, filter: "\(discoveryPrefix)/#"),
                Grant(access: .write, filter: birth), announcing, answers,
            ] + commands
        case .kiosk:
            return [reading]
        case .driver:
            return [reading, answers] + commands + [Grant(access: .write, filter: topics.presence)]
        case .sensor:
            return [Grant(access: .write, filter: topics.raw("+"))]
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
    /// One line for the reader of the list.
    fileprivate var summary: String {
        switch self {
        case .daemon: "daemon: trilateral itself"
        case .homeAssistant: "homeassistant: reads, sends commands, and receives the announcements"
        case .kiosk: "kiosk: reads, and publishes nothing"
        case .driver: "driver: reads and sends commands (Node-RED, a panel, a script)"
        case .sensor: "sensor: publishes what it measures, and reads nothing"
        }
    }
}
