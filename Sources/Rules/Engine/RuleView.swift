package import Controller
package import Flare
package import JSON

/// What is so at the moment of an event, for conditions and for the first sight of things.
package protocol RuleView {
    /// A thing's data; `nil` while it is gone, or not known yet.
    func data(of thing: FlareID) -> JSONObject?
    /// All devices by their nodes; `nil` is the daemon's own.
    var devices: [String?] { get }
    /// The zone in which a device is, or the thing that is near it; unknown for a device that is not there.
    func presence(_ kind: FlareClass, of node: String?) -> RulePresence
    /// `nil` while it is not known.
    var level: LifecycleLevel? { get }
    /// Whether a thing is connected; `nil` while that is not known.
    func isOnline(_ thing: FlareID) -> Bool?
    /// A thing's network address.
    func address(of thing: FlareID) -> String?
    /// Where the device is on the earth.
    var location: GeoPoint? { get }
    /// What people call a thing or a zone: its slug.
    func name(_ kind: FlareClass, _ id: FlareID) -> String
}

/// Where something is, as far as one knows.
package enum RulePresence: Sendable, Hashable {
    case unknown
    case nowhere
    case at(FlareID)

    /// Whether it is at one of several.
    func truth(of some: [RuleReference]) -> RuleTruth {
        switch self {
        case .unknown: .unknown
        case .nowhere: .no
        case .at(let id): RuleTruth(some.contains { $0.id == id })
        }
    }
}

// MARK: - Devices

extension RuleView {
    /// Whether a device of a rule is at one of these zones or things; of a trigger, also the first and the last one.
    func truth(of device: RuleDevice, at some: [RuleReference]) -> RuleTruth {
        guard let kind = some.first?.kind else { return .no }
        switch device {
        case .own: return presence(kind, of: nil).truth(of: some)
        case .node(let node): return presence(kind, of: node).truth(of: some)
        case .any, .first, .last: return anybody(at: kind) { $0.truth(of: some) }
        case .nobody: return !anybody(at: kind) { $0.truth(of: some) }
        }
    }

    /// Whether a device that has come to a zone or a thing, or gone, is the one that a trigger means.
    func isMeant(_ device: RuleDevice, by node: String?, at place: RuleReference) -> Bool {
        switch device {
        case .own: node == nil
        case .node(let name): node == name
        case .any: true
        case .first, .last:
            anybody(of: devices.filter { $0 != node }, at: place.kind) { $0.truth(of: [place]) } == .no
        case .nobody: false
        }
    }

    /// Whether something is so of the place of any device, or of any of these.
    func anybody(
        of some: [String?]? = nil,
        at kind: FlareClass,
        is truth: (RulePresence) -> RuleTruth
    ) -> RuleTruth {
        var found = RuleTruth.no
        for node in some ?? devices {
            switch truth(presence(kind, of: node)) {
            case .yes: return .yes
            case .unknown: found = .unknown
            case .no: continue
            }
        }
        return found
    }
}

// MARK: - Conditions

extension RuleCondition {
    /// Whether it holds.
    ///
    /// - Parameter wall: Milliseconds since 1970 UTC; `nil` while the clock is wrong.
    func truth(in view: some RuleView, at wall: Int64?, _ calendar: RuleCalendar) -> RuleTruth {
        switch self {
        case .state(let thing, let clause):
            guard let id = thing.id, let data = view.data(of: id) else { return .unknown }
            return clause.truth(of: data, at: wall ?? 0)
        case .during(let schedule):
            return wall.map { calendar.truth(of: schedule, at: $0) } ?? .unknown
        case .level(let levels):
            return view.level.map { RuleTruth(levels.contains($0)) } ?? .unknown
        case .zone(let places, let who), .near(let places, let who): return view.truth(of: who, at: places)
        }
    }
}
