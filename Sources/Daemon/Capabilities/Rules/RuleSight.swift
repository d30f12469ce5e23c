import Controller
import Flare
import JSON
import Rules

/// What rules have seen last, so that what changes is found.
struct RuleSight: Sendable {
    /// A thing whose data or connection rules look at.
    struct Thing: Sendable, Hashable {
        /// As the Flare server has them.
        var data: JSONObject?
        /// What the thing has uploaded and the server has not stored yet.
        var uploaded = JSONObject()
        var isOnline: Bool?
        /// From which it has spoken over HTTP.
        var address: String?
    }

    /// Where a device is.
    struct Presence: Sendable, Hashable {
        /// Whether the server has said that in this environment.
        var isRead = false
        var isKnown = false
        var zone: FlareID?
        var nearby: FlareID?
    }

    /// Things that rules look at.
    var things: [FlareID: Thing] = [:]
    /// The things and zones that rules name, and whether each is there; unknown until the place was read.
    var objects: [FlareID: RuleTruth] = [:]

    var environment: FlareID?
    /// Whether the place was looked at since it was read.
    var isPlaceSeen = false
    /// Where the daemon's own device is.
    private var own = Presence()
    /// Where further devices are, by their nodes.
    private var others: [String: Presence] = [:]

    /// Not before the first place is loaded: the levels up to that belong to the start.
    var isLevelKnown = false
    var level = LifecycleLevel.disconnected
    var audio = LifecycleAudio.notAudible
    var context = LifecycleContext.main
    var language: String?
    var hearsBeacons = true

    // MARK: Rules

    /// Looks at what a rule names as well.
    mutating func add(_ rule: Rule, in core: ControllerState) {
        for id in rule.objects where objects[id] == nil {
            objects[id] = core.isPlaceReady ? RuleTruth(core.has(id)) : .unknown
        }
        for id in rule.watchedThings where things[id] == nil { things[id] = Thing(id, in: core) }
    }

    /// Looks no more at what a rule has named, unless others name it.
    mutating func forget(_ rule: Rule, isNamed: (FlareID) -> Bool) {
        for id in rule.objects where !isNamed(id) { (objects[id], things[id]) = (nil, nil) }
    }

    /// Those of a rule's things and zones that are not there.
    func missing(of rule: Rule) -> Set<FlareID> { rule.objects.filter { objects[$0] == .no } }

    /// Takes what is so now as seen: nobody has looked so far.
    mutating func catchUp(with core: ControllerState) {
        (things, objects) = ([:], [:])
        environment = core.environmentID
        isPlaceSeen = core.isPlaceReady
        own = Presence(known: core.isPlaceReady && core.device != nil, core.zoneID, core.nearbyID)
        others = core.nodes.mapValues { node in
            Presence(known: core.isPlaceReady && node.device != nil, node.zoneID, node.nearbyID)
        }
        isLevelKnown = core.lifecycle.isPlaceLoaded
        see(core.lifecycle)
        hearsBeacons = core.isRunning(.beacons)
    }

    /// Where a device is, by its node; `nil` is the daemon's own.
    subscript(node: String?) -> Presence {
        get { node.map { others[$0] ?? Presence() } ?? own }
        set { if let node { others[node] = newValue } else { own = newValue } }
    }

    /// The environment is another one.
    mutating func forgetPresences() { (own, others) = (Presence(), [:]) }

    /// What was known of devices that are not listed any more means nothing when they are listed again.
    mutating func keepPresences(of nodes: Set<String>) { others = others.filter { nodes.contains($0.key) } }

    mutating func see(_ lifecycle: Lifecycle) {
        (level, audio, context) = (lifecycle.level, lifecycle.audio, lifecycle.context)
        language = lifecycle.language?.tag
    }
}

extension RuleSight.Presence {
    /// What is so now, as nobody has looked before.
    init(known isKnown: Bool, _ zone: FlareID?, _ nearby: FlareID?) {
        self.init(isRead: isKnown, isKnown: isKnown, zone: zone, nearby: nearby)
    }
}

extension RuleSight.Thing {
    /// A thing as it is now.
    init(_ id: FlareID, in core: ControllerState) {
        data = core.isPlaceReady ? core.things[id]?.data : nil
        isOnline = core.conditions[id]?.isOnline
    }
}

extension ControllerState {
    /// Whether a thing or a zone is in the current environment.
    func has(_ id: FlareID) -> Bool { things.index(forKey: id) != nil || zones.index(forKey: id) != nil }

    /// The nodes of a rule's devices that are not listed.
    func missingDevices(of rule: Rule) -> Set<String> { rule.nodes.filter { nodes[$0] == nil } }
}

extension Rule {
    /// The things whose data or connection it looks at.
    fileprivate var watchedThings: Set<FlareID> {
        var things: Set<FlareID> = []
        for trigger in triggers {
            switch trigger {
            case .state(let trigger): if let id = trigger.thing.id { things.insert(id) }
            case .device(let trigger): if let id = trigger.thing.id { things.insert(id) }
            case .time, .enter, .exit, .near, .far, .call, .level: break
            }
        }
        for case .state(let thing, _) in conditions { if let id = thing.id { things.insert(id) } }
        return things
    }
}
