package import Flare
import Text

/// The result of a search for an object by name.
package enum NameMatch: Sendable, Hashable {
    case none
    case one(FlareID)
    /// Several objects have this name; their slugs tell them apart.
    case several([String])
}

extension ControllerState {
    /// The object with this slug or identifier, else with this name, else with this name ignoring case.
    ///
    /// - Parameter isSeen: Whether the caller may see an object; for the caller the others have no names.
    package func match(
        _ text: String,
        _ kind: FlareClass,
        where isSeen: (FlareID) -> Bool = { _ in true }
    ) -> NameMatch {
        for candidates in candidates(for: text, kind) {
            let found = candidates.filter(isSeen)
            guard let first = found.first else { continue }
            return found.count == 1
                ? .one(first) : .several(found.map { slugs[kind, $0] ?? "\($0)" }.sorted())
        }
        return .none
    }

    /// The objects that a text may mean, the likeliest first: by identifier, slug, name, and name ignoring case.
    package func candidates(for text: String, _ kind: FlareClass) -> [[FlareID]] {
        let exact = [FlareID(text), slugs.id(of: text, kind: kind)].map { id in
            [id].compactMap(\.self).filter { isKnown(ObjectReference(kind, $0)) }
        }
        let lowercased = text.lowercased()
        var same: [FlareID] = []
        var alike: [FlareID] = []
        for id in ids(of: kind) {
            guard let name = object(ObjectReference(kind, id))?.name else { continue }
            if name == text { same.append(id) }
            if name.lowercased() == lowercased { alike.append(id) }
        }
        return exact + [same, alike]
    }

    /// An object for a message: `thing 0123456789abcdef01234567 ("Table lamp")`; without a name that is not known.
    package func label(of object: ObjectReference) -> String {
        let name = name(of: object).map { " (\(QuotedValue.of($0)))" }
        return "\(object.kind.rawValue) \(object.id)\(name ?? "")"
    }

    /// Whether an object is in another environment; of what is there only the short names are known.
    package func isElsewhere(_ object: ObjectReference) -> Bool {
        guard let home = slugs.home(of: object) else { return false }
        return home != environmentID && environments[home] != nil
    }

    /// Whether an object is here or in another environment.
    package func isAnywhere(_ object: ObjectReference) -> Bool { isKnown(object) || isElsewhere(object) }

    private func ids(of kind: FlareClass) -> [FlareID] {
        switch kind {
        case .environment: Array(environments.keys)
        case .zone: Array(zones.keys)
        case .thing: Array(things.keys)
        case .device: device.map { [$0.id] } ?? []
        }
    }
}
