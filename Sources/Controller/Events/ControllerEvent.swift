package import Flare
package import JSON
package import People
package import Things

/// An input of the controller: something that has happened, named in the past tense.
package enum ControllerEvent: Sendable, Hashable {
    /// From the Flare server or its link.
    ///
    /// Indirect, because it is by far the largest, and each slice is shown every event.
    indirect case flare(FlareEvent)
    /// A client of the embedded server is making an object; before the server tells of it.
    ///
    /// - Parameter home: The environment that it is in; `nil` for an environment.
    case objectMade(ObjectReference, name: String, home: FlareID?, by: Caller?)
    /// The server cannot be reached, and this is the place of an earlier run.
    case placeRemembered(RememberedPlace)
    case commandReceived(Command)
    /// A command could not be parsed; its sender has already received this answer.
    case commandRefused(Answer, caller: Caller? = nil, source: String? = nil)
    /// This device's position, estimated from beacons.
    case positionEstimated(PositionEstimated)
    /// Compass degrees, 0..<360, already rounded for display.
    case headingChanged(degrees: Double)
    /// A finer and more frequent heading than ``headingChanged(degrees:)``, for local display.
    case headingMeasured(degrees: Double)
    case located(Location)
    case timerFired(ControllerTimer)
    case alertRaised(String, Alert.Severity, message: String)
    case alertCleared(String)
    /// The condition of what a thing stands for; `nil` if there is no such, or nothing is known of it.
    case conditionChanged(FlareID, ThingCondition?)
    /// Something has happened to a thing at the edge, which need not be in the current environment.
    indirect case edge(FlareID, EdgeEvent)
    /// Recent reports of the environment's beacons, by their thing.
    case beaconsHeard([FlareID: BeaconReport])
    /// Receivers that report further devices, and that no thing of the environment has: the names, sorted.
    case receiversUnplaced([String])
    /// An event that only one slice knows.
    case slice(SliceEvent)
    /// The broker connection was established or lost.
    case brokerLinkChanged(isUp: Bool)
    /// Another link of the daemon went up or down, or is gone (`nil`); not that to the Flare server.
    case linkChanged(String, isUp: Bool?)
    /// Users, groups or grants are others from now on.
    case peopleChanged(AccessTable)
    /// The broker has confirmed that the topics of these objects are empty.
    case topicsCleared([ObjectName])
    /// Home Assistant discovery is due: the broker or Home Assistant has come online.
    case announcementWanted
    /// The configuration was read again; `problem` is `nil` if it is valid.
    case configurationRead(problem: String?)
    /// The configuration was read again, and is in use without a restart of the node.
    case configurationApplied(ControllerConfiguration)
    /// The list of further devices is another, in the same configuration.
    ///
    /// - Parameters:
    ///   - leavingPlace: Nodes that were removed, and whose devices are to be removed from the place as well.
    ///   - removed: Nodes whose devices somebody has removed: the next one of such a node is another device, even if it is
    ///     in the list already.
    case nodesListed([ListedNode], leavingPlace: Set<String>, removed: Set<String> = [])
    /// The daemon is shutting down.
    case stopBegun
    /// Something has happened to a further node, and not to the place: a reading, a command, its link to the broker.
    indirect case node(String, ControllerEvent)

    /// Raises an alert, or clears it if there is no problem.
    package static func alert(_ id: String, _ severity: Alert.Severity, _ problem: String?) -> Self {
        problem.map { .alertRaised(id, severity, message: $0) } ?? .alertCleared(id)
    }

    /// A thing at the edge has answered an order: see ``EdgeEvent/answered(_:_:)``.
    package static func edgeAnswered(_ order: EdgeOrder, _ results: [Result<JSONValue?, Refusal>]) -> Self {
        .edge(order.thing, .answered(order.number, results))
    }

    /// A thing at the edge has told its state, or a part of it.
    package static func reported(_ thing: FlareID, _ values: JSONObject) -> Self {
        .edge(thing, .reported(values))
    }

    /// A thing at the edge has uploaded its state, or a part of it, just now: see ``EdgeEvent/uploaded(_:from:)``.
    package static func uploaded(
        _ thing: FlareID,
        _ values: JSONObject,
        from address: String? = nil
    ) -> Self {
        .edge(thing, .uploaded(values, from: address))
    }

    /// An estimate of this device's position.
    package struct PositionEstimated: Sendable, Hashable {
        package var position: Point3D
        package var accuracyMetres: Double?
        package var quality: PositionFix.Quality
        package var isMoving: Bool
        /// Arrival time of the triggering packet or tick, seconds on the steady clock; `nil` if only held.
        package var heardAt: Double?
        /// The beacons that it is based on.
        package var beacons: [FlareID: BeaconReport]
        /// What levels it was estimated from; `nil` if that is not known.
        package var model: PositionModel?
        /// How likely each zone is; `nil` if the estimator does not say.
        package var zones: ZoneShares?

        package init(
            position: Point3D,
            accuracyMetres: Double?,
            quality: PositionFix.Quality,
            isMoving: Bool = false,
            heardAt: Double? = nil,
            beacons: [FlareID: BeaconReport] = [:],
            model: PositionModel? = nil,
            zones: ZoneShares? = nil
        ) {
            self.position = position
            self.accuracyMetres = accuracyMetres
            self.quality = quality
            self.isMoving = isMoving
            self.heardAt = heardAt
            self.beacons = beacons
            self.model = model
            self.zones = zones
        }
    }
}

