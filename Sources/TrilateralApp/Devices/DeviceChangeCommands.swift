import ArgumentParser
import JSON
import OperatingSystem
import People
import Receivers
import Settings
import Text

/// What a device is heard as: ids on the command line, and identity keys, which never are there.
struct HeardAsOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            An id that it is heard as, as `device heard` prints them: iBeacon:UUID-MAJOR-MINOR, \
            eddystone:NAMESPACE-INSTANCE, phone:NAME, mac:ADDRESS. Repeat it for more.
            """,
            valueName: "id"
        )
    )
    var heardAs: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            A file with an identity key (IRK) and nothing else: 32 hexadecimal digits, or base64. With - it is asked for on \
            the terminal and not shown, or is the first line of standard input. Repeat it for more.
            """,
            valueName: "file"
        ),
        completion: .file()
    )
    var irkFile: [String] = []

    /// People try these first; without them the parser would only say that it does not know them, or that a value is missing.
    @Option(
        name: [.customLong("irk"), .customLong("key")],
        defaultAsFlag: "",
        parsing: .next,
        help: .hidden
    )
    var key: String?

    /// Refuses keys as arguments, which others on this machine can see.
    func check() throws {
        guard key == nil, !heardAs.contains(where: Self.isKey) else {
            throw ValidationError(
                "an identity key is not given on the command line, where it would stand in the shell's history and in the list "
                    + "of processes: use --irk-file FILE, and clear the key from the history"
            )
        }
        if irkFile.count(where: { $0 == "-" }) > 1 {
            throw ValidationError("give --irk-file - once")
        }
    }

    /// Whether an id may be a key, or part of one; a key's name has at most 16 letters.
    static func isKey(_ id: String) -> Bool {
        let words = id.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let isNamed = words.count == 2 && words.first?.lowercased() == "irk"
        let rest = isNamed ? String(words.last ?? "") : id
        let digits = rest.utf8.filter { !": -".utf8.contains($0) }
        let isHexadecimal = digits.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
        // Of the digits of a key, some may be missing; a beacon whose kind is forgotten has hyphens.
        let isKeyWithSlip = (24...40).contains(digits.count) && !id.contains("-")
        return isNamed && digits.count > 16 || isHexadecimal && (digits.count == 32 || isKeyWithSlip)
    }

    /// The ids, with the keys that were read.
    func ids() async throws -> [JSONValue] {
        var ids = heardAs.map { JSONValue.string($0) }
        for file in irkFile { ids.append(.string("irk:" + (try await Self.key(in: file)))) }
        return ids
    }

    private static func key(in file: String) async throws -> String {
        guard file == "-" else {
            switch Secret.load(file) {
            case .success(let found):
                if let warning = found.warning { StandardError.report("warning: \(warning)") }
                return try trimmed(found.secret.reveal(), from: file)
            case .failure(let error): throw VerbError("\(file) \(error.message)", ExitCode(error))
            }
        }
        if StandardInput.canAsk {
            return try trimmed(
                try await StandardInput.ask("Identity key: ", isHidden: true) ?? "",
                from: "the answer"
            )
        }
        for await line in StandardInput.lines(most: 1) { return try trimmed(line, from: "standard input") }
        throw VerbError("standard input is empty", .dataError)
    }

    private static func trimmed(_ text: String, from source: String) throws(VerbError) -> String {
        guard !text.isBlank else { throw VerbError("\(source) is empty", .dataError) }
        var text = text[...]
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        // Some programs show it like this.
        let key = text.lowercased().hasPrefix("irk:") ? String(text.dropFirst(4)) : String(text)
        // Here the file has a name; the daemon would only speak of an id of the device.
        do throws(IdentityKeyError) {
            _ = try IdentityKey(text: key)
        } catch {
            throw VerbError("\(source): \(error)", .dataError)
        }
        return key
    }
}

