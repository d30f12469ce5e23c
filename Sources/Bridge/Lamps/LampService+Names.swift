import Controller
import Flare
import Logging
import Text

/// Resolves the things that links name, by short name, name or identifier.
///
/// A name stays with the thing that it meant first, as long as there is that thing: somebody who may make or rename
/// things must not get a lamp by a name.
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
            switch meaning(of: name, state) {
            case .one(let id) where entriesByThing[id] != nil:
                entries[index].fault = "already has a link to another lamp"
            case .one(let id):
                keep(id, as: name, state)
                guard state.things[id] != nil else { continue }
                entries[index].label = state.slugs[.thing, id] ?? "\(id)"
                entries[index].id = id
                entriesByThing[id] = index
                refresh(id, in: state, for: index)
                warnOfOthers(index, id, state)
            case .several(let slugs):
                entries[index].fault = "is the name of several things; use one of \(QuotedValue.list(slugs))"
            case .none:
                let names = state.things.keys.compactMap { state.slugs[.thing, $0] }.sorted()
                entries[index].fault =
                    "is not a thing in this environment\(NearestName.hint(for: name, among: names))"
            }
        }
    }

    /// The thing that a name means, here or in another environment.
    private func meaning(of name: String, _ state: ControllerState) -> NameMatch {
        if let first = meanings[name], isAnywhere(first, state) {
            return .one(first)
        }
        return match(name, state)
    }

    /// The things that have a name now; of what is elsewhere only the short names are known.
    private func match(_ name: String, _ state: ControllerState) -> NameMatch {
        let exact = [FlareID(name), state.slugs.id(of: name, kind: .thing)].compactMap(\.self)
            .first { isAnywhere($0, state) }
        if let exact { return .one(exact) }
        let here = state.match(name, .thing)
        let slug = SlugRegistry.slug(from: name)
        guard let slug, let elsewhere = state.slugs.id(of: slug, kind: .thing),
            state.isElsewhere(ObjectReference(.thing, elsewhere))
        else { return here }
        switch here {
        case .none: return .one(elsewhere)
        case .one(let id): return .several([state.slugs[.thing, id] ?? "\(id)", slug].sorted())
        case .several(let slugs): return .several((slugs + [slug]).sorted())
        }
    }

    private func isAnywhere(_ id: FlareID, _ state: ControllerState) -> Bool {
        state.isAnywhere(ObjectReference(.thing, id))
    }

    private func keep(_ id: FlareID, as name: String, _ state: ControllerState) {
        // What is remembered of a place may be outdated.
        guard meanings[name] != id, !state.isStale else { return }
        meanings[name] = id
        remember(.link(name, id))
    }

    /// Logs once that a name has come to fit other things, too.
    private func warnOfOthers(_ index: Int, _ id: FlareID, _ state: ControllerState) {
        let name = entries[index].pair.thing
        let others: [String]
        switch match(name, state) {
        case .none, .one(id): return
        case .one(let other): others = [state.slugs[.thing, other] ?? "\(other)"]
        case .several(let slugs): others = slugs.filter { $0 != entries[index].label }
        }
        warn(
            index,
            "\(QuotedValue.of(name)) in links stays with \(entries[index].label), which it meant first; it also fits "
                + "\(QuotedValue.list(others)). Name the thing by its short name"
        )
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
        let text = "Lamp links without effect: \(faults.prefix(5).joined(separator: "; "))\(more)"
        let message = text + (text.hasSuffix("?") ? "" : ".")
        logger.warning("links without a thing", metadata: ["why": "\(message)"])
        send(.alertRaised("links", .warning, message: message))
    }
}
