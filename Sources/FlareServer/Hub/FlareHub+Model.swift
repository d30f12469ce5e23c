import Flare

// Import and export of whole models.
extension FlareHub {
    /// What stands against importing a model here: identifiers that are taken.
    /// - Parameter replacing: Whether an object that is there already may be replaced by one of its class.
    package func problems(importing tree: ModelTree, replacing: Bool = false) -> [ModelError] {
        zip(tree.records, tree.places).compactMap { record, place in
            let taken = FlareClass.allCases.first { world[ObjectReference($0, record.id)] != nil }
            guard let taken, !(replacing && taken == record.kind) else { return nil }
            return ModelError(
                place: "\(place)._id",
                message: "the \(taken.rawValue) \(record.id) is in the database already",
                isReplaceable: taken == record.kind
            )
        }
    }

    /// What a model would make a second time: new objects with the name of another one at the same place of the tree.
    package func doubles(importing tree: ModelTree) -> [ModelError] {
        let names = Set(FlareClass.allCases.flatMap { records($0) }.compactMap(PlaceInTree.init))
        return zip(tree.records, tree.places).compactMap { record, place in
            guard world[record.reference] == nil, let name = PlaceInTree(record), names.contains(name) else {
                return nil
            }
            let message = "a second \(name.kind.rawValue) called \(JSONValue.string(name.name).text)"
            return ModelError(place: place, message: message)
        }
    }

    /// Takes in a model, all or nothing.
    /// - Parameters:
    ///   - replacing: Whether objects that are there already are replaced; else each is a problem.
    ///   - progress: Called with the numbers of objects stored and of all, now and then.
    /// - Throws: `ModelErrors`, or a `FlareHubError` when it cannot be stored.
    package func importModel(
        _ tree: ModelTree,
        replacing: Bool = false,
        progress: (@Sendable (_ done: Int, _ total: Int) -> Void)? = nil
    ) throws {
        let problems = problems(importing: tree, replacing: replacing)
        guard problems.isEmpty else { throw ModelErrors(problems: problems) }
        let plan = try world.planImport(tree.records, now: now, limit: limits.objects)
        try carryOut(plan, from: nil) { progress?($0, tree.records.count) }
    }

    /// All objects as a model.
    package func exportModel() -> ModelExport {
        ModelExport(FlareClass.allCases.flatMap { records($0) })
    }
}
