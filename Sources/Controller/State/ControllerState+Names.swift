package import Flare

/// The result of a search for an object by name.
package enum NameMatch: Sendable, Hashable {
    case none
    case one(FlareID)
    /// Several objects have this name; their slugs tell them apart.
    case several([String])
}

extension ControllerState {
    /// The object with this slug or identifier, else with this name, else with this name ignoring case.
    package func match(_ text: String, _ kind: FlareClass) -> NameMatch {
        for id in [FlareID(text), slugs.id(of: text, kind: kind)].compactMap(\.self)
        where name(of: id, kind) != nil {
            return .one(id)
        }
        let lowercased = text.lowercased()
        var same: [FlareID] = []
        var alike: [FlareID] = []
        for id in ids(of: kind) {
            guard let name = name(of: id, kind) else { continue }
            if name == text { same.append(id) }
            if name.lowercased() == lowercased { alike.append(id) }
        }
        let found = same.isEmpty ? alike : same
        guard let first = found.first else { return .none }
        return found.count == 1 ? .one(first) : .several(found.map { slugs[kind, $0] ?? "\($0)" }.sorted())
    }

    private func ids(of kind: FlareClass) -> [FlareID] {
        switch kind {
        case .environment: Array(environments.keys)
        case .zone: Array(zones.keys)
        case .thing: Array(things.keys)
        case .device: device.map { [$0.id] } ?? []
        }
    }

    private func name(of id: FlareID, _ kind: FlareClass) -> String? {
        switch kind {
        case .environment: environments[id]?.name
        case .zone: zones[id]?.name
        case .thing: things[id]?.name
        case .device: device?.id == id ? device?.name : nil
        }
    }
}
