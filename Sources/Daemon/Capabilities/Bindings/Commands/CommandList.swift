import Accounts
import Bindings
import Flare
import Foundation
import JSON
import People
import Things

/// The commands of a thing as the command log has them, with what was set without a command.
///
/// - Source: contrib/contract/bindings.md, "Routes".
struct CommandList {
    let binding: BindingID
    let thing: FlareID
    let store: AccountsStore

    /// What the log calls the commands that are listed, beside those of things with owners.
    private static let plain: Set<String> = ["set", "action"]
    /// Rows that are read at once.
    private static let page = 500
    /// What the identifiers of what was set without a command begin with.
    private static let prefix = "log."

    struct Page {
        /// The newest ones first.
        var entries: [CommandLogEntry] = []
        /// Where the next page begins; `nil` if this is the last one.
        var next: String?

        /// What was done without a command has its row up to a second later.
        fileprivate var sorted: Page {
            Page(entries: entries.sorted { ($0.at, $0.seq) > ($1.at, $1.seq) }, next: next)
        }
    }

    /// - Parameters:
    ///   - key: ``Page/next`` of the page before.
    func page(_ limit: Int, after key: String?) throws(BindingsError) -> Page {
        var query = LogQuery()
        query.object = .id("\(thing)")
        query.limit = Self.page
        query.before = .max
        if let key { query.before = try position(key) }
        var page = Page()
        while true {
            let rows = try withBindingsErrors { () throws(AccountsError) in try store.log(query) }
            for entry in rows.reversed() where isListed(entry) {
                guard page.entries.count < limit else {
                    page.next = page.entries.last.map { self.key($0.seq) }
                    return page.sorted
                }
                page.entries.append(entry)
            }
            guard rows.count == Self.page, let oldest = rows.first?.seq else { return page.sorted }
            query.before = oldest
        }
    }

    /// One command; `nil` if the thing has none with this identifier.
    func entry(_ id: String) throws(BindingsError) -> CommandLogEntry? {
        let found = try withBindingsErrors { () throws(AccountsError) in
            guard id.hasPrefix(Self.prefix) else { return try store.logRow(ofCommand: id) }
            guard let seq = Int64(id.dropFirst(Self.prefix.count)) else { return nil }
            return try store.logRow(seq)
        }
        return found.flatMap { isListed($0) && $0.target == "\(thing)" ? $0 : nil }
    }

    private func isListed(_ entry: CommandLogEntry) -> Bool {
        guard entry.kind == StoredThingCommand.kind else { return Self.plain.contains(entry.kind) }
        return StoredThingCommand(entry)?.command.thing == binding
    }

    // MARK: Keys of pages

    private func key(_ seq: Int64) -> String {
        Data("\(seq) \(binding)".utf8).base64EncodedString().replacing("+", with: "-").replacing(
            "/",
            with: "_"
        )
        .replacing("=", with: "")
    }

    private func position(_ key: String) throws(BindingsError) -> Int64 {
        let text = key.replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        let words = Data(base64Encoded: text + padding).map { String(decoding: $0, as: UTF8.self) }?
            .split(separator: " ")
        guard let words, words.count == 2, words[1] == "\(binding)", let seq = Int64(words[0]), seq > 0 else {
            throw .refused(
                .invalidValue,
                "paginationKey must be the nextPaginationKey of an answer about the same thing",
                field: "paginationKey"
            )
        }
        return seq
    }

    // MARK: Bodies

    /// A row as lists of commands have it.
    ///
    /// - Parameter isForThing: Whether the thing itself reads it.
    func json(_ entry: CommandLogEntry, isForThing: Bool) -> JSONObject {
        if let command = StoredThingCommand(entry) { return command.json(isForThing: isForThing) }
        let actions = actions(of: entry)
        let rejected = Self.object(entry.results)?["rejected"]?.object ?? [:]
        let results = actions.map { action in
            let code = entry.code ?? rejected[action.name]?.string
            return ActionResult(action.name, isSucceeded: code == nil, errorMessage: code)
        }
        let isDone = entry.code == nil && rejected.isEmpty
        // A damaged row may say anything.
        let took = Int64(exactly: (entry.took ?? 0).rounded()) ?? 0
        let (end, isOver) = entry.at.addingReportingOverflow(took)
        var json: JSONObject = [
            "commandID": .string("\(Self.prefix)\(entry.seq)"), "target": .string("thing:\(binding)"),
            "issuer": .string(entry.caller == "nobody" ? "user:none" : entry.caller), "schema": "",
            "schemaVersion": 0, "actions": .array(actions.map(\.json)),
            "actionResults": .array(results.map(\.json)),
            "commandState": .string((isDone ? CommandState.done : .incomplete).rawValue),
            "createdAt": JSONValue(Int(entry.at)), "modifiedAt": JSONValue(Int(isOver ? entry.at : end)),
        ]
        json["firedByTriggerID"] = entry.source.flatMap { RuleSource($0) }.map { .string($0.triggerID) }
        return json
    }

    /// What was set or done without a command, one action for each.
    private func actions(of entry: CommandLogEntry) -> [CommandAction] {
        guard let values = Self.object(entry.actions) else { return [] }
        if entry.kind == "action" {
            return (values["action"]?.string).map { [CommandAction($0, true)] } ?? []
        }
        return values.map { CommandAction($0.key, $0.value) }
    }

    private static func object(_ text: String?) -> JSONObject? {
        text.flatMap { try? JSONValue(parsing: $0) }?.object
    }
}
