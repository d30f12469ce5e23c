import ArgumentParser
import JSON
import Logging
import People
import Text

/// `trilateral device`: the list of devices, and enrolling.
struct DeviceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device",
        abstract: "Find a phone, watch or tag among what is heard, and list it as a device.",
        discussion: """
            Every device of the list has a node of its own. Devices of the configuration file (devices) are in the list, too; \
            they are changed in the file. All verbs need a daemon that runs, and ask it over its socket.
            """,
        subcommands: [
            DeviceHeardCommand.self, DeviceAddCommand.self, DeviceListCommand.self, DeviceShowCommand.self,
            DeviceEditCommand.self, DeviceRemoveCommand.self,
        ]
    )

    /// The route below `/api/`.
    static let route = "device-settings"

    /// Prints what was accepted and is probably a mistake.
    static func report(warningsOf answer: JSONValue) {
        for warning in answer["warnings"]?.array ?? [] {
            StandardError.report("warning: \(warning["message"]?.string ?? "?")")
        }
    }
}

/// A device, as verbs name it.
struct DeviceArgument: ParsableArguments {
    @Argument(help: ArgumentHelp("The device's node.", valueName: "node"), completion: .devices)
    var node: String

    /// - Throws: ``VerbError`` for what cannot be a node: an empty word would be the path of all devices.
    func path() throws(VerbError) -> [String] {
        guard !node.isBlank, node.utf8.count <= 200 else {
            throw VerbError(
                "there is no device \(QuotedValue.of(node)): `trilateral device list` shows them",
                .noInput
            )
        }
        return [DeviceCommand.route, node]
    }
}

struct DeviceListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Print the devices.",
        discussion: """
            The columns are node, name, kind, user, in which zone it is, when it was heard last, where it is kept (file or \
            database), and what it is heard as; an identity key is irk:***. A device of the database that does not fit the \
            file is marked with !; show says why.
            """
    )

    @OptionGroup var list: ListOption
    @OptionGroup var people: AdministrationOption

    func run() async throws {
        let rows = try await people.ask(.get, [DeviceCommand.route], needsDaemon: true)
        guard !list.json else { return try StandardOutput.print(rows.text) }
        let lines = (rows.array ?? []).map { row in
            ["node", "name", "kind", "user", "zone", "last_seen", "source", "heard_as"].map { member in
                let text = ListOption.text(row[member] ?? .null)
                switch member {
                case "source": return text + (row["problem"] == nil ? "" : " !")
                case "last_seen": return text.isEmpty ? "" : LocalTime.ofThisMachine.dayAndClock(text)
                default: return text
                }
            }
        }
        if lines.isEmpty {
            StandardError.tellPerson(
                "There is no device but the first one. `trilateral device heard` finds one to add."
            )
        }
        try StandardOutput.print(
            TextTable(
                header: ["NODE", "NAME", "KIND", "USER", "ZONE", "SEEN", "SOURCE", "HEARD AS"],
                rows: lines
            )
        )
    }
}

struct DeviceShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Print a device.",
        discussion: "An identity key is irk:***."
    )

    @OptionGroup var device: DeviceArgument
    @OptionGroup var list: ListOption
    @OptionGroup var people: AdministrationOption

    func run() async throws {
        let row = try await people.ask(.get, device.path(), needsDaemon: true)
        try list.write(
            record: row,
            ["node", "name", "kind", "user", "zone", "nearby", "last_seen", "source", "heard_as", "location"]
        )
    }
}

struct DeviceRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm",
        abstract: "Remove a device from the list, and its topics from the broker.",
        discussion: """
            Rights on it (device:NODE) go with it, so that they do not count for another device of this node. While the \
            configuration file has a device of this node, they stay.
            """
    )

    @OptionGroup var device: DeviceArgument

    @Flag(help: "Remove it from the place, too.")
    var place = false

    @OptionGroup var people: AdministrationOption

    func run() async throws {
        let query = ["place": place ? "1" : nil]
        let answer = try await people.ask(.delete, device.path(), query: query, needsDaemon: true)
        guard answer["in_file"] != true else {
            StandardError.report(
                "warning: removed from the database; \(device.node) is still in the configuration file"
            )
            return
        }
        StandardError.tellPerson("Removed device \(device.node).")
        let rights = (answer["grants"]?.array ?? []).map { grant in
            "\(grant["who"]?.string ?? "?") (\(grant["access"]?.string ?? "?"))"
        }
        guard !rights.isEmpty else { return }
        StandardError.report(
            "these rights on it were removed, too: \(rights.joined(separator: ", "))",
            as: .notice
        )
    }
}
