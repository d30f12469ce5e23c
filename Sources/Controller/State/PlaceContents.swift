package import Flare
package import People
import Text
package import Things

/// The zones and things of an environment, as they were read.
package struct PlaceContents: Sendable, Hashable {
    package let environment: FlareID
    package let zones: [FlareID: FlareZone]
    package let things: [FlareID: FlareThing]

    package init(environment: FlareID, zones: [FlareID: FlareZone], things: [FlareID: FlareThing]) {
        (self.environment, self.zones, self.things) = (environment, zones, things)
    }

    package init(environment: FlareID, zones: [FlareZone], things: [FlareThing]) {
        self.init(
            environment: environment,
            zones: zones.byID,
            things: things.byID
        )
    }

    /// The zones and things in an object, by name.
    package func contents(of object: ObjectReference) -> [(object: ObjectReference, name: String)] {
        let things = things.values.filter { object.kind == .environment || $0.zone == object.id }
            .map { (object: ObjectReference(.thing, $0.id), name: $0.name) }
        switch object.kind {
        case .environment:
            return (zones.values.map { (object: ObjectReference(.zone, $0.id), name: $0.name) } + things)
                .sorted { ($0.name, $0.object.id) < ($1.name, $1.object.id) }
        case .zone: return things.sorted { ($0.name, $0.object.id) < ($1.name, $1.object.id) }
        case .thing, .device: return []
        }
    }
}

extension ControllerState {
    /// The current place; `nil` without an environment.
    package var contents: PlaceContents? {
        environmentID.map { PlaceContents(environment: $0, zones: zones, things: things) }
    }

    /// The environment of a slug or identifier, or a refusal if there is none that a reader may see.
    package func environment(named name: String, for reader: Reader) -> Result<FlareEnvironment, Refusal> {
        // A slug can look like an identifier.
        for case let id? in [FlareID(name), slugs.id(of: name, kind: .environment)] {
            if let found = environments[id], reader.sees(environment: id) { return .success(found) }
        }
        let known = environments.keys.filter { reader.sees(environment: $0) }
            .compactMap { slugs[.environment, $0] }.sorted()
        let others = known.isEmpty ? "" : NearestName.choice(for: name, among: known)
        return .failure(
            Refusal(.unknownEnvironment, "no environment \(QuotedValue.of(name))\(others)")
        )
    }

    /// The environment of a zone or thing, by slug or identifier; `nil` for one that is not known.
    package func home(of name: String, _ kind: FlareClass) -> FlareID? {
        for case let id? in [FlareID(name), slugs.id(of: name, kind: kind)] {
            if kind == .zone ? zones[id] != nil : things[id] != nil { return environmentID }
            let home = slugs.home(of: ObjectReference(kind, id))
            if let home, home != environmentID, environments[home] != nil { return home }
        }
        return nil
    }

    /// The state as if another environment were the current one, for showing what is in it.
    package func showing(_ place: PlaceContents) -> ControllerState {
        guard place.environment != environmentID else { return self }
        var state = self
        (state.environmentID, state.zones, state.things) = (place.environment, place.zones, place.things)
        (state.zoneID, state.zoneSince, state.nearbyID, state.nearbySince) = (nil, nil, nil, nil)
        (state.device, state.fix, state.beacons, state.conditions) = (nil, nil, [:], [:])
        (state.countedBeacons, state.nodes) = ([:], [:])
        (state.goals, state.goalSeconds, state.changedAt, state.isStale) = ([:], [:], [:], false)
        return state
    }
}
