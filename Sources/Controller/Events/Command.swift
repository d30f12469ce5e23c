package import Flare
package import JSON
package import People
package import Things

/// A request to change or read something, from MQTT, a kiosk or the command line.
package struct Command: Sendable, Hashable {
    /// Chosen by the sender's adapter to match the answer to the command.
    package var ticket: Int
    package var order: Order
    /// The sender's transaction identifier, returned unchanged in the answer.
    package var tx: JSONValue?
    package var actor: Actor
    /// Who sends it; `nil` if nobody is identified, which is refused where users are.
    package var speaker: Speaker?
    /// Where it came from, for the log: an address or a topic.
    package var source: String?
    /// When the controller took it up.
    var received: Instant?

    package init(
        ticket: Int,
        order: Order,
        tx: JSONValue? = nil,
        actor: Actor = .broker,
        speaker: Speaker? = nil,
        source: String? = nil
    ) {
        self.ticket = ticket
        self.order = order
        self.tx = tx
        self.actor = actor
        self.speaker = speaker
        self.source = source
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

    package enum Order: Sendable, Hashable {
        case set(Target, ThingRequest)
        case action(Target, name: String)
        case get(Target)
        case setDevice(DeviceChange)
        case chooseEnvironment(EnvironmentChoice)
        case switchSensor(SensorKind, on: Bool)
        case setLifecycle(LifecycleChange)
        /// A call for a display, by its id, or for every one.
        case show(ScreenCall, display: String)
        /// A new environment, a zone in an environment, or a thing in a zone, by slug or identifier as received.
        case add(FlareClass, ObjectEdit, to: String?)
        /// A change to what an object is, by slug or identifier as received, and another zone for a thing.
        case edit(FlareClass, String, ObjectEdit, zone: String?)
        /// Remove an object; what is in it goes, too, or else it must be empty.
        case remove(FlareClass, String, withContents: Bool)
        /// Read the zones and things of an environment, for who shows them: the answer has all of them.
        case readPlace(FlareID)
        case request(Verb)

        /// Whether it changes nothing, here or elsewhere.
        var onlyReads: Bool {
            switch self {
            case .get, .readPlace, .request(.ping), .request(.snapshot), .request(.explain): true
            case .set, .action, .setDevice, .chooseEnvironment, .switchSensor, .setLifecycle, .show, .add,
                .edit, .remove, .request:
                false
            }
        }
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

    package enum EnvironmentChoice: Sendable, Hashable {
        case next, previous
        /// By slug, identifier or name, as received.
        case named(String)
    }

    /// A change to the lifecycle.
    package enum LifecycleChange: Sendable, Hashable {
        /// What of the lifecycle can be set, as it is called in topics.
        package enum Name: String, Sendable, Hashable, CaseIterable {
            case level, audio, context, language
        }

        /// Forces a level; `nil` lets the inputs decide again.
        case level(LifecycleLevel?)
        case audio(LifecycleAudio)
        case context(LifecycleContext)
        /// A language tag, as received.
        case language(String)
    }

    /// A change to this device; at least one field is set.
    package struct DeviceChange: Sendable, Hashable {
        package var position: Point3D?
        /// Whether the position came without a height: the device's stays.
        package var keepsHeight = false
        /// Compass degrees, 0..<360.
        package var angle: Double?
        package var name: String?

        package init(
            position: Point3D? = nil,
            keepsHeight: Bool = false,
            angle: Double? = nil,
            name: String? = nil
        ) {
            (self.position, self.keepsHeight) = (position, keepsHeight)
            self.angle = angle
            self.name = name
        }
    }

    /// The verb of `B/request/<verb>`.
    package enum Verb: Sendable, Hashable {
        /// The verbs as they are sent; `environment` is the same as `environment/set`.
        package enum Name: String, Sendable, Hashable, CaseIterable {
            case snapshot, ping, refresh, reload, restart, discovery, environment, explain
            case logLevel = "loglevel"
        }

        case snapshot, ping, refresh, reload
        /// Shut down gracefully, then start the program again in the same way.
        case restart
        /// Publish Home Assistant discovery again.
        case discovery
        case logLevel(String)
        /// Explain a part of the current state.
        case explain(Explanation.Subject)
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
