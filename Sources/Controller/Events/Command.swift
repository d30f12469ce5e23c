package import Flare
package import Things

/// What somebody wants changed or told: from MQTT, a kiosk, the command line.
package struct Command: Sendable, Hashable {
    /// Chosen by the sender's adapter, to find the way back for the answer.
    package var ticket: Int
    package var order: Order
    /// The sender's own mark, returned as it was sent.
    package var tx: JSONValue?
    package var speaker: Speaker

    package init(ticket: Int, order: Order, tx: JSONValue? = nil, speaker: Speaker = .broker) {
        self.ticket = ticket
        self.order = order
        self.tx = tx
        self.speaker = speaker
    }

    /// Who asks, and so where the answer goes.
    package enum Speaker: String, Sendable, Hashable {
        /// A client of the broker.
        case broker
        /// A real lamp, through its link: it reports what somebody has done to it.
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
        case request(Verb)
    }

    /// Which thing is meant.
    package enum Target: Sendable, Hashable {
        /// The nearby thing; refused as stale when `ifID` is given and names another one (slug or identifier).
        case nearby(ifID: String?)
        /// A thing by slug or identifier, as it was sent.
        case thing(String)
        /// All lights of a zone, by its slug or identifier as it was sent; each takes what it has of the request.
        case zone(String)
    }

    package enum EnvironmentChoice: Sendable, Hashable {
        case next, previous
        /// By slug, identifier or name, as it was sent.
        case named(String)
    }

    /// What may be changed of the own device; at least one is given.
    package struct DeviceChange: Sendable, Hashable {
        package var position: Point3D?
        /// Compass degrees, 0..<360.
        package var angle: Double?
        package var name: String?

        package init(position: Point3D? = nil, angle: Double? = nil, name: String? = nil) {
            self.position = position
            self.angle = angle
            self.name = name
        }
    }

    /// `request/<verb>`.
    package enum Verb: Sendable, Hashable {
        case snapshot, ping, refresh, reload
        /// End in good order and start the program again, as it was started.
        case restart
        /// Announce everything to Home Assistant again.
        case discovery
        case logLevel(String)
        /// Why something is as it is.
        case explain(Explanation.Subject)
    }
}

/// The four sensors that can be switched.
package enum SensorKind: String, Sendable, Hashable, CaseIterable {
    case gps, beacons, cmx, compass
}

/// The one answer to a command.
package struct Answer: Sendable, Hashable {
    package var ticket: Int
    package var tx: JSONValue?
    /// Who asked; a ticket is of one of them.
    package var speaker = Command.Speaker.broker
    package var subject: Subject
    /// What was meant, once it is known.
    package var target: Target?
    /// The fields that are obeyed.
    package var accepted: [String: JSONValue] = [:]
    /// The fields that are not.
    package var rejected: [String: RefusalCode] = [:]
    /// What was asked for: what a `get`, `ping` or `snapshot` tells.
    package var data: JSONValue?
    /// `nil` when the command was carried out.
    package var refusal: Refusal?

    package init(ticket: Int, tx: JSONValue?, subject: Subject, target: Target? = nil) {
        self.ticket = ticket
        self.tx = tx
        self.subject = subject
        self.target = target
    }

    /// Where the answer belongs: the last level of `B/response/…`.
    package enum Subject: Sendable, Hashable {
        /// Every set and every action.
        case set
        case get
        /// A request, by its verb as it was sent.
        case verb(String)
    }

    package struct Target: Sendable, Hashable {
        /// `thing`, `zone`, `device`, `environment`, `sensor`.
        package var kind: String
        package var slug: String
        /// The object itself; `nil` for a sensor.
        package var object: ObjectReference?

        package init(kind: String, slug: String, object: ObjectReference? = nil) {
            self.kind = kind
            self.slug = slug
            self.object = object
        }
    }
}
