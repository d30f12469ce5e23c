import Flare
import JSON

/// How an import treats objects that already exist.
///
/// An object exists if its identifier does; without an identifier, if its parent has a child of its class and name.
package enum ModelImportMode: String, Sendable, CaseIterable {
    /// They are problems, and nothing is imported.
    case refuse
    /// They replace the existing objects.
    case replace
    /// They become additional objects with new identifiers.
    case add
}

extension FlareHub {
    /// The model with the identifiers that it will be stored with.
    package func prepared(_ tree: ModelTree, for mode: ModelImportMode) -> ModelTree {
        switch mode {
        case .refuse, .replace: tree.renaming(existingIDs(of: tree))
        case .add:
            tree.renaming(
                Dictionary(
                    tree.records.filter { owner(of: $0.id) != nil }.map { ($0.id, makeID()) }
                ) { first, _ in first }
            )
        }
    }

    /// Identifiers of existing objects for objects without an identifier, by class, parent and name.
    ///
    /// Objects with the same name are matched in order: the first in the file with the first in the database.
    private func existingIDs(of tree: ModelTree) -> [FlareID: FlareID] {
        let stated = Set(tree.records.map(\.id)).subtracting(tree.generatedIDs)
        var free: [ModelPath: ArraySlice<FlareID>] = [:]
        for record in FlareClass.allCases.flatMap({ records($0) }) where !stated.contains(record.id) {
            guard let place = ModelPath(record) else { continue }
            free[place, default: []].append(record.id)
        }
        var found: [FlareID: FlareID] = [:]
        // Parents come first, so that the parents of children are known.
        for record in tree.records where tree.generatedIDs.contains(record.id) {
            guard let place = ModelPath(record.renaming(found)), let id = free[place]?.popFirst() else {
                continue
            }
            found[record.id] = id
        }
        return found
    }
}

/// An object's class, parent and name.
struct ModelPath: Hashable {
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
    /// The model with other identifiers, including those in references.
    func renaming(_ names: [FlareID: FlareID]) -> ModelTree {
        guard !names.isEmpty else { return self }
        var tree = self
        tree.records = records.map { $0.renaming(names) }
        tree.generatedIDs = Set(generatedIDs.map { names[$0] ?? $0 })
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
