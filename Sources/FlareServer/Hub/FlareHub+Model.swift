import Flare
import JSON
import Text

// Import and export of whole models.
extension FlareHub {
    /// The conflicts of a model with the stored objects: identifiers that are in use.
    /// - Parameter replacing: Whether an existing object may be replaced by one of its class.
    package func problems(importing tree: ModelTree, replacing: Bool = false) -> [ModelError] {
        zip(tree.records, tree.places).compactMap { record, place in
            guard let taken = owner(of: record.id), !(replacing && taken == record.kind) else { return nil }
            let name = record.members["name"]?.string.flatMap { $0.isEmpty ? nil : QuotedValue.of($0) }
            return ModelError(
                place: tree.generatedIDs.contains(record.id) ? place : "\(place)._id",
                message: "the \(taken.rawValue) \(name ?? "\(record.id)") already exists",
                isReplaceable: taken == record.kind
            )
        }
    }

    /// The class of the object with an identifier; `nil` if it is free.
    func owner(of id: FlareID) -> FlareClass? {
        FlareClass.allCases.first { graph[ObjectReference($0, id)] != nil }
    }

    /// New objects of a model that have the same class, parent and name as a stored one.
    package func doubles(importing tree: ModelTree) -> [ModelError] {
        let names = Set(FlareClass.allCases.flatMap { records($0) }.compactMap(ModelPath.init))
        return zip(tree.records, tree.places).compactMap { record, place in
            guard graph[record.reference] == nil, let name = ModelPath(record), names.contains(name) else {
                return nil
            }
            let message = "a second \(name.kind.rawValue) called \(JSONValue.string(name.name).text)"
            return ModelError(place: place, message: message)
        }
    }

    /// Imports a model, all or nothing.
    /// - Parameters:
    ///   - replacing: Whether existing objects are replaced; otherwise each is a problem.
    ///   - progress: Called from time to time with the number of stored objects and of all objects.
    /// - Throws: `ModelErrors`, or a `FlareHubError` when it cannot be stored.
    package func importModel(
        _ tree: ModelTree,
        replacing: Bool = false,
        progress: (@Sendable (_ done: Int, _ total: Int) -> Void)? = nil
    ) throws {
        let problems = problems(importing: tree, replacing: replacing)
        guard problems.isEmpty else { throw ModelErrors(problems: problems) }
        let transaction = try graph.planImport(tree.records, now: now, limit: limits.objects)
        try commit(transaction, from: nil) { progress?($0, tree.records.count) }
    }

    /// All objects as a model.
    package func exportModel() -> ModelExport {
        ModelExport(FlareClass.allCases.flatMap { records($0) })
    }
}
