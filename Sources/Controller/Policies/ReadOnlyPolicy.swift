import Flare
import Things

/// `control.read_only`: things that no client may change.
///
/// Reports of physical lamps are allowed, because they state what has happened. Devices may always move.
package struct ReadOnlyPolicy: CommandPolicy {
    /// Slugs or identifiers of things and zones; `all` for every thing.
    private let names: Set<String>

    /// - Parameter names: Slugs or identifiers of things and zones, or `all`.
    package init(_ names: [String]) { self.names = Set(names) }

    package func decide(_ request: ChangeRequest, in state: ControllerState) -> PolicyDecision {
        guard !names.isEmpty, request.actor != .lamp, let object = request.object,
            object.kind == .thing || object.kind == .zone
        else { return .allow }
        switch request.kind {
        case .read, .level, .control, .place, .ping, .administer: return .allow
        case .set, .action, .move, .edit, .remove, .found: break
        }
        let zone = request.zone.map { ObjectReference(.zone, $0) }
        let isListed =
            names.contains("all") || isListed(object, request.name, state)
            || zone.map { self.isListed($0, request.zoneName, state) } ?? false
        guard isListed else { return .allow }
        let name = Self.slug(of: object, request.name, state) ?? "\(object.id)"
        return .refuse(
            Refusal(
                .notAllowed,
                "\(object.kind.rawValue) \(name) is read-only: the configuration lists it in control.read_only"
            )
        )
    }

    private func isListed(_ object: ObjectReference, _ name: String?, _ state: ControllerState) -> Bool {
        names.contains("\(object.id)") || Self.slug(of: object, name, state).map(names.contains) ?? false
    }

    /// The object's slug, or the one that its name would produce.
    private static func slug(of object: ObjectReference, _ name: String?, _ state: ControllerState) -> String?
    {
        state.slugs[object.kind, object.id] ?? name.flatMap { SlugRegistry.slug(from: $0) }
    }
}
