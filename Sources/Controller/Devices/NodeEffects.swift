import Flare

extension ControllerEffect {
    /// The effect of a further node: marked with it, unless it is of the place or of the whole daemon.
    func of(node: String) -> ControllerEffect {
        switch self {
        case .startTimer(let timer, let milliseconds):
            .startTimer(timer.of(node: node), milliseconds: milliseconds)
        case .stopTimer(let timer): .stopTimer(timer.of(node: node))
        case .switchSensor, .emit, .resendState, .announce: .node(node, self)
        case .remember(let record): record.isOfNode ? .node(node, self) : self
        // Answers name their node.
        case .answer, .log, .flare, .edge, .trackBeacons: self
        case .readConfiguration, .rebuild, .restart, .setLogLevel, .node: self
        }
    }
}

extension ControllerEffect.PersistedRecord {
    /// Whether it is about a device, and not about the place or the installation.
    fileprivate var isOfNode: Bool {
        switch self {
        case .device, .sensor, .position, .slice: true
        case .environment, .slug, .slugForgotten, .announced, .withdrawn, .root, .epoch, .link, .node: false
        }
    }
}

extension ControllerTimer {
    /// The timer of a further node; those of things are the place's.
    func of(node: String) -> ControllerTimer {
        switch self {
        case .exitCheck, .presenceCheck, .presenceLost, .positionDue, .headingDue, .readAgain, .slice:
            .node(node, self)
        case .transitionStep, .edgeDue, .node: self
        }
    }

    /// All that a further node may have.
    static let ofNode: [ControllerTimer] = [
        .exitCheck, .presenceCheck, .presenceLost, .positionDue, .headingDue, .readAgain, .sensorGrace,
    ]
}

extension ChangeEvent.Topic {
    /// Whether each node has events of its own on it; the others are about the place or the daemon.
    var isOfNode: Bool {
        switch self {
        case .environment, .zone, .device, .nearby, .lifecycle, .bridge: true
        default: false
        }
    }
}

extension ControllerEvent {
    /// Whether it says where a device is.
    var isReading: Bool {
        switch self {
        case .positionEstimated, .headingChanged, .headingMeasured, .located: true
        default: false
        }
    }

    /// Whether it may change the place as a whole, or the link to it.
    var changesWholePlace: Bool {
        switch self {
        case .flare(.linkUp), .flare(.linkDown), .configurationApplied, .stopBegun, .placeRemembered: true
        default: changesObjects
        }
    }

    /// Whether zones or things may be there that were not, or are elsewhere.
    var changesObjects: Bool {
        switch self {
        case .flare(.replied(.loadPlace, .success)), .flare(.notice(.thingChanged)): true
        default: false
        }
    }
}

extension FlareNotice {
    /// The device that it is about; `nil` for one about the place.
    var device: FlareID? {
        switch self {
        case .data(let object, _, _), .position(let object, _, _), .handleAction(let object, _, _),
            .modelChanged(let object, _):
            object.kind == .device ? object.id : nil
        case .enter(_, let device), .exit(_, let device), .near(_, let device, _), .far(_, let device): device
        case .thingChanged: nil
        }
    }
}

extension FlareRequest {
    /// The device that it is about; `nil` for one about the place, and for a device that is to be made.
    var device: FlareID? {
        switch self {
        case .setData(let object, _, _, _), .setPosition(let object, _, _), .performAction(let object, _, _):
            object.kind == .device ? object.id : nil
        case .renameDevice(let id, _, _), .loadDevice(let id, _), .loadPresence(let id, _, _): id
        case .change(let object, _), .remove(let object, _): object.kind == .device ? object.id : nil
        case .loadEnvironments, .loadPlace, .createDevice, .subscribe, .unsubscribe, .create: nil
        }
    }
}