struct DeviceAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add a device; prints its node.",
        discussion: """
            From then on its topics are below NODE on the broker. It needs at least one id that it is heard as, an identity \
            key, or a location: without any it is never anywhere.
            """
    )

    @Argument(help: "The node: 1 to 48 of a-z, 0-9 and single hyphens; it cannot be changed.")
    var node: String

    @Option(help: "Its name for people; without it the node.")
    var name: String?

    @OptionGroup var heard: HeardAsOptions

    @Option(help: "What it is: phone, watch, tag, badge, tablet, pet or other.")
    var kind: String?

    @Option(help: "Whose it is: a user, who then owns it.", completion: .users)
    var user: String?

    @Option(help: "A topic with its location by GPS, such as owntracks/anna/phone.")
    var location: String?

    @OptionGroup var people: AdministrationOption

    func validate() throws {
        try heard.check()
    }

    func run() async throws {
        // Not while the command line is read: an unknown option is the likelier mistake, and is named after that.
        guard !heard.heardAs.isEmpty || !heard.irkFile.isEmpty || location != nil else {
            throw VerbError(
                "give --heard-as, --irk-file or --location: without any it is never anywhere",
                .usage
            )
        }
        let body: [String: JSONValue?] = [
            "node": .string(node), "name": name.map { .string($0) }, "kind": kind.map { .string($0) },
            "user": user.map { .string($0) }, "location": location.map { .string($0) },
            "heard_as": .array(try await heard.ids()),
        ]
        let answer = try await people.ask(.post, [DeviceCommand.route], body: body, needsDaemon: true)
        try StandardOutput.print(ListOption.text(answer["node"] ?? .null))
        DeviceCommand.report(warningsOf: answer)
        StandardError.tellPerson("Added device \(node).")
    }
}

struct DeviceEditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit",
        abstract: "Change a device.",
        discussion: """
            An empty text removes what it stands for: --user "". With --heard-as these ids stand instead of all others; \
            'irk:***' keeps an identity key that is there. --irk-file alone adds a key to what is there.
            """
    )

    @OptionGroup var device: DeviceArgument

    /// People look for it; without it the parser would advise --name.
    @Option(help: .hidden)
    var node: String?

    @Option(help: "Another name for people.")
    var name: String?

    @OptionGroup var heard: HeardAsOptions

    @Option(help: "What it is: phone, watch, tag, badge, tablet, pet or other.")
    var kind: String?

    @Option(help: "Whose it is: a user, who then owns it.", completion: .users)
    var user: String?

    @Option(help: "A topic with its location by GPS, such as owntracks/anna/phone.")
    var location: String?

    @OptionGroup var people: AdministrationOption

    func validate() throws {
        try heard.check()
        guard node == nil else {
            throw ValidationError(
                "the node of a device cannot be changed: `trilateral device rm` removes the device, and `trilateral device add` "
                    + "adds it with another node"
            )
        }
    }

    func run() async throws {
        let texts = [name, kind, user, location]
        guard texts.contains(where: { $0 != nil }) || !heard.heardAs.isEmpty || !heard.irkFile.isEmpty else {
            throw VerbError(
                "nothing to change: give --name, --heard-as, --irk-file, --kind, --user or --location",
                .usage
            )
        }
        let path = try device.path()
        var body: [String: JSONValue?] = [:]
        for (key, text) in [("name", name), ("kind", kind), ("user", user), ("location", location)] {
            if let text { body[key] = text.isEmpty ? JSONValue.null : JSONValue.string(text) }
        }
        let named = try await heard.ids()
        // One empty text stands for none.
        var ids = named.filter { $0 != "" }
        let removesIDs = ids.isEmpty && !named.isEmpty
        if heard.heardAs.isEmpty && !ids.isEmpty || removesIDs || location == "" {
            let row = try await people.ask(.get, path, needsDaemon: true)
            let old = row["heard_as"]?.array ?? []
            let remaining = removesIDs ? [] : old + ids
            guard !remaining.isEmpty || (location ?? row["location"]?.string ?? "") != "" else {
                throw VerbError(
                    "\(device.node) would have no id and no location, and so be never anywhere; `trilateral device rm \(device.node)` removes it",
                    .usage
                )
            }
            if heard.heardAs.isEmpty, !ids.isEmpty { ids = remaining }
        }
        if !named.isEmpty { body["heard_as"] = .array(ids) }
        let answer = try await people.ask(.patch, path, body: body, needsDaemon: true)
        DeviceCommand.report(warningsOf: answer)
        StandardError.tellPerson("Changed device \(device.node).")
    }
}
