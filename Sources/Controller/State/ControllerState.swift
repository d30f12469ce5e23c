package import Flare
import JSON
package import People
package import Things

/// Everything the controller knows.
package struct ControllerState: Sendable, Hashable {
    /// Identifies this run; events are numbered within it.
    package let epoch: String
    /// The sequence number of the last event.
    package var sequence = 0

    /// All environments of the server.
    package var environments: [FlareID: FlareEnvironment] = [:]
    package var environmentID: FlareID?
    /// The zones and things of the current environment.
    package var zones: [FlareID: FlareZone] = [:] {
        didSet { floors = Floors(zonesFrom: zones.values.lazy.compactMap(\.perimeter?.origin.z)) }
    }
    /// The floors on which those zones begin.
    ///
    /// They change seldom, and every distance in a plane needs them.
    private(set) var floors = Floors(zonesFrom: [])
    package var things: [FlareID: FlareThing] = [:]

    /// Whether the current environment's zones and things have been read.
    package var isPlaceKnown = false
    /// Whether the place is the one of an earlier run, because the server could not be reached in this one yet.
    package var isStale = false

    package var zoneID: FlareID?
    package var zoneSince: Instant?
    package var nearbyID: FlareID?
    package var nearbySince: Instant?

    /// This device in the current environment, with its current position and `data.angle`.
    package var device: FlareDevice?
    /// Accuracy, quality and source of the device's position; `nil` before the first one.
    package var fix: PositionFix?
    /// When the device was heard last, or its position given, also in an earlier run; `nil` if that is not known.
    package var seenAt: Instant?
    /// When the compass last reported, changed or not.
    package var headingAt: Instant?
    /// Compass heading, degrees; `nil` if the compass is off or another client has turned the device since.
    package var measuredAngle: Double?
    /// The last GPS location, if any.
    package var location: Location?
    /// When a location was received last.
    package var locatedAt: Instant?

    /// The further devices of the daemon, by node; nearly always none.
    package var nodes: [String: DeviceNode] = [:]

    package var sensors: [SensorKind: Bool] = [.gps: true, .beacons: true, .cmx: true, .compass: true]
    package var isLinkUp = false
    /// Users and their rights; until they are known, nobody is a user, and every command is refused.
    package var people = AccessTable()
    /// The sensors that a slice keeps from running, whether or not they are switched on.
    package var suspendedSensors: Set<SensorKind> = []
    /// What the capabilities add.
    package var slices: Slices
    /// When each environment, zone, thing and this device last changed.
    package var changedAt: [ObjectReference: Instant] = [:]
    /// What running transitions lead to, by thing.
    package var goals: [FlareID: ThingPatch] = [:]
    /// Total duration of those transitions, seconds.
    package var goalSeconds: [FlareID: Double] = [:]
    /// How the things at the edge are reached; the Flare server alone keeps the others.
    package var routes: [FlareID: EdgeRoute] = [:]
    /// The conditions of physical lamps and of things at the edge, by thing.
    package var conditions: [FlareID: ThingCondition] = [:]
    /// The conditions of the environment's beacons, by thing.
    package var beacons: [FlareID: BeaconCondition] = [:]
    /// Those that the last position estimate is based on; they are not published.
    package var countedBeacons: [FlareID: BeaconCondition] = [:]
    /// Names of receivers that report further devices, and that no thing of the environment has; they are not published.
    package var unplacedReceivers: [String] = []
    static let mostUnplacedReceivers = 20
    /// The slugs of environments, zones and things.
    package var slugs: SlugRegistry
    /// The environments that earlier runs have shown.
    package var formerPlaces: Set<FlareID> = []
    /// The environment that the last run has shown at its end.
    package var lastPlace: FlareID?
    /// Open problems, by identifier.
    package var alerts: [String: Alert] = [:]
    /// Whether nearness is measured in the plane of a floor rather than in space; the same as long as the configuration.
    package internal(set) var isNearInPlane = false
    /// The further node that the device is of; `nil` for the daemon's own.
    package internal(set) var furtherNode: String?
    /// Whether the daemon's own device is there: without it, its node is the place alone.
    package var isPresent = true
    /// The node of the daemon's own device; the same as long as the configuration.
    package var node = ""
    /// The profiles of things; the same as long as the configuration.
    package internal(set) var catalog: ThingCatalog

    package init(
        epoch: String,
        slugs: SlugRegistry = SlugRegistry(),
        slices: Slices = Slices(),
        catalog: ThingCatalog = .none
    ) {
        self.epoch = epoch
        self.catalog = catalog
        (self.slugs, self.slices) = (slugs, slices)
    }

    package var environment: FlareEnvironment? { environmentID.flatMap { environments[$0] } }
    /// Whether a sensor is switched on, and no slice suspends it.
    package func isRunning(_ sensor: SensorKind) -> Bool {
        sensors[sensor] == true && !suspendedSensors.contains(sensor)
    }

    /// The profile of a thing, found in constant time; `nil` for one without.
    package func kind(of thing: FlareThing) -> ThingKind? {
        catalog.kind(of: thing, slug: slugs[.thing, thing.id])
    }

    /// The language of texts: that of the lifecycle, at first the configured one.
    package var language: String { lifecycle.language?.tag ?? catalog.language }

    /// What a thing has, accepts and offers.
    package func shape(of thing: FlareThing) -> ThingShape {
        catalog.shape(of: thing, slug: slugs[.thing, thing.id])
    }

    package var zone: FlareZone? { zoneID.flatMap { zones[$0] } }
    package var nearby: FlareThing? { nearbyID.flatMap { things[$0] } }

    /// Environments by name, then identifier: the order of `next` and `previous`.
    package var environmentsByName: [FlareEnvironment] {
        environments.values.sorted { ($0.name, $0.id) < ($1.name, $1.id) }
    }

    /// The device's heading, degrees, 0..<360: from the compass, else from the server; `nil` if unset.
    package var angle: Double? {
        guard let device else { return nil }
        return measuredAngle ?? device.data["angle"]?.number
    }
}

