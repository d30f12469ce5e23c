import Controller
import Flare
import JSON
import Rules

/// The state of the node, as rules look at it.
struct RulesView: RuleView {
    private let core: ControllerState
    private let sight: RuleSight

    init(_ core: ControllerState, _ sight: RuleSight) { (self.core, self.sight) = (core, sight) }

    func data(of thing: FlareID) -> JSONObject? {
        guard core.isPlaceReady, let data = core.things[thing]?.data else { return nil }
        guard let uploaded = sight.things[thing]?.uploaded, !uploaded.isEmpty else { return data }
        return data.merging(uploaded) { $1 }
    }

    /// The daemon's own device first, if there is one.
    var devices: [String?] { (core.isPresent ? [nil] : []) + core.nodes.keys.sorted() }

    func presence(_ kind: FlareClass, of node: String?) -> RulePresence {
        let seen = sight[node]
        guard seen.isKnown else { return .unknown }
        // Further devices are where they were seen: of several that move at once, each comes after the one before.
        let (zone, nearby) = node == nil ? (core.zoneID, core.nearbyID) : (seen.zone, seen.nearby)
        return (kind == .zone ? zone : nearby).map { .at($0) } ?? .nowhere
    }

    var level: LifecycleLevel? { sight.isLevelKnown ? core.lifecycle.level : nil }

    func isOnline(_ thing: FlareID) -> Bool? { core.conditions[thing]?.isOnline }

    func address(of thing: FlareID) -> String? {
        data(of: thing)?["ip"]?.string ?? sight.things[thing]?.address
    }

    var location: GeoPoint? { core.location?.point }

    func name(_ kind: FlareClass, _ id: FlareID) -> String { core.slugs[kind, id] ?? "\(id)" }
}

extension ControllerState {
    /// Whether the zones and things of the current environment are those of this run.
    var isPlaceReady: Bool { isPlaceKnown && !isStale }
}
