package import Flare

/// What happened: facts, in the past tense, from every side.
package enum ControllerEvent: Sendable, Hashable {
    /// From the Flare server or the way to it.
    case flare(FlareEvent)
    case commandReceived(Command)
    /// A command could not be read; its sender has this answer already.
    case commandRefused(Answer)
    /// The own position as the beacons have it.
    case positionEstimated(PositionEstimated)
    /// Compass degrees, 0..<360, already rounded for display.
    case headingChanged(degrees: Double)
    /// What the compass says, for those who look at it here: finer and more often than the server is told.
    case headingMeasured(degrees: Double)
    case located(Location)
    case timerFired(ControllerTimer)
    case alertRaised(String, Alert.Severity, message: String)
    case alertCleared(String)
    /// How the real lamp of a thing fares; `nil`: it has none, or the link rests.
    case lampChanged(FlareID, LampCondition?)
    /// How beacons of the place were heard lately, by their thing.
    case beaconsHeard([FlareID: BeaconReport])
    /// The broker can be reached, or cannot any more.
    case brokerLinkChanged(isUp: Bool)
    /// The broker has confirmed that the topics of these objects of the model are empty.
    case topicsCleared([ObjectName])
    /// Everything is to be announced to Home Assistant: the broker or Home Assistant itself has come.
    case announcementWanted
    /// The configuration was read again: `nil` when it is good, else what is wrong with it.
    case configurationRead(problem: String?)
    /// The daemon is about to end.
    case stopBegun

    /// An estimate of where the device is.
    package struct PositionEstimated: Sendable, Hashable {
        package var position: Point3D
        package var accuracyMetres: Double?
        package var quality: PositionFix.Quality
        package var isMoving: Bool
        /// When the packet or the second that made it due came, on the steady clock; `nil` for one that is only held.
        package var heardAt: Double?

        package init(
            position: Point3D,
            accuracyMetres: Double?,
            quality: PositionFix.Quality,
            isMoving: Bool = false,
            heardAt: Double? = nil
        ) {
            self.position = position
            self.accuracyMetres = accuracyMetres
            self.quality = quality
            self.isMoving = isMoving
            self.heardAt = heardAt
        }
    }
}

/// An object by the short name that its topics have.
package struct ObjectName: Sendable, Hashable {
    package let kind: FlareClass
    package let slug: String

    package init(_ kind: FlareClass, _ slug: String) {
        self.kind = kind
        self.slug = slug
    }
}

/// Something that is due at a time.
package enum ControllerTimer: Sendable, Hashable {
    /// An exit that came too soon after an enter is looked at again.
    case exitCheck
    /// What was seen of zone and nearness is looked at again, as nothing new has come.
    case presenceCheck
    /// The position has been lost for so long that nothing is near any more.
    case presenceLost
    /// A position or heading that came too soon after the last is sent.
    case positionDue, headingDue
    /// The next step of a thing's transition.
    case transitionStep(FlareID)
    /// What could not be read of the server is tried again.
    case readAgain
}

/// What is to be done, as a value: carried out by the shell, in order.
package enum ControllerEffect: Sendable, Hashable {
    case flare(FlareRequest)
    /// The beacons that count from now on.
    case trackBeacons(BeaconPlace?)
    case switchSensor(SensorKind, on: Bool)
    /// One firing; starting a timer that runs replaces it.
    case startTimer(ControllerTimer, milliseconds: Int64)
    case stopTimer(ControllerTimer)
    case remember(PersistedRecord)
    case answer(Answer)
    case emit(ChangeEvent)
    /// Send the state feed again, changed or not.
    case resendState
    /// Announce everything to Home Assistant.
    case announce
    /// Read the configuration and tell how it went.
    case readConfiguration
    /// Build everything anew from the configuration that was read.
    case rebuild
    /// End, and start the program again.
    case restart
    case setLogLevel(String)

    /// What outlives a restart.
    package enum PersistedRecord: Sendable, Hashable {
        case environment(FlareID)
        case device(FlareID, environment: FlareID)
        /// A short name, and the environment in which its object is; `nil` for an environment.
        case slug(String, ObjectReference, home: FlareID?)
        /// The short name of an object that is no more.
        case slugForgotten(ObjectReference)
        case sensor(SensorKind, on: Bool)
        /// A topic on which Home Assistant is told of a device, and the components that it was told of.
        case announced(topic: String, components: String)
        /// A topic on which it is told of nothing any more.
        case withdrawn(topic: String)
        /// Topics below which something is told, from now on or no more.
        case root(String, isUsed: Bool)
        /// The name of the run that tells it.
        case epoch(String)
    }

    /// An environment with what stands in it: beacon numbers and places are in the data of zones and things.
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
