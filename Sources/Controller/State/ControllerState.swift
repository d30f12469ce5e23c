package import Flare

/// Everything that is true here, as far as the controller knows.
package struct ControllerState: Sendable, Hashable {
    /// Names this run; events are counted within it.
    package let epoch: String
    /// The number of the last event.
    package var sequence = 0

    /// All environments the server told of.
    package var environments: [FlareID: FlareEnvironment] = [:]
    package var environmentID: FlareID?
    /// The zones and things of the current environment.
    package var zones: [FlareID: FlareZone] = [:]
    package var things: [FlareID: FlareThing] = [:]

    /// Whether the current environment's zones and things have been read.
    package var isPlaceKnown = false

    package var zoneID: FlareID?
    package var zoneSince: Instant?
    package var nearbyID: FlareID?
    package var nearbySince: Instant?

    /// This device in the current environment; its position and `data.angle` are the current ones.
    package var device: FlareDevice?
    /// How good the device's position is; `nil` before the first one.
    package var fix: PositionFix?
    /// When the compass was heard last, changed or not.
    package var headingAt: Instant?
    /// What the compass says now, degrees; `nil` when it is off, or somebody else has turned the device since.
    package var measuredAngle: Double?
    /// Where on the earth we are, when a GPS told.
    package var location: Location?

    package var sensors: [SensorKind: Bool] = [.gps: true, .beacons: true, .cmx: true, .compass: true]
    package var isLinkUp = false
    /// When each thing, zone, environment or the device last changed here.
    package var changedAt: [ObjectReference: Instant] = [:]
    /// What a running transition leads to, by thing: Flare data values.
    package var goals: [FlareID: [String: JSONValue]] = [:]
    /// How long those transitions take as a whole, seconds.
    package var goalSeconds: [FlareID: Double] = [:]
    /// How the real lamps of things fare that have one.
    package var lamps: [FlareID: LampCondition] = [:]
    /// How the beacons of the place were heard, by their thing.
    package var beacons: [FlareID: BeaconCondition] = [:]
    /// The short names of environments, zones and things.
    package var slugs: SlugRegistry
    /// Open problems, by identifier.
    package var alerts: [String: Alert] = [:]

    package init(epoch: String, slugs: SlugRegistry = SlugRegistry()) {
        self.epoch = epoch
        self.slugs = slugs
    }

    package var environment: FlareEnvironment? { environmentID.flatMap { environments[$0] } }
    package var zone: FlareZone? { zoneID.flatMap { zones[$0] } }
    package var nearby: FlareThing? { nearbyID.flatMap { things[$0] } }

    /// What an object is called; `nil` for one that is not known, or has no name.
    package func name(of object: ObjectReference) -> String? {
        let name =
            switch object.kind {
            case .environment: environments[object.id]?.name
            case .zone: zones[object.id]?.name
            case .thing: things[object.id]?.name
            case .device: device?.id == object.id ? device?.name : nil
            }
        return name.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Environments by name, then identifier: the order of `next` and `previous`.
    package var environmentsByName: [FlareEnvironment] {
        environments.values.sorted { ($0.name, $0.id) < ($1.name, $1.id) }
    }

    /// Compass degrees of the device, 0..<360: what the compass says, else what the server has; `nil` before one was
    /// set.
    package var angle: Double? {
        guard let device else { return nil }
        return measuredAngle ?? device.data["angle"]?.number
    }
}

/// What is known of a position beside its coordinates.
package struct PositionFix: Sendable, Hashable {
    package enum Quality: String, Sendable, Hashable {
        case good, fair, coarse, lost
    }

    /// Metres within which the true place should lie.
    package var accuracyMetres: Double?
    package var quality: Quality
    /// `beacons`, `cmx`, `server`, `command`.
    package var source: String
    package var isMoving: Bool
    package var at: Instant
    /// When the packet or the second that made it due came, on the steady clock; `nil` for one that is only held.
    package var heardAt: Double?

    package init(
        accuracyMetres: Double?,
        quality: Quality,
        source: String,
        isMoving: Bool = false,
        at: Instant,
        heardAt: Double? = nil
    ) {
        self.heardAt = heardAt
        self.accuracyMetres = accuracyMetres
        self.quality = quality
        self.source = source
        self.isMoving = isMoving
        self.at = at
    }
}

/// A place on the earth as a GPS told it.
package struct Location: Sendable, Hashable {
    package var point: GeoPoint
    package var accuracyMetres: Double?

    package init(point: GeoPoint, accuracyMetres: Double? = nil) {
        self.point = point
        self.accuracyMetres = accuracyMetres
    }
}

/// An open problem that a person should know of.
package struct Alert: Sendable, Hashable {
    package enum Severity: String, Sendable, Hashable {
        case warning, error
    }

    package var severity: Severity
    /// What is wrong and what to do.
    package var message: String
    package var since: Instant

    package init(severity: Severity, message: String, since: Instant) {
        self.severity = severity
        self.message = message
        self.since = since
    }
}
