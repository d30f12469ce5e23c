import ArgumentParser
import Bridge
import Daemon
import Foundation
import JSON
import MQTT
import Messages
import Settings
import Text

/// Which broker the commands talk to, and below which topics.
///
/// User name and password come from the configuration or the environment, never from the command line, where
/// other users of the machine could read them.
struct BrokerAddress: ParsableArguments {
    @OptionGroup var file: ConfigurationOption

    @Option(
        help: ArgumentHelp("The broker; without it the one in the configuration.", valueName: "host:port"),
        transform: HostAndPort.argument
    )
    var mqtt: HostAndPort?

    @Option(help: "The first levels of all topics; without it those in the configuration.")
    var base: String?

    func validate() throws {
        try ConfigurationType.topic.check("--base", base)
    }

    /// What a verb works with: the daemon that runs on this machine, unless the user names another broker.
    ///
    /// - Parameters:
    ///   - node: The node that the user named.
    ///   - asksDaemon: Whether a daemon that runs is meant, and not the one of the configuration.
    /// - Throws: ``VerbError`` if several daemons run.
    func settings(
        node: String? = nil,
        asksDaemon: Bool = true,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> BrokerSettings {
        var daemon: RunningDaemon?
        if asksDaemon, !isNamed(environment) {
            switch DaemonLocator(environment).finding(node: node ?? environment["TRILATERAL_MQTT_NODE"]) {
            case .one(let found): daemon = found
            case .several(let daemons):
                throw VerbError(DaemonLocator.question(daemons, option: "--node, or --mqtt"), .usage)
            case .none: break
            }
        }
        return try settings(of: daemon, environment: environment)
    }

    /// Whether the user, and not a daemon that runs here, says which broker is meant.
    private func isNamed(_ environment: [String: String]) -> Bool {
        let variables = ["TRILATERAL_MQTT_HOST", "TRILATERAL_MQTT_PORT"]
        return mqtt != nil || file.path != nil || variables.contains { environment[$0] != nil }
    }

    /// The several daemons of this machine, by their broker; nothing if a broker was named, or if there is one daemon at most.
    func daemonsByBroker(
        node: String?,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> [[RunningDaemon]] {
        guard !isNamed(environment) else { return [] }
        return DaemonLocator(environment).daemonsByBroker(node: node ?? environment["TRILATERAL_MQTT_NODE"])
    }

    /// As ``settings(node:asksDaemon:environment:)``, of a daemon that was found.
    func settings(
        of daemon: RunningDaemon?,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> BrokerSettings {
        BrokerSettings(
            loaded: try file.load(readsProfiles: false, of: daemon, environment: environment),
            daemon: daemon
        )
    }

    /// The link to the broker, and the first levels of all topics.
    ///
    /// - Throws: ``VerbError`` if this user must not read the password.
    func broker(
        _ settings: BrokerSettings
    ) throws(VerbError) -> (link: MQTTConfiguration, base: String) {
        let values = settings.loaded.values
        var link = values.mqtt
        if mqtt == nil, let password = try settings.servicePassword() {
            link.password = password
        }
        // The daemon's own id would throw the daemon off the broker.
        link.clientID = nil
        if let mqtt { (link.host, link.port) = (mqtt.host, mqtt.port) }
        return (link, base ?? values.bridge.base)
    }
}

extension ConfigurationType<String> {
    /// - Parameter value: Of an option; `nil` if it was not given.
    /// - Throws: `ValidationError`, with what is legal.
    func check(_ option: String, _ value: String?) throws {
        do throws(ConfigurationValueError) {
            if let value { _ = try decode(.scalar(value)) }
        } catch {
            throw ValidationError("\(option) \(error.message).")
        }
    }
}

/// How the commands that talk to a running daemon find it.
struct BrokerOptions: ParsableArguments {
    @OptionGroup var address: BrokerAddress

    @Option(help: "The daemon's node; without it the one in the configuration, or else the only one online.")
    var node: String?

    var mqtt: HostAndPort? { address.mqtt }

    func validate() throws {
        guard let node else { return }
        let isLegal = !node.isEmpty && node.utf8.count <= 200 && !node.contains { "+#\0".contains($0) }
        guard isLegal else { throw ValidationError("--node must be a part of a topic, without + and #.") }
    }

    /// Who to talk to: the link, and `<base>/<node>`.
    ///
    /// - Parameters:
    ///   - settings: If the verb has them already.
    ///   - output: What the command writes to: it ends with success when nobody reads that any more.
    func daemon(
        _ settings: BrokerSettings? = nil,
        timeout: Duration,
        output: Terminal? = nil
    ) async throws -> (link: MQTTConfiguration, root: String) {
        let settings = try settings ?? address.settings(node: node)
        let (link, base) = try address.broker(settings)
        if let node = node ?? settings.loaded.values.node { return (link, "\(base)/\(node)") }
        let found = try await findNode(link, base: base, timeout: timeout, output: output)
        return (link, "\(base)/\(found)")
    }

    private static func online(_ read: JSONObject) -> [String] {
        ListReport(.nodes, read, time: .ofThisMachine).online
    }

    /// The hint for a misspelt node: the nearest that is online; empty if the node itself is, or none was named.
    func hint(_ daemon: (link: MQTTConfiguration, root: String)) async -> String {
        guard let node, daemon.root.hasSuffix("/\(node)") else { return "" }
        let base = String(daemon.root.dropLast(node.count + 1))
        let read = try? await BrokerSession(daemon.link)
            .retained(below: base, [Topics(root: "+").status], within: .seconds(2), isPatient: false)
        let nodes = Self.online(read ?? [:])
        return nodes.contains(node) ? "" : NearestName.hint(for: node, among: nodes)
    }

    private func findNode(
        _ link: MQTTConfiguration,
        base: String,
        timeout: Duration,
        output: Terminal?
    ) async throws -> String {
        let read = try await BrokerSession(link)
            .retained(below: base, [Topics(root: "+").status], within: timeout, output: output) {
                !Self.online($0).isEmpty
            }
        guard let read else { throw ExitCode.success }
        let nodes = Self.online(read)
        guard nodes.count <= 1 else {
            let lines = ["several daemons are online; choose one with --node:"] + nodes.map { "  \($0)" }
            throw VerbError(lines.joined(separator: "\n"), .usage)
        }
        guard let node = nodes.first else {
            throw VerbError(
                "no daemon is online at \(link.address) under \(base)/; is trilateral running?",
                .unavailable
            )
        }
        return node
    }
}

extension MQTTError {
    /// Whether trying again would end in the same way.
    var isFinal: Bool {
        switch self {
        case .notAuthorised, .tls, .configuration: true
        case .unreachable, .refused, .noAnswer, .malformed, .lost, .endedByBroker, .unacknowledged,
            .reconfigured:
            false
        }
    }
}

extension Duration {
    /// `5 s`, `0.5 s`.
    var inSeconds: String {
        let (seconds, attoseconds) = components
        let tenths = attoseconds / 100_000_000_000_000_000
        return tenths == 0 ? "\(seconds) s" : "\(seconds).\(tenths) s"
    }
}
