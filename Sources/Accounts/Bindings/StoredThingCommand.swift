package import Bindings
package import Flare
package import GRDB
package import JSON
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
    /// The same as the only change of its row since an earlier one was to be written; `nil` if that is another command's.
    package func replacing(_ earlier: StoredThingCommand) -> StoredThingCommand? {
        guard earlier.command.id == command.id else { return nil }
        var both = self
        both.isNew = earlier.isNew
        return both
    }

    /// Adds its row, or changes it.
    package func write(_ database: Database) throws {
        var statement = try RepeatedStatement(isNew ? Self.insertion : Self.update, database)
        try statement.run { if isNew { addAll(to: &$0) } else { addChanges(to: &$0) } }
    }

    private static let insertion = """
        INSERT INTO command (id, at, epoch, face, speaker, source, kind, target, slug, actions, results, state,
            tx, took_ms, times, details) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?)
        """
    private static let update = """
        UPDATE command SET results = ?, state = ?, details = ?, took_ms = ? WHERE id = ?
        """

    private func addAll(to values: inout BoundValues) {
        values.add(command.id)
        values.add(command.created)
        values.add(epoch)
        values.add(interface)
        values.add(caller)
        values.add(source)
        values.add(Self.kind)
        values.add(target.description)
        values.add(slug)
        values.addJSON { $0.writeList(command.request.actions) { $0.write($1.json) } }
        addResults(to: &values)
        values.add(command.state.rawValue)
        values.add(tx)
        values.add(took)
        addDetails(to: &values)
    }

    private func addChanges(to values: inout BoundValues) {
        addResults(to: &values)
        values.add(command.state.rawValue)
        addDetails(to: &values)
        values.add(took)
        values.add(command.id)
    }

    /// By action, null for one without a result; NULL if no action has one.
    private func addResults(to values: inout BoundValues) {
        guard command.results.contains(where: { $0 != nil }) else { return values.addNull() }
        let all = JSONValue.array(command.results.map { $0?.json ?? .null })
        // A thing may say anything.
        let masked = SecretMask.tokens.masked(all)
        values.addJSON { $0.write(masked) }
    }

    private var took: Double? {
        command.state.isOpen ? nil : Double(command.modified &- command.created)
    }

    /// In the order of the keys; members that have their defaults are left out.
    private func addDetails(to values: inout BoundValues) {
        let request = command.request
        values.addJSON { json in
            json.writeObject { details in
                details.add("binding", command.thing.description)
                details.add("cause", command.cause?.rawValue)
                details.add("deadline", Int(command.deadline))
                details.add("description", request.description)
                details.add("issuer", command.issuer?.description)
                if let metadata = request.metadata { details.add("metadata", metadata) }
                if command.modified != command.created { details.add("modified", Int(command.modified)) }
                if !request.schema.isEmpty { details.add("schema", request.schema) }
                if request.schemaVersion != 0 { details.add("schemaVersion", request.schemaVersion) }
                details.add("title", request.title)
            }
        }
    }
}

// MARK: - Reading

extension StoredThingCommand {
    /// The command as programs for Thing-IF read it.
    ///
    /// - Parameter isForThing: Whether the thing itself reads it.
    package func json(isForThing: Bool = false) -> JSONObject {
        var json = isForThing ? command.jsonForThing : command.json
        json["firedByTriggerID"] = source.flatMap { RuleSource($0) }.map { .string($0.triggerID) }
        return json
    }

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
