package import JSON

/// Something that can be asked of a thing with a profile.
package struct ThingAction: Sendable, Hashable {
    /// As it is listed and sent: its own name, or `<property>.<name>` where several properties have that name.
    package let name: String
    /// The key of its title in the string tables: its own name.
    package let title: String
    /// The property that it sets; `nil` for an action of the thing itself, which the Flare server performs.
    package let property: String?
    /// The value that it sets.
    package let value: JSONValue?
}

/// The actions of all properties of a profile.
struct KindActions: Sendable {
    /// In the order of the properties, with the index of each one's property.
    let all: [(action: ThingAction, property: Int)]
    /// By listed name and by `<property>.<name>`.
    private let index: [String: Int]
    /// The listed names of an action that several properties have, by its own name.
    private let ambiguous: [String: [String]]

    init(_ properties: [KindProperty]) {
        var owners: [String: Int] = [:]
        let isOffered = properties.map { $0.isGeneric || $0.plan.control != .readonlyText }
        for (property, isOffered) in zip(properties, isOffered) where isOffered {
            for name in Set(property.plan.actions.map(\.name)) { owners[name, default: 0] += 1 }
        }
        var all: [(action: ThingAction, property: Int)] = []
        var bare: [String: Int] = [:]
        var index: [String: Int] = [:]
        var ambiguous: [String: [String]] = [:]
        for (number, property) in properties.enumerated() where isOffered[number] {
            for action in property.plan.actions {
                let whole = "\(property.plan.name).\(action.name)"
                let isAlone = owners[action.name] == 1
                if isAlone {
                    bare[action.name] = all.count
                } else {
                    ambiguous[action.name, default: []].append(whole)
                }
                if index[whole] == nil { index[whole] = all.count }
                all.append(
                    (
                        ThingAction(
                            name: isAlone ? action.name : whole,
                            title: action.name,
                            property: property.plan.name,
                            value: action.value
                        ), number
                    )
                )
            }
        }
        self.all = all
        self.index = index.merging(bare) { whole, _ in whole }
        self.ambiguous = ambiguous
    }

    /// The action of a listed name, or of the form `<property>.<name>`.
    func action(named name: String) -> (action: ThingAction, property: Int)? {
        index[name].map { all[$0] }
    }

    /// The forms of a name that several properties have; `nil` for any other name.
    func forms(of name: String) -> [String]? { ambiguous[name] }
}
