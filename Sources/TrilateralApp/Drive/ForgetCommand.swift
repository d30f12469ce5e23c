import ArgumentParser
import Foundation
import HomeAssistant
import JSON
import MQTT
import Settings

/// `trilateral forget`: clears everything that the broker keeps of a node.
struct ForgetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Clear everything that a node published, on the broker and in Home Assistant.",
        discussion: """
            Clears every retained topic of the node and removes its devices from Home Assistant, after asking. It stops \
            with 1 while a daemon runs on the node: stop that first. The state folder is not changed.
            """
    )

    @OptionGroup var broker: BrokerAddress

    @Option(help: "The node; without it the one in the configuration, or else the host name.")
    var node: String?

    @Option(help: ArgumentHelp("How long to wait for the broker.", valueName: "seconds"))
    var timeout = 5.0

    @Flag(name: [.customLong("yes"), .customShort("y")], help: "Clear without asking.")
    var isSure = false

    @Flag(help: "Print one line of JSON: the node, and how many topics and devices were cleared.")
    var json = false

    func validate() throws {
        try ConfigurationType.slug.check("--node", node)
        guard (0.1...3600).contains(timeout) else {
            throw ValidationError("--timeout must be 0.1 to 3600 seconds.")
        }
    }

    func run() async throws {
        let settings = try broker.settings(asksDaemon: false)
        let values = settings.loaded.values
        let (link, base) = try broker.broker(settings)
        let cleanup = NodeCleanup(
            link: link,
            root: "\(base)/\(node ?? NodeAddress(values, .ofThisMachine()).node)",
            discoveryPrefix: values.discovery.prefix,
            limit: .milliseconds(Int64(timeout * 1000))
        )
        let found = try await cleanup.survey()
        if !found.isEmpty, !isSure, try await !confirms(found, at: link.address) {
            throw VerbError("nothing was cleared", .failure)
        }
        try await cleanup.clear(found)
        try report(found, at: link.address)
    }

    /// Asks on the terminal; anything but yes is no.
    private func confirms(_ found: RetainedNode, at broker: String) async throws -> Bool {
        guard isatty(0) == 1 else {
            throw VerbError("there is no terminal to ask on; --yes clears without asking", .usage)
        }
        StandardError.print("The broker at \(broker) keeps of \(found.root):")
        StandardError.print("  \(counted(found.topics.count, "retained topic"))")
        StandardError.print("  \(counted(found.devices.count, "Home Assistant device"))")
        return try await StandardInput.confirms("Clear all of it?")
    }

    private func report(_ found: RetainedNode, at broker: String) throws(OutputError) {
        if json {
            let result: JSONValue = [
                "root": .string(found.root), "topics": JSONValue(found.topics.count),
                "devices": JSONValue(found.devices.count),
            ]
            try StandardOutput.print(result.text)
        } else if found.isEmpty {
            try StandardOutput.print("The broker at \(broker) keeps nothing of \(found.root).")
        } else {
            try StandardOutput.write(
                "Cleared \(counted(found.topics.count, "retained topic")) and \(counted(found.devices.count, "Home Assistant device")) of \(found.root).\n"
            )
        }
    }

    private func counted(_ count: Int, _ what: String) -> String {
        "\(count) \(what)\(count == 1 ? "" : "s")"
    }
}
