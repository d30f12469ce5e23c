import ArgumentParser
package import JSON
import People

/// What `log` prints of a row.
package enum LogText {
    /// What was meant by its slug, and of several devices, whose command it was.
    package static func target(of row: JSONObject) -> JSONValue? {
        let target = row["slug"]?.string ?? row["target"]?.string
        guard let node = row["node"]?.string else { return target.map { .string($0) } }
        // The slug of a device is its number.
        guard let target, row["kind"] != "device" else { return .string(node) }
        return .string("\(target) (\(node))")
    }
}

/// `trilateral log`: who did what.
struct LogCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Print who did what, and what was refused; newest last.",
        discussion: "With --json, a line of JSON for each row."
    )

    @Option(
        help: ArgumentHelp("Only commands about a thing, by short name or id.", valueName: "thing"),
        completion: .things
    )
    var thing: String?

    @Option(
        help: "Only what somebody did: a user, system:NAME for one of this machine, or nobody.",
        completion: .users
    )
    var user: String?

    @Option(help: ArgumentHelp("Only what happened from then on.", valueName: "time"))
    var since: String?

    @Option(
        help: ArgumentHelp(
            "Only older rows than the one of this number (seq, see --json).",
            valueName: "seq"
        )
    )
    var before: Int?

    @Option(help: "The most rows; the newest count.")
    var limit = 100

    @OptionGroup var list: ListOption
    @OptionGroup var people: AdministrationOption

    func run() async throws {
        let rows = try await people.ask(
            .get,
            ["log"],
            query: [
                "thing": thing, "user": user, "since": since, "before": before.map { "\($0)" },
                "limit": "\(limit)",
            ]
        )
        guard list.json else {
            return try list.write(
                .array((rows.array ?? []).map(Self.shown)),
                Self.columns.map(\.key)
            )
        }
        for row in rows.array ?? [] { try StandardOutput.print(row.text) }
    }

    /// The columns of the table, with the members of a row.
    private static let columns: KeyValuePairs = [
        "time": "at", "who": "speaker", "over": "face", "what": "kind", "target": "target", "result": "state",
        "reason": "code", "times": "times", "values": "actions", "from": "source",
    ]

    /// A row for people.
    private static func shown(_ row: JSONValue) -> JSONValue {
        guard var members = row.object else { return row }
        members["target"] = LogText.target(of: members)
        return .object(JSONObject(columns.compactMap { title, key in members[key].map { (title, $0) } }))
    }
}
