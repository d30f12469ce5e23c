package import Controller
package import Flare
package import JSON

/// What is so at the moment of an event, for conditions and for the first sight of things.
package protocol RuleView {
    /// A thing's data; `nil` while it is gone, or not known yet.
    func data(of thing: FlareID) -> JSONObject?
    /// The zone that the device is in.
    var zone: RulePresence { get }
    /// The thing that is near.
    var nearby: RulePresence { get }
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
        case .zone(let zones): return view.zone.truth(of: zones)
        case .near(let things): return view.nearby.truth(of: things)
        }
    }
}
