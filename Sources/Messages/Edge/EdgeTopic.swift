/// A thing that speaks on the broker itself: at its own topics, or as an end node at those of its gateway.
///
/// - Source: contrib/contract/bindings.md, "The thing at the edge".
package struct EdgeAddress: Sendable, Hashable {
    /// Its vendorThingID.
    package let vendor: String
    /// The vendorThingID of the gateway of an end node.
    package let gateway: String?

    package init(_ vendor: String, gateway: String? = nil) {
        (self.vendor, self.gateway) = (vendor, gateway)
    }

    /// The user of the broker who speaks for it.
    package var speaker: String { gateway ?? vendor }
}

/// A topic on which a thing at the edge reports.
///
/// - Source: contrib/contract/bindings.md, "The thing at the edge".
package struct EdgeTopic: Sendable, Hashable {
    /// What a thing publishes.
    package enum Part: String, Sendable, Hashable, CaseIterable {
        case onboard, state, result, status
        /// What a gateway sees; an end node has no such topic.
        case nodes

        /// Whether the broker must not keep its messages: a kept one asks for what was asked for before.
        package var isNeverKept: Bool {
            switch self {
            case .onboard, .result, .nodes: true
            case .state, .status: false
            }
        }
    }

    /// What a thing reads.
    package enum Answer: String, Sendable, Hashable, CaseIterable {
        case onboarded, command, error
    }

    package let thing: EdgeAddress
    package let part: Part

    package init(_ thing: EdgeAddress, _ part: Part) { (self.thing, self.part) = (thing, part) }

    package var vendor: String { thing.vendor }
    package var gateway: String? { thing.gateway }
}
