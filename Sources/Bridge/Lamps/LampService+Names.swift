import Controller
import Flare
import Logging
import Things

/// Which things the links mean: by short name, name or identifier.
extension LampService {
    /// Whether a thing is new, gone, or called otherwise than before.
    func haveNamesChanged(_ changes: Set<StateChange>, in state: ControllerState) -> Bool {
        guard state.isPlaceKnown else {
            // The place was left: the same one may come back.
            namedEnvironment = nil
            names = [:]
            return false
        }
        guard state.environmentID == namedEnvironment else {
            namedEnvironment = state.environmentID
            names = state.things.mapValues(\.name)
            return true
        }
        var isChange = false
        for case .object(let object) in changes
        where object.kind == .thing && names[object.id] != state.things[object.id]?.name {
            names[object.id] = state.things[object.id]?.name
            isChange = true
        }
        return isChange
    }

    /// Looks for the things of the links that have none.
    func findThings(in state: ControllerState) {
        for index in seats.indices where seats[index].id == nil {
            seats[index].fault = nil
            let name = seats[index].pair.thing
            switch state.match(name, .thing) {
            case .one(let id) where seatsByThing[id] != nil:
                seats[index].fault = "already has a link to another lamp"
            case .one(let id):
                seats[index].label = state.slugs[.thing, id] ?? "\(id)"
                seats[index].id = id
                seatsByThing[id] = index
                see(id, in: state, for: index)
            case .several(let slugs):
                seats[index].fault = "is the name of several things; use one of \(QuotedValue.list(slugs))"
            case .none:
                if !isElsewhere(name, state) { seats[index].fault = "is not a thing in this environment" }
            }
        }
    }

    /// Whether a name means a thing of another environment, as far as that was ever seen.
    private func isElsewhere(_ name: String, _ state: ControllerState) -> Bool {
        let slugs = [name, SlugRegistry.slug(from: name)].compactMap(\.self)
        let ids = [FlareID(name)] + slugs.map { state.slugs.id(of: $0, kind: .thing) }
        return ids.compactMap(\.self).contains { id in
            let home = state.slugs.home(of: ObjectReference(.thing, id))
            return home != nil && home != state.environmentID
        }
    }

    /// One alert names every link that does nothing by mistake.
    func tellFaults() {
        let faults = seats.compactMap { seat in seat.fault.map { "\(QuotedValue.of(seat.pair.thing)) \($0)" }
        }
        guard faults != toldFaults else { return }
        toldFaults = faults
        guard !faults.isEmpty else { return send(.alertCleared("links")) }
        let more = faults.count > 5 ? "; and \(faults.count - 5) more" : ""
        let message = "Lamp links without effect: \(faults.prefix(5).joined(separator: "; "))\(more)."
        logger.warning("links without a thing", metadata: ["why": "\(message)"])
        send(.alertRaised("links", .warning, message: message))
    }
}
