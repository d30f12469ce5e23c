import Flare

/// What becomes of objects of a model file that are in the database already.
///
/// An object is there already when its identifier is; one without identifier, when its parent has a child of its
/// class and name.
package enum ModelImportMode: String, Sendable, CaseIterable {
    /// They are problems, and nothing is changed.
    case refuse
    /// They take the place of those that are there.
    case replace
    /// They become further objects, with identifiers of their own.
    case add
}

extension FlareHub {
    /// A model with the identifiers with which it will be stored.
    package func prepared(_ tree: ModelTree, for mode: ModelImportMode) -> ModelTree {
        switch mode {
        case .refuse, .replace: tree.renaming(namesakes(of: tree))
        case .add:
            tree.renaming(
                Dictionary(
                    tree.records.filter { record in isTaken(record.id) }.map { ($0.id, makeID()) }
                ) { first, _ in first }
            )
        }
    }

    private func isTaken(_ id: FlareID) -> Bool {
        FlareClass.allCases.contains { record(ObjectReference($0, id)) != nil }
    }

    /// For objects without an identifier: that of the object of this class and name at the same place.
    ///
    /// Of several with one name the first counts for the first in the file, the second for the second.
    private func namesakes(of tree: ModelTree) -> [FlareID: FlareID] {
        let stated = Set(tree.records.map(\.id)).subtracting(tree.madeIDs)
        var free: [PlaceInTree: ArraySlice<FlareID>] = [:]
        for record in FlareClass.allCases.flatMap({ records($0) }) where !stated.contains(record.id) {
            guard let place = PlaceInTree(record) else { continue }
            free[place, default: []].append(record.id)
        }
        var found: [FlareID: FlareID] = [:]
        // Parents come first, so that children are looked for where their parents are.
        for record in tree.records where tree.madeIDs.contains(record.id) {
            guard let place = PlaceInTree(record.renaming(found)), let id = free[place]?.popFirst() else {
                continue
            }
            found[record.id] = id
        }
        return found
    }
}

/// Where in the tree an object stands, by its name.
struct PlaceInTree: Hashable {
    let kind: FlareClass
    let parent: FlareID?
    let name: String

    /// `nil` for an object without a name.
    init?(_ record: FlareRecord) {
        guard let name = record.members["name"]?.string else { return nil }
        self.name = name
        kind = record.kind
        parent = record.kind == .thing ? record.zone : record.environment
    }
}

extension ModelTree {
    /// The model with other identifiers, also where objects name each other.
    func renaming(_ names: [FlareID: FlareID]) -> ModelTree {
        guard !names.isEmpty else { return self }
        var tree = self
        tree.records = records.map { $0.renaming(names) }
        tree.madeIDs = Set(madeIDs.map { names[$0] ?? $0 })
        return tree
    }
}

extension FlareRecord {
    fileprivate func renaming(_ names: [FlareID: FlareID]) -> FlareRecord {
        var members = members
        for key in ["environment", "zone", "nearest"] {
            guard let old = members[key]?.string.flatMap({ FlareID($0) }), let new = names[old] else {
                continue
            }
            members[key] = .string(new.description)
        }
        return FlareRecord(kind, names[id] ?? id, members)
    }
}
