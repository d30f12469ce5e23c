package import Flare
package import JSON

/// One change, published once and in order on `B/event/<topic>`.
package struct ChangeEvent: Sendable, Hashable {
    /// The last level of `B/event/<topic>`.
    package struct Topic: RawRepresentable, Sendable, Hashable {
        package let rawValue: String

        package init(rawValue: String) { self.rawValue = rawValue }

        package static let environment = Topic(rawValue: "environment")
        package static let zone = Topic(rawValue: "zone")
        package static let device = Topic(rawValue: "device")
        package static let nearby = Topic(rawValue: "nearby")
        package static let thing = Topic(rawValue: "thing")
        package static let bridge = Topic(rawValue: "bridge")
        package static let rule = Topic(rawValue: "rule")
    }

    package var topic: Topic
    /// The `event_type`: `selected`, `enter`, `near`, `changed` and so on.
    package var type: String
    /// Sequence number within the epoch, from 1.
    package var sequence: Int
    package var at: Instant
    package var id: FlareID?
    package var slug: String?
    /// The object's name; `nil` if it has none or is unknown.
    package var name: String?
    /// The changed values, before and after; `nil` where there is none.
    package var before: JSONValue?
    package var after: JSONValue?
    /// The names of the changed fields.
    package var changed: [String]
    package var cause: Cause
    /// Further members, such as the `action` of a thing's `action` event.
    package var details: JSONObject
    /// A topic below `B/` where it is published as well, for readers of one object's events; `nil` for none.
    package var furtherTopic: String?

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
        details: JSONObject = [:],
        furtherTopic: String? = nil
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
        self.furtherTopic = furtherTopic
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
