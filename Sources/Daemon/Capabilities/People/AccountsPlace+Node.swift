import Accounts
import Administration
package import Controller
package import Flare
import FlareServer
import People
import Threading

extension AccountsPlace {
    /// The place of a running node.
    ///
    /// The list of devices is asked itself: the node follows it a moment later, and a right may be given at once.
    init(_ runtime: NodeRuntime, _ flare: FlareBackend, _ devices: DeviceRegistry) {
        self.init(
            find: { [weak runtime] kind, word in await runtime?.search(word, kind) ?? [] },
            locate: { [weak runtime] reference in await runtime?.place(of: reference, flare) ?? nil },
            slugs: { [weak runtime] references in await runtime?.slugs(of: references) ?? [:] },
            all: { [weak runtime] kind in await runtime?.objects(of: kind) ?? [] },
            nodes: { devices.nodes },
            devices: { devices.nodes(of: $0) }
        )
    }
}

extension SlugRegistry {
    /// The slugs of objects; those without one are left out.
    package func slugs(of references: [ObjectReference]) -> [ObjectReference: String] {
        references.reduce(into: [:]) { $0[$1] = self[$1.kind, $1.id] }
    }

    /// The object of a slug, and that of an identifier.
    package func exactly(_ word: String, _ kind: FlareClass) -> [[FlareID]] {
        [id(of: word, kind: kind), FlareID(word)].map { id in [id].compactMap(\.self) }
    }
}

extension NodeRuntime {
    /// The objects that a text may mean: by slug, identifier or name; also those of another environment.
    fileprivate func search(_ word: String, _ kind: FlareClass) -> [[FlareID]] {
        state.candidates(for: word, kind) + state.slugs.exactly(word, kind)
    }

    /// Where an object is; `nil` if it is gone.
    fileprivate func place(of reference: ObjectReference, _ flare: FlareBackend) -> AccessObject? {
        if case .embedded(_, let hub) = flare {
            return hub.onExecutor { $0.record(reference)?.accessObject }
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

    fileprivate func objects(of kind: FlareClass) -> [ObjectReference] { state.slugs.objects(of: kind) }

    fileprivate func slugs(of references: [ObjectReference]) -> [ObjectReference: String] {
        state.slugs.slugs(of: references)
    }
}
