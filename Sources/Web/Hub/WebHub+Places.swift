import Controller
import Flare
import People
import Text
import Things

/// Environments, zones and things of every place: what is not in the current one is read from the Flare server.
extension WebHub {
    /// The environments, zones or things that somebody may see.
    ///
    /// - Parameter environment: By short name or identifier; `*` for all, `nil` for the current one.
    func list(
        _ kind: FlareClass,
        in environment: String?,
        for requester: Requester
    ) async -> Result<[UInt8], Refusal> {
        guard let environment, kind != .environment else { return .success(list(kind, for: requester)) }
        let state = node.state()
        var ids = state.environmentsByName.map(\.id)
        if environment != "*" {
            switch state.environment(named: environment, for: reader(for: requester.caller)) {
            case .success(let found): ids = [found.id]
            case .failure(let refusal): return .failure(refusal)
            }
        }
        var text = [UInt8(ascii: "[")]
        for id in ids {
            switch await place(id, for: requester) {
            case .success(let place):
                let list = place.list(kind).dropFirst().dropLast()
                if text.count > 1, !list.isEmpty { text.append(UInt8(ascii: ",")) }
                text += list
            // It was removed meanwhile.
            case .failure where environment == "*" && node.state().environments[id] == nil: continue
            case .failure(let refusal): return .failure(refusal)
            }
        }
        text.append(UInt8(ascii: "]"))
        return .success(text)
    }

    /// An environment, zone or thing, by short name or identifier.
    func object(
        _ kind: FlareClass,
        _ name: String,
        for requester: Requester
    ) async -> Result<[UInt8], Refusal> {
        let state = node.state()
        if kind == .environment {
            return state.environment(named: name, for: reader(for: requester.caller))
                .map { texts.text(of: ObjectReference(.environment, $0.id), in: state) ?? [] }
        }
        let view = view(for: requester)
        let here = found(kind, name, in: view.state).map {
            texts.text(of: $0, in: state, for: view.reader) ?? []
        }
        guard case .failure = here, let home = state.home(of: name, kind), home != state.environmentID else {
            return here
        }
        // What may not be seen there is answered in the words for a name that nothing has.
        let sees = state.isUnreadSeen(kind, name, in: home, by: view.reader)
        switch await place(home, for: requester) {
        case .success(let place):
            return found(kind, name, in: place.seen).map { place.text(of: $0) }.flatMapError { _ in here }
        case .failure(let refusal): return sees ? .failure(refusal) : here
        }
    }

    /// The zone or thing of a name.
    func found(
        _ kind: FlareClass,
        _ name: String,
        in state: ControllerState
    ) -> Result<ObjectReference, Refusal> {
        // A slug can look like an identifier.
        for case let id? in [FlareID(name), state.slugs.id(of: name, kind: kind)] {
            if kind == .zone ? state.zones[id] != nil : state.things[id] != nil {
                return .success(ObjectReference(kind, id))
            }
        }
        let known = state.webObjects(kind).lazy.compactMap { state.slugs[kind, $0.id] }.prefix(2000)
        let hint = NearestName.hint(for: name, among: known)
        return .failure(
            Refusal(.unknownThing, "no \(kind.rawValue) \(QuotedValue.of(name)) in this environment\(hint)")
        )
    }

    /// What is in an environment.
    private func place(_ id: FlareID, for requester: Requester) async -> Result<ShownPlace, Refusal> {
        let state = node.state()
        let isCurrent = id == state.environmentID
        var contents = isCurrent ? state.contents : nil
        if !isCurrent {
            let answer = await perform(.readPlace(id), by: requester)
            if let refusal = answer.refusal { return .failure(refusal) }
            contents = answer.place
        }
        guard let contents else {
            return .failure(Refusal(.serverRejected, "the Flare server did not say what is in it"))
        }
        // The rights may be others by now.
        let reader = reader(for: requester.caller)
        return .success(ShownPlace(state: node.state().showing(contents), reader: reader))
    }
}

/// A place as one reader may see it.
private struct ShownPlace {
    let state: ControllerState
    let reader: Reader

    var seen: ControllerState { reader.seesEverything ? state : state.seen(by: reader) }

    /// The zones or things as a JSON list.
    func list(_ kind: FlareClass) -> [UInt8] {
        var texts = ObjectTexts()
        return texts.list(kind, in: state, for: reader)
    }

    func text(of object: ObjectReference) -> [UInt8] {
        var texts = ObjectTexts()
        return texts.text(of: object, in: state, for: reader) ?? []
    }
}
