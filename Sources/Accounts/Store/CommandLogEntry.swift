import GRDB
import JSON
import Text

/// A row of the log: a command or an act of administration, carried out or refused.
///
/// No member may hold a secret. Texts are clipped to 4096 characters, except in rows of commands of things with owners.
package struct CommandLogEntry: Sendable, Hashable {
    /// 0 until it is stored; below 0 for refusals of those whom nobody knows.
    package var seq: Int64 = 0
    package var id: String?
    /// Milliseconds since 1970, UTC.
    package var at: Int64
    package var epoch: String?
    /// `mqtt`, `kiosk`, `flare`, `command line` and so on.
    package var interface: String
    /// `user:bob`, `system:anna` (a user of this machine, on its command line) or `nobody`.
    package var caller: String
    /// An address or a topic.
    package var source: String?
    package var kind: String
    package var target: String?
    package var slug: String?
    /// The node that received the command, if that is not the daemon's own; `nil` also for acts of administration.
    package var node: String?
    /// JSON.
    package var actions: String?
    /// JSON.
    package var results: String?
    /// How it ended.
    package var state: String
    /// Why it was refused; `nil` if it was carried out.
    package var code: String?
    package var tx: String?
    /// Milliseconds.
    package var took: Double?
    /// How often it was refused like this within a minute.
    package var times: Int64 = 1
    /// JSON; what a command of a thing with owners has in addition.
    package private(set) var details: String?
    /// Whether it is a refusal of somebody whom nobody knows; these are condensed, and not stored as such.
    package var isOfStranger = false

    package init(at: Int64, interface: String, caller: String, kind: String, state: String) {
        (self.at, self.interface, self.caller, self.kind, self.state) = (at, interface, caller, kind, state)
    }

    init(_ row: Row) {
        (seq, id, at, epoch) = (row["seq"], row["id"], row["at"], row["epoch"])
        (interface, caller, source, kind) = (row["face"], row["speaker"], row["source"], row["kind"])
        (target, slug, actions, results) = (row["target"], row["slug"], row["actions"], row["results"])
        (state, code, tx, took, times) = (row["state"], row["code"], row["tx"], row["took_ms"], row["times"])
        details = row["details"]
        if id == nil, let node = details.flatMap({ JSONObject(stored: $0) })?["node"]?.string {
            (self.node, details) = (node, nil)
        }
    }

    /// The column `details` of a row that is no command of a thing with owners.
    var storedDetails: String? { node.map { JSONValue.object(["node": .string($0)]).text } }

    fileprivate mutating func mask(by mask: SecretMask) {
        func masked(_ text: String?) -> String? { text.map { mask.masked($0) } }
        kind = mask.masked(kind)
        (source, target, slug) = (masked(source), masked(target), masked(slug))
        (actions, results, tx) = (masked(actions), masked(results), masked(tx))
    }
}

extension [CommandLogEntry] {
    /// Takes the secrets out of what somebody sent.
    mutating func mask(by mask: SecretMask) {
        for index in indices { self[index].mask(by: mask) }
    }
}

/// How much of the log is kept.
package struct LogLimits: Sendable, Hashable {
    package var days: Int64 = 90
    package var rows: Int64 = 100_000

    package init() {}
}

/// Which rows of the log are asked for.
package struct LogQuery: Sendable, Hashable {
    /// What rows are about, as they have it.
    package enum Object: Sendable, Hashable {
        /// An identifier. Indexes find its rows, also those that were refused before the object was found.
        case id(String)
        /// A name that only rows have: the whole log is read.
        case name(String)
    }

    package var object: Object?
    /// As rows have it: `user:bob`.
    package var caller: String?
    package var since: Int64?
    /// Only rows of users with smaller numbers, which are older.
    package var before: Int64?
    /// The most rows; the newest count.
    package var limit = 100

    package init() {}
}