/// Accuracy, quality and source of a position.
package struct PositionFix: Sendable, Hashable {
    package enum Quality: String, Sendable, Hashable {
        case good, fair, coarse, lost
    }

    /// Radius within which the true position should lie, metres.
    package var accuracyMetres: Double?
    package var quality: Quality
    /// `beacons`, `cmx`, `server`, `command`.
    package var source: String
    package var isMoving: Bool
    package var at: Instant
    /// Arrival time of the triggering packet or tick, seconds on the steady clock; `nil` if only held.
    package var heardAt: Double?
    /// What levels it was estimated from; `nil` for a position that no estimator made.
    package var model: PositionModel?
    /// How likely each zone is, where the position is an estimate; it is not published.
    package var zones: ZoneBelief?

    package init(
        accuracyMetres: Double?,
        quality: Quality,
        source: String,
        isMoving: Bool = false,
        at: Instant,
        heardAt: Double? = nil,
        model: PositionModel? = nil,
        zones: ZoneBelief? = nil
    ) {
        self.heardAt = heardAt
        self.model = model
        self.zones = zones
        self.accuracyMetres = accuracyMetres
        self.quality = quality
        self.source = source
        self.isMoving = isMoving
        self.at = at
    }
}

/// How likely each zone is, at one position.
package struct ZoneBelief: Sendable, Hashable {
    package var shares: ZoneShares
    /// The mean of the belief.
    package var position: Point3D

    package init(shares: ZoneShares, position: Point3D) {
        self.shares = shares
        self.position = position
    }
}

/// A GPS location.
package struct Location: Sendable, Hashable {
    package var point: GeoPoint
    package var accuracyMetres: Double?

    package init(point: GeoPoint, accuracyMetres: Double? = nil) {
        self.point = point
        self.accuracyMetres = accuracyMetres
    }
}

/// An open problem that needs a person's attention.
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