/// An object by its class and slug, as used in its topics.
package struct ObjectName: Sendable, Hashable {
    package let kind: FlareClass
    package let slug: String

    package init(_ kind: FlareClass, _ slug: String) {
        self.kind = kind
        self.slug = slug
    }
}

/// A timer of the controller.
package enum ControllerTimer: Sendable, Hashable {
    /// Confirms an exit that followed its enter too closely.
    case exitCheck
    /// Counts the last position again, because no newer one has arrived.
    case presenceCheck
    /// Ends zone and nearness, because the position has been lost for too long.
    case presenceLost
    /// Sends a delayed position or heading.
    case positionDue, headingDue
    /// Sends the next step of a thing's transition.
    case transitionStep(FlareID)
    /// Retries failed reads.
    case readAgain
    /// The answer of a thing at the edge to its order is due.
    case edgeDue(FlareID)
    /// Causes an event that only one slice knows.
    case slice(SliceEvent)
    /// One of these of a further node.
    indirect case node(String, ControllerTimer)
}

/// An output of the controller, to be carried out in order.
package enum ControllerEffect: Sendable, Hashable {
    case flare(FlareRequest)
    /// Send an order to a thing at the edge; what becomes of it is an ``EdgeEvent``.
    case edge(EdgeOrder)
    /// Use the beacons of this environment from now on; `nil` for none.
    case trackBeacons(BeaconPlace?)
    case switchSensor(SensorKind, on: Bool)
    /// Start a one-shot timer; a running one is replaced.
    case startTimer(ControllerTimer, milliseconds: Int64)
    case stopTimer(ControllerTimer)
    case remember(PersistedRecord)
    case answer(Answer)
    /// Log a command that has ended.
    case log(CommandRecord)
    case emit(ChangeEvent)
    /// Publish the whole state again, changed or not.
    case resendState
    /// Publish Home Assistant discovery.
    case announce
    /// Read the configuration and report the result as an event.
    case readConfiguration
    /// Restart all services with the configuration that was read.
    case rebuild
    /// End the program and start it again.
    case restart
    case setLogLevel(String)
    /// An effect of a further node: a record, an event, a sensor, or its state or discovery once more.
    indirect case node(String, ControllerEffect)

    /// A record that survives a restart.
    package enum PersistedRecord: Sendable, Hashable {
        case environment(FlareID)
        case device(FlareID, environment: FlareID)
        /// A slug, and the environment that contains its object; `nil` for an environment.
        case slug(String, ObjectReference, home: FlareID?)
        /// The slug of a removed object is free again.
        case slugForgotten(ObjectReference)
        case sensor(SensorKind, on: Bool)
        /// How old the position of a device in an environment is; `nil` if nobody measures it.
        case position(MeasuredPosition?, environment: FlareID)
        /// A discovery topic, and the components published on it.
        case announced(topic: String, components: String)
        /// A discovery topic that is no longer used.
        case withdrawn(topic: String)
        /// A topic root, and whether it is used.
        case root(String, isUsed: Bool)
        /// The identifier of this run.
        case epoch(String)
        /// The thing that a name in `links` means; `nil` when the name is no longer there.
        case link(String, FlareID?)
        /// A record that only one capability knows.
        case slice(SliceRecord)
        /// A record of a further node.
        indirect case node(String, PersistedRecord)
    }

    /// An environment with its zones and things, whose data hold beacon identities and positions.
    package struct BeaconPlace: Sendable, Hashable {
        package var environment: FlareEnvironment
        package var zones: [FlareZone]
        package var things: [FlareThing]

        package init(environment: FlareEnvironment, zones: [FlareZone], things: [FlareThing]) {
            self.environment = environment
            self.zones = zones
            self.things = things
        }
    }
}
