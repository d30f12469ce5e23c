import ArgumentParser
import Bridge
import Daemon
import Foundation
import HomeAssistant
import MQTT
import Messages
import Settings
import Text

/// `trilateral acl`: the access lists that a broker with passwords needs.
struct AccessListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "acl",
        abstract: "Print access lists for mosquitto.",
        discussion: """
            Prints who may read and write which topics, in the format of mosquitto's acl_file, for the base, the node, \
            and the lamps, receivers and devices of the configuration, or of the daemon that runs here; while the node's \
            daemon runs here, the devices of its database are in it, too. Roles: \(roles). Write it \
            to a file, name that file in acl_file beside password_file and "allow_anonymous false", and set each user's password with \
            mosquitto_passwd. Append the lists of several nodes to one file. What lamps, bridges and receivers need \
            themselves is in contrib/mosquitto/acl-others. With --people it prints what each user may do now instead; \
            a daemon with people.acl_file keeps a file with that. With --things it prints what each thing at the edge may do.
            """
    )

    private static let roles = AccessList.Role.allCases.map(\.rawValue).joined(separator: ", ")

    @OptionGroup var file: ConfigurationOption
    @OptionGroup var state: StateOption
    @OptionGroup var token: FormerTokenOption

    @Flag(help: "A section for each active user, from the state folder, instead of the roles.")
    var people = false

    @Flag(help: "A section for each thing at the edge, from the state folder, instead of the roles.")
    var things = false

    @Option(help: "Only this role; without it all roles.")
    var role: AccessList.Role?

    @Option(
        name: .customLong("user"),
        help: ArgumentHelp("The user name of a role; can be given several times.", valueName: "role=name"),
        transform: NamedUser.argument
    )
    var users: [NamedUser] = []

    @Option(help: "The first levels of all topics; without it those of the daemon or the configuration.")
    var base: String?

    @Option(help: "The node; without it that of the daemon that runs here, or the host name.")
    var node: String?

    @Option(
        help: ArgumentHelp(
            """
            Where users get answers with an MQTT 5 response topic: below <topic>/<user>; without it below the first of \
            mqtt.response_topics.
            """,
            valueName: "topic"
        )
    )
    var replies: String?

    func validate() throws {
        if people, role != nil { throw ValidationError("--people and --role exclude each other.") }
        if things, role != nil { throw ValidationError("--things and --role exclude each other.") }
        if things, people { throw ValidationError("--things and --people exclude each other.") }
        if !isOfFolder, state.path != nil { throw ValidationError("--state needs --people or --things.") }
        try ConfigurationType.topic.check("--base", base)
        try ConfigurationType.topic.check("--replies", replies)
        try ConfigurationType.slug.check("--node", node)
    }

    /// Whether the state folder says what is printed.
    private var isOfFolder: Bool { people || things }

    func run() async throws {
        let location = isOfFolder ? try state.location() : nil
        let daemon = isOfFolder ? location?.daemon : try runningDaemon()
        let values = try file.load(of: daemon).values
        let store = isOfFolder ? nil : database(of: daemon ?? runningDaemon(with: values))
        defer { store?.close() }
        let list = list(values, store)
        let text =
            if let location {
                things
                    ? try thingsText(list, in: location) : try await peopleText(values, list, in: location)
            } else {
                list.text(role.map { [$0] } ?? AccessList.Role.allCases)
            }
        try StandardOutput.write(text)
    }

    /// The daemon that the list is for: the only one that runs here, or the one with the node.
    ///
    /// - Returns: `nil` if a file is named, or no such daemon runs: the configuration counts alone then.
    /// - Throws: ``VerbError`` if several daemons run, and nothing says which of them is meant.
    private func runningDaemon() throws -> RunningDaemon? {
        guard file.path == nil else { return nil }
        let environment = ProcessInfo.processInfo.environment
        let locator = DaemonLocator(environment)
        if let node = node ?? environment["TRILATERAL_MQTT_NODE"] {
            return locator.running.first { $0.node == node }
        }
        switch locator.finding {
        case .one(let daemon): return daemon
        case .several(let daemons):
            throw VerbError(DaemonLocator.question(daemons, option: "--node, or --config"), .usage)
        case .none: return nil
        }
    }

    /// The daemon that runs here with the node of a configuration that was named.
    private func runningDaemon(with values: TrilateralConfiguration) -> RunningDaemon? {
        let (base, node) = address(values)
        return DaemonLocator(ProcessInfo.processInfo.environment).running
            .first { $0.topics.suffix(2) == [base, node] }
    }

    /// The database of a daemon, if this user may read it: its devices have topics, too.
    private func database(of daemon: RunningDaemon?) -> StateStore? {
        guard let folder = daemon?.stateFolder else { return nil }
        do throws(StateStoreError) {
            return try StateStore(reading: URL(filePath: folder))
        } catch {
            let advice = geteuid() == 0 ? "" : "; its user and root may read it"
            StandardError.report(
                "warning: devices that a verb or the page has added are missing: \(error)\(advice)"
            )
            return nil
        }
    }

    /// The first levels of all topics, and the node.
    private func address(_ values: TrilateralConfiguration) -> (base: String, node: String) {
        (base ?? values.bridge.base, node ?? NodeAddress(values, HostInfo.ofThisMachine()).node)
    }

    private func list(_ values: TrilateralConfiguration, _ store: StateStore?) -> AccessList {
        let (base, node) = address(values)
        let topics = Topics(root: "\(base)/\(node)")
        var list = AccessList(topics: topics, commands: .program, discoveryPrefix: values.discovery.prefix)
        let filters = values.bridge.responseTopics
        list.responseTopics = filters
        let usual = filters.first { $0.hasSuffix("/#") }.map { String($0.dropLast(2)) }
        list.replies = replies ?? usual ?? list.replies
        if !filters.contains(where: { TopicRules.matches("\(list.replies)/user/1", filter: $0) }) {
            StandardError.report(
                """
                warning: the daemon does not answer below \(list.replies): add "\(list.replies)/#" to \
                mqtt.response_topics
                """
            )
        }
        let devices = values.listedDevices(with: store, first: node)
        list.nodes = devices.nodes
        list.capabilities = Capability.all.flatMap { $0.access(values) }
        for location in devices.locations.sorted() {
            let grant = AccessList.Grant(access: .read, filter: location)
            if !list.capabilities.contains(grant) { list.capabilities.append(grant) }
        }
        list.users[.daemon] = values.mqtt.username
        for user in users { list.users[user.role] = user.name }
        return list
    }
}

/// `driver=nodered`, on the command line.
struct NamedUser: Hashable {
    let role: AccessList.Role
    let name: String

    /// A role and a name that a line of the list can hold, and a password file too.
    ///
    /// - Throws: `ValidationError`, with what is legal.
    static func argument(_ text: String) throws -> NamedUser {
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { throw ValidationError("it must be ROLE=NAME, such as driver=nodered") }
        guard let role = AccessList.Role(rawValue: parts[0]) else {
            let roles = AccessList.Role.allCases.map(\.rawValue)
            throw ValidationError(
                "there is no such role\(NearestName.choice(for: parts[0], among: roles))"
            )
        }
        let name = parts[1]
        let isLegal =
            name.utf8.count <= 200 && name.first != " " && name.last != " "
            && !name.unicodeScalars.contains {
                ":+#/".unicodeScalars.contains($0) || $0.value < 0x20 || $0.value == 0x7F
            }
        guard isLegal else {
            throw ValidationError(
                "the name must have 1 to 200 bytes, without :, +, # and /, and no blanks at its ends"
            )
        }
        return NamedUser(role: role, name: name)
    }
}

extension AccessList.Role: ExpressibleByArgument {}
