package import Flare

/// One real change, told once and in order: a message on `B/event/<topic>`.
package struct ChangeEvent: Sendable, Hashable {
    package enum Topic: String, Sendable, Hashable {
        case environment, zone, device, nearby, thing, lifecycle, bridge
    }

    package var topic: Topic
    /// The `event_type`: `selected`, `enter`, `near`, `changed` and so on.
    package var type: String
    /// Counted within one epoch, from 1.
    package var sequence: Int
    package var at: Instant
    package var id: FlareID?
    package var slug: String?
    /// What the object is called; `nil` for what has no name, or is not known any more.
    package var name: String?
    /// The values that changed, as they were and as they are; absent for what has no value.
    package var before: JSONValue?
    package var after: JSONValue?
    /// The names of what changed.
    package var changed: [String]
    package var cause: Cause
    /// Further members, such as the `action` of a thing's `action` event.
    package var details: [String: JSONValue]

    package init(
        topic: Topic,
        type: String,
        sequence: Int,
        at: Instant,
        id: FlareID? = nil,
        slug: String? = nil,
        name: String? = nil,
        before: JSONValue? = nil,
        after: JSONValue? = nil,
        changed: [String] = [],
        cause: Cause,
        details: [String: JSONValue] = [:]
    ) {
        self.topic = topic
        self.type = type
        self.sequence = sequence
        self.at = at
        self.id = id
        self.slug = slug
        self.name = name
        self.before = before
        self.after = after
        self.changed = changed
        self.cause = cause
        self.details = details
    }

    /// Who or what made the change.
    package struct Cause: Sendable, Hashable {
        /// `server`, `command`, `beacons`, `compass`, `gps`, `start` and so on.
        package var source: String
        package var tx: JSONValue?

        package init(_ source: String, tx: JSONValue? = nil) {
            self.source = source
            self.tx = tx
        }
    }
}
