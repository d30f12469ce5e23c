package import Bindings
package import Flare
package import GRDB
import JSON
import People
import Text

/// A command of a thing with owners, as the command log has it from its beginning on.
///
/// Its actions and results are not cut off, since their lengths were checked.
/// - Source: contrib/contract/people.md, "The command log".
package struct StoredThingCommand: Sendable, Hashable {
    package var command: ThingCommand
    /// The thing of the place that it is for.
    package let target: FlareID
    package var slug: String?
    package var epoch: String?
    /// `mqtt`, `thing-if` and so on.
    package var interface: String
    /// `user:bob`, or `nobody`.
    package var caller: String
    /// An address or a topic.
    package var source: String?
    /// JSON.
    package var tx: String?
    /// Whether it has no row yet.
    package var isNew: Bool

    package init(
        _ command: ThingCommand,
        for target: FlareID,
        interface: String,
        caller: String,
        isNew: Bool = true
    ) {
        (self.command, self.target) = (command, target)
        (self.interface, self.caller, self.isNew) = (interface, caller, isNew)
    }

    /// The word for it in the log.
    package static let kind = "command"
}

// MARK: - Writing

extension StoredThingCommand {
    /// Adds its row, or changes it.
    package func write(_ database: Database) throws {
        guard isNew else {
            return try database.execute(
                sql: "UPDATE command SET results = ?, state = ?, details = ?, took_ms = ? WHERE id = ?",
                arguments: [results, command.state.rawValue, details, took, command.id]
            )
        }
        try database.execute(
            sql: """
                INSERT INTO command (id, at, epoch, face, speaker, source, kind, target, slug, actions, results, state,
                    tx, took_ms, times, details) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?)
                """,
            arguments: [
                command.id, command.created, epoch, interface, caller, source, Self.kind, "\(target)", slug,
                JSONValue.array(command.request.actions.map(\.json)).text, results, command.state.rawValue,
                tx, took, details,
            ]
        )
    }

    /// By action, null for one without a result; `nil` if no action has one.
    private var results: String? {
        guard command.results.contains(where: { $0 != nil }) else { return nil }
        let all = JSONValue.array(command.results.map { $0?.json ?? .null })
        // A thing may say anything.
        return SecretMask.tokens.masked(all).text
    }

    private var took: Double? {
        command.state.isOpen ? nil : Double(command.modified &- command.created)
    }

    private var details: String {
        let request = command.request
        var details: JSONObject = [
            "binding": .string("\(command.thing)"), "schema": .string(request.schema),
            "schemaVersion": JSONValue(request.schemaVersion), "deadline": JSONValue(Int(command.deadline)),
            "modified": JSONValue(Int(command.modified)),
        ]
        details["issuer"] = command.issuer.map { .string("\($0)") }
        details["title"] = request.title.map { .string($0) }
        details["description"] = request.description.map { .string($0) }
        details["metadata"] = request.metadata.map { .object($0) }
        details["cause"] = command.cause.map { .string($0.rawValue) }
        return JSONValue.object(details).text
    }
}

// MARK: - Reading

extension StoredThingCommand {
    /// `nil` for a row of something else, and for a damaged one.
    package init?(_ entry: CommandLogEntry) {
        guard let id = entry.id, entry.kind == Self.kind, let state = CommandState(rawValue: entry.state),
            let target = entry.target.flatMap({ FlareID($0) }),
            let details = entry.details.flatMap({ JSONObject(stored: $0) }),
            let binding = (details["binding"]?.string).flatMap({ BindingID($0) }),
            let deadline = details["deadline"]?.integer.map(Int64.init),
            let listed = Self.list(entry.actions)
        else { return nil }
        let actions = listed.compactMap(CommandAction.init(stored:))
        guard !actions.isEmpty, actions.count == listed.count else { return nil }
        let request = CommandRequest(
            actions,
            schema: details["schema"]?.string ?? "",
            schemaVersion: details["schemaVersion"]?.integer ?? 0,
            title: details["title"]?.string,
            description: details["description"]?.string,
            metadata: details["metadata"]?.object
        )
        let results = Self.list(entry.results) ?? []
        let command = ThingCommand(
            id,
            of: binding,
            request,
            issuer: (details["issuer"]?.string).flatMap { Grantee($0) },
            created: entry.at,
            deadline: deadline,
            state: state,
            results: zip(actions, results).map { ActionResult(stored: $1, of: $0) },
            cause: (details["cause"]?.string).flatMap { ThingCommand.Cause(rawValue: $0) },
            modified: details["modified"]?.integer.map(Int64.init)
        )
        self.init(command, for: target, interface: entry.interface, caller: entry.caller, isNew: false)
        (slug, epoch, source, tx) = (entry.slug, entry.epoch, entry.source, entry.tx)
    }

    private static func list(_ text: String?) -> [JSONValue]? {
        text.flatMap { try? JSONValue(parsing: $0) }?.array
    }
}

extension CommandAction {
    fileprivate init?(stored json: JSONValue) {
        guard let members = json.object, members.count == 1, let (name, value) = members.first else {
            return nil
        }
        self.init(name, value)
    }
}

extension ActionResult {
    /// `nil` for an action without a result.
    fileprivate init?(stored json: JSONValue, of action: CommandAction) {
        guard let result = json[action.name]?.object, let isSucceeded = result["succeeded"]?.bool else {
            return nil
        }
        self.init(
            action.name,
            isSucceeded: isSucceeded,
            errorMessage: result["errorMessage"]?.string,
            data: result["data"]
        )
    }
}
