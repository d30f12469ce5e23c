package import Bindings
package import People

/// A thing at the edge, for which the broker has a user.
package struct AccessThing: Sendable, Hashable {
    /// Its vendorThingID, and the name of the broker's user.
    package let vendor: String
    /// Whether it speaks for end nodes, too.
    package let isGateway: Bool

    package init(_ vendor: String, isGateway: Bool = false) {
        (self.vendor, self.isGateway) = (vendor, isGateway)
    }

    /// Those of all things that have a user of the broker: gateways speak for their end nodes.
    ///
    /// A gateway that has had no owner has no end nodes, and any thing may call itself one.
    package static func all(of bindings: [ThingBinding]) -> [AccessThing] {
        let gateways = Set(bindings.compactMap(\.gateway))
        return bindings.filter { $0.gateway == nil }.map {
            AccessThing(
                $0.vendor,
                isGateway: $0.isOwned && ($0.layout == .gateway || gateways.contains($0.id))
            )
        }
    }
}

extension AccessList {
    /// What a thing may do: report on its own topics, and read what it is told.
    package func grants(of thing: AccessThing) -> [Grant] {
        let own = grants(of: EdgeAddress(thing.vendor), EdgeTopic.Part.ofEndNodes)
        guard thing.isGateway else { return own }
        return own + [Grant(access: .write, filter: topics.edge(EdgeAddress(thing.vendor), .nodes))]
            + grants(of: EdgeAddress("+", gateway: thing.vendor), EdgeTopic.Part.ofEndNodes)
    }

    private func grants(of thing: EdgeAddress, _ parts: [EdgeTopic.Part]) -> [Grant] {
        parts.map { Grant(access: .write, filter: topics.edge(thing, $0)) }
            + EdgeTopic.Answer.allCases.map { Grant(access: .read, filter: topics.edge(thing, $0)) }
    }

    /// A section for each thing, by name, after a line with a hash of them all.
    ///
    /// - Parameter others: Names of users that have rights of their own.
    package func thingsText(_ things: some Sequence<AccessThing>, others: Set<String> = []) -> String {
        Self.hashed(sections(of: things, others: others))
    }

    /// The names that users have at the broker: not those of users who have only signed up, as anybody may have done.
    package static func names(of table: AccessTable) -> Set<String> {
        Set(table.users.filter { $0.state != .pending }.map(\.name))
    }

    /// The sections of things; one with the name of a role or another user is left out: mosquitto would give it the
    /// rights of both.
    func sections(of things: some Sequence<AccessThing>, others: Set<String>) -> [String] {
        let taken = others.union(Role.allCases.map { user($0) })
        return things.filter { VendorName.isLegalThing($0.vendor) }.sorted { $0.vendor < $1.vendor }
            .map { thing in
                guard !taken.contains(thing.vendor) else {
                    return "# \(thing.vendor): left out, because another user has this name\n"
                }
                let lines = grants(of: thing).map { "topic \($0.access.rawValue) \($0.filter)" }
                return (["user \(thing.vendor)"] + lines).joined(separator: "\n") + "\n"
            }
    }

    /// The sections of a list behind a line that tells whether two lists are equal.
    static func hashed(_ sections: [String]) -> String {
        var hash = StableHash()
        for section in sections { hash.combine(section.utf8) }
        let digits = String(hash.value, radix: 16)
        let first = "# permissions \(String(repeating: "0", count: 16 - digits.count))\(digits)\n"
        return ([first] + sections).joined(separator: "\n")
    }
}
