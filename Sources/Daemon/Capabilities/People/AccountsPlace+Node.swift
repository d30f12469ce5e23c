import Accounts
import Administration
import Controller
import Flare
import FlareServer
import People

extension AccountsPlace {
    /// The place of a running node.
    init(_ runtime: NodeRuntime, _ flare: FlareBackend) {
        self.init(
            find: { [weak runtime] kind, word throws(AccountsError) in
                await runtime?.search(word, kind) ?? []
            },
            locate: { [weak runtime] reference throws(AccountsError) in
                await runtime?.place(of: reference, flare) ?? nil
            },
            slugs: { [weak runtime] references throws(AccountsError) in
                await runtime?.slugs(of: references) ?? [:]
            }
        )
    }
}

extension NodeRuntime {
    /// The objects that a text may mean: by slug, identifier or name; also those of another environment.
    fileprivate func search(_ word: String, _ kind: FlareClass) -> [[FlareID]] {
        let elsewhere = [state.slugs.id(of: word, kind: kind), FlareID(word)]
        return state.candidates(for: word, kind) + elsewhere.map { id in [id].compactMap(\.self) }
    }

    /// Where an object is; `nil` if it is gone.
    fileprivate func place(of reference: ObjectReference, _ flare: FlareBackend) -> AccessObject? {
        if case .embedded(_, let hub) = flare {
            return hub.assumeIsolated { $0.record(reference) }.flatMap {
                AccessObject(reference, zone: $0.zone, environment: $0.environment)
            }
        }
        let id = reference.id
        switch reference.kind {
        case .thing:
            if let thing = state.things[id] {
                return .thing(id, zone: thing.zone, environment: thing.environment ?? state.environmentID)
            }
        case .zone:
            if let zone = state.zones[id] {
                return .zone(id, environment: zone.environment ?? state.environmentID)
            }
        case .environment: return state.environments[id] == nil ? nil : .environment(id)
        case .device: return nil
        }
        // Only the current environment is loaded; of the others it is known what was there last.
        return state.slugs.home(of: reference).flatMap { AccessObject(reference, zone: nil, environment: $0) }
    }

    fileprivate func slugs(of references: [ObjectReference]) -> [ObjectReference: String] {
        let slugs = state.slugs
        return Dictionary(
            references.compactMap { object in slugs[object.kind, object.id].map { (object, $0) } }
        ) {
            first,
            _ in first
        }
    }
}
