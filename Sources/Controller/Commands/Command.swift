package import Flare
package import JSON
package import People
package import Things

/// A request to change or read something, from MQTT, a kiosk or the command line.
package struct Command: Sendable, Hashable {
    /// Chosen by the sender's adapter to match the answer to the command.
    package var ticket: Int
    package var operation: Operation
    /// The sender's transaction identifier, returned unchanged in the answer.
    package var tx: JSONValue?
    package var actor: Actor
    /// Who sends it; `nil` if nobody is identified, which is refused.
    package var caller: Caller?
    /// Where it came from, for the log: an address or a topic.
    package var source: String?
    /// The slice that gives it as a part of its own work, and gets the answer instead of a client; `nil` for none.
    ///
    /// Policies and rights see the sender as in any command. A part is not logged by itself, and not explained.
    package var owner: (any Slice.Type)? {
        get { part?.owner }
        set { part = CommandPart(owner: newValue, batch: batch, node: node) }
    }
    /// With which other commands for the same thing at the edge it is sent; `nil` for one that is sent alone.
    package var batch: EdgeBatch? {
        get { part?.batch }
        set { part = CommandPart(owner: owner, batch: newValue, node: node) }
    }
    /// The further node that it came to; `nil` for the daemon's own.
    var node: String? {
        get { part?.node }
        set { part = CommandPart(owner: owner, batch: batch, node: newValue) }
    }
    /// Behind a reference: commands are copied often, and hardly any is a part.
    private var part: CommandPart?
    /// When the controller took it up.
    var received: Instant?
    /// The number of the event with which it did, and asked for the rights of its sender.
    var event = 0

    package init(
        ticket: Int,
        operation: Operation,
        tx: JSONValue? = nil,
        actor: Actor = .broker,
        caller: Caller?,
        source: String? = nil,
        owner: (any Slice.Type)? = nil,
        batch: EdgeBatch? = nil
    ) {
        self.ticket = ticket
        self.operation = operation
        self.tx = tx
        self.actor = actor
        self.caller = caller
        self.source = source
        part = CommandPart(owner: owner, batch: batch, node: nil)
    }

    /// The cause of the changes that it makes.
    var cause: ChangeEvent.Cause { ChangeEvent.Cause(actor == .lamp ? "link" : "command", tx: tx) }

    /// The source of a command, to which the answer goes.
    package enum Actor: String, Sendable, Hashable {
        /// An MQTT client.
        case broker
        /// The kiosk page, or another client of the web interface.
        case kiosk
        /// A physical lamp, through its link: it reports a change made at the lamp itself.
        case lamp
        /// A client of the embedded Flare server, by REST or Socket.IO.
        case flareClient
        /// A rule of the controller itself, such as brightness by proximity.
        case controller
    }

    /// The target of a command.
    package enum Target: Sendable, Hashable {
        /// The nearby thing; refused as stale if `ifID` (slug or identifier) names another one.
        case nearby(ifID: String?)
        /// A thing by slug or identifier, as received.
        case thing(String)
        /// All lights of a zone, by slug or identifier as received; each applies what it supports.
        case zone(String)
    }
}

/// What a command is a part of, and where it came to.
private final class CommandPart: Sendable, Hashable {
    let owner: (any Slice.Type)?
    let batch: EdgeBatch?
    let node: String?

    /// - Returns: `nil` for a command that is no part of anything.
    init?(owner: (any Slice.Type)?, batch: EdgeBatch?, node: String?) {
        guard owner != nil || batch != nil || node != nil else { return nil }
        (self.owner, self.batch, self.node) = (owner, batch, node)
    }

    static func == (one: CommandPart, other: CommandPart) -> Bool {
        one.owner == other.owner && one.batch == other.batch && one.node == other.node
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(owner.map { ObjectIdentifier($0) })
        hasher.combine(batch)
        hasher.combine(node)
    }
}

/// The sensors that can be switched on and off.
package enum SensorKind: String, Sendable, Hashable, CaseIterable {
    case gps, beacons, cmx, compass
}

/// The answer to a command; each command gets exactly one.
package struct Answer: Sendable, Hashable {
    package var ticket: Int
    package var tx: JSONValue?
    /// The source of the command; tickets are unique per source.
    package var actor = Command.Actor.broker
    /// The further node that the command came to; `nil` for the daemon's own.
    ///
    /// Tickets are unique per node, too.
    package internal(set) var node: String?
    package var subject: Subject
    /// The target, if it was resolved.
    package var target: Target?
    /// The accepted fields with their values.
    package var accepted: JSONObject = [:]
    /// The rejected fields with the reasons.
    package var rejected: [String: RefusalCode] = [:]
    /// The requested data, as for `get`, `ping` and `snapshot`.
    package var data: JSONValue?
    /// What is legal in the change, but hardly meant.
    package var warnings: [Warning] = []
    /// The place that was read.
    package var place: PlaceContents?
    /// Why the command was refused; `nil` if it was carried out.
    package var refusal: Refusal?
    /// Whether the sender may not see what contains the target.
    package var isContainerHidden = false

    package init(ticket: Int, tx: JSONValue?, subject: Subject, target: Target? = nil) {
        self.ticket = ticket
        self.tx = tx
        self.subject = subject
        self.target = target
    }

    /// The last level of the response topic, `B/response/…`.
    package enum Subject: Sendable, Hashable {
        /// Set commands and actions.
        case set
        case get
        /// A request, by its verb as received.
        case verb(String)
    }

    package struct Warning: Sendable, Hashable {
        /// Path of the member, such as `perimeter.size`; `nil` if it is the object itself.
        package var field: String?
        package var message: String

        package init(field: String?, message: String) { (self.field, self.message) = (field, message) }
    }

    package struct Target: Sendable, Hashable {
        /// `thing`, `zone`, `device`, `environment`, `sensor`, `lifecycle`, `display`.
        package var kind: String
        package var slug: String
        /// The object itself; `nil` for a sensor, the lifecycle and a display.
        package var object: ObjectReference?

        package init(kind: String, slug: String, object: ObjectReference? = nil) {
            self.kind = kind
            self.slug = slug
            self.object = object
        }
    }
}
