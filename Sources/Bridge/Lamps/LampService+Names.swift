import Controller
import Flare
import Logging
import Things

/// Resolves the things that links name, by short name, name or identifier.
extension LampService {
    /// Whether a thing was added, removed or renamed.
    func haveNamesChanged(_ changes: Set<StateChange>, in state: ControllerState) -> Bool {
        guard state.isPlaceKnown else {
            // The environment was left, and may come back.
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

    /// Resolves the links that have no thing yet.
    func findThings(in state: ControllerState) {
        for index in entries.indices where entries[index].id == nil {
            entries[index].fault = nil
            let name = entries[index].pair.thing
            switch state.match(name, .thing) {
            case .one(let id) where entriesByThing[id] != nil:
                entries[index].fault = "already has a link to another lamp"
            case .one(let id):
                entries[index].label = state.slugs[.thing, id] ?? "\(id)"
                entries[index].id = id
                entriesByThing[id] = index
                refresh(id, in: state, for: index)
            case .several(let slugs):
                entries[index].fault = "is the name of several things; use one of \(QuotedValue.list(slugs))"
            case .none:
                if !isElsewhere(name, state) { entries[index].fault = "is not a thing in this environment" }
            }
        }
    }

    /// Whether a name belongs to a thing of another known environment.
    private func isElsewhere(_ name: String, _ state: ControllerState) -> Bool {
        let slugs = [name, SlugRegistry.slug(from: name)].compactMap(\.self)
        let ids = [FlareID(name)] + slugs.map { state.slugs.id(of: $0, kind: .thing) }
        return ids.compactMap(\.self).contains { id in
            let home = state.slugs.home(of: ObjectReference(.thing, id))
            return home != nil && home != state.environmentID
        }
    }

    /// Raises, updates or clears the alert about links without effect.
    func updateFaultAlert() {
        let faults = entries.compactMap { entry in
            entry.fault.map { "\(QuotedValue.of(entry.pair.thing)) \($0)" }
        }
        guard faults != reportedFaults else { return }
        reportedFaults = faults
        guard !faults.isEmpty else { return send(.alertCleared("links")) }
        let more = faults.count > 5 ? "; and \(faults.count - 5) more" : ""
        let message = "Lamp links without effect: \(faults.prefix(5).joined(separator: "; "))\(more)."
        logger.warning("links without a thing", metadata: ["why": "\(message)"])
        send(.alertRaised("links", .warning, message: message))
    }
}
