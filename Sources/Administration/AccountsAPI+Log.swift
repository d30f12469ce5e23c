import Accounts
import Flare
import JSON
import People
import Text

extension AccountsAPI {
    /// The most rows of one answer.
    private static let mostRows = 10_000

    /// For who administers; newest last.
    func log(_ call: AccountsCall) async throws(AccountsError) -> AccountsResponse {
        try call.requireAdministration()
        let words = try call.query("thing", "user", "since", "before", "limit")
        var query = LogQuery()
        if let thing = words["thing"] { query.object = try await logged(thing, call) }
        query.caller = try words["user"].map { word throws(AccountsError) in try caller(word, call.table) }
        query.since = try words["since"].map { text throws(AccountsError) in try parseTime(text) }
        if let text = words["before"] {
            guard let number = Int64(text), number > 0 else {
                throw .badValue("before must be the number of a row, 1 or more (is \(quoted(text)))")
            }
            query.before = number
        }
        if let text = words["limit"] {
            guard let limit = Int(text), (1...Self.mostRows).contains(limit) else {
                throw .badValue("limit must be 1 to \(Self.mostRows) (is \(quoted(text)))")
            }
            query.limit = limit
        }
        // On a full disk what is stored can still be read.
        try? registry.flush()
        return AccountsResponse(200, .array(try registry.store.log(query).map(\.json)))
    }

    /// A thing as rows have it: by its identifier, whatever it was called, if it is there or was.
    ///
    /// - Throws: If it is not there, and no row is about it.
    private func logged(_ word: String, _ call: AccountsCall) async throws(AccountsError) -> LogQuery.Object {
        if let (found, _) = try await object(.thing, word, call) { return .id("\(found.id)") }
        var query = LogQuery()
        let gone = await goneObject(.thing, word)
        let object = gone.map { LogQuery.Object.id("\($0)") } ?? .name(word)
        (query.object, query.limit) = (object, 1)
        try? registry.flush()
        guard try registry.store.log(query).isEmpty else { return object }
        let slugs = await place.slugs(place.all(.thing)).values.sorted()
        throw .unknown(
            "there is no thing \(quoted(word)), and nothing in the log about one\(hint(word, slugs))"
        )
    }

    /// Somebody as rows have them: a user by name, also one who was removed; `system:anna` or `nobody`.
    private func caller(_ word: String, _ table: AccessTable) throws(AccountsError) -> String {
        let caller = word.contains(":") || word == "nobody" ? word : "user:\(word)"
        if caller == "nobody" || table.user(named: word) != nil { return caller }
        try? registry.flush()
        guard try registry.store.hasLog(of: caller) else {
            let who = word.contains(":") ? "nothing is in the log of" : "there is no user"
            throw .unknown("\(who) \(quoted(word))\(hint(word, table.users.map(\.name)))")
        }
        return caller
    }
}

extension CommandLogEntry {
    /// A row as JSON: the columns of the table `command`.
    fileprivate var json: JSONValue {
        [
            "seq": JSONValue(Int(clamping: seq)), "id": .text(id),
            "at": .string("\(CivilTime(milliseconds: at))"),
            "epoch": .text(epoch), "face": .string(interface), "speaker": .string(caller),
            "source": .text(source),
            "kind": .string(kind), "target": .text(target), "slug": .text(slug), "node": .text(node),
            "actions": Self.value(actions), "results": Self.value(results), "state": .string(state),
            "code": .text(code), "tx": Self.value(tx), "took_ms": took.map { .number($0) } ?? .null,
            "times": JSONValue(Int(clamping: times)),
        ]
    }

    /// Stored JSON; what was clipped stays text.
    private static func value(_ text: String?) -> JSONValue {
        guard let text else { return .null }
        return (try? JSONValue(parsing: text.utf8)) ?? .string(text)
    }
}
