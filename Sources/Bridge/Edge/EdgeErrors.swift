package import Messages
import RateLimiting

/// Which errors are answered: one a second for each thing at most, and a few for all end nodes of a gateway.
///
/// Anybody who may publish on the broker chooses names, so the number that is remembered is limited. A gateway can make up
/// names of end nodes: those are remembered only if their errors are answered.
/// - Source: contrib/contract/bindings.md, "The thing at the edge".
package struct EdgeErrors: Sendable {
    /// Ten thousand bindings, and strangers.
    private static let capacity = 11_000
    /// When a bucket is full again, and need not be remembered, milliseconds.
    private static let pause: Int64 = 1000
    /// Errors a second to the end nodes of a gateway together.
    private static let ofNodes = 4.0

    private enum Key: Hashable {
        case thing(EdgeAddress)
        /// All end nodes of a gateway.
        case nodes(of: String)
    }

    private var buckets: [Key: TokenBucket] = [:]
    private var nextCleaning: Int64 = .min
    /// How many were not answered.
    package private(set) var unanswered = 0

    package init() {}

    /// How many things and gateways are remembered.
    package var count: Int { buckets.count }

    /// Whether an error of a thing is answered now.
    ///
    /// - Parameter now: Milliseconds of the steady clock.
    package mutating func take(_ thing: EdgeAddress, at now: Int64) -> Bool {
        guard takeShares(of: thing, at: now) else {
            unanswered &+= 1
            return false
        }
        return true
    }

    private mutating func takeShares(of thing: EdgeAddress, at now: Int64) -> Bool {
        guard let gateway = thing.gateway else { return take(.thing(thing), 1, at: now) }
        let nodes = Key.nodes(of: gateway)
        // An error that the node itself had just before leaves the others their share.
        if let share = buckets[nodes], share.level(at: now) < 1 { return false }
        guard take(.thing(thing), 1, at: now) else { return false }
        return take(nodes, Self.ofNodes, at: now)
    }

    /// - Parameter perSecond: Also how many at once.
    private mutating func take(_ key: Key, _ perSecond: Double, at now: Int64) -> Bool {
        if buckets[key] == nil, buckets.count >= Self.capacity {
            clean(at: now)
            guard buckets.count < Self.capacity else { return false }
        }
        return buckets[key, default: TokenBucket(capacity: perSecond, perSecond: perSecond)].take(at: now)
    }

    /// Forgets those with a full bucket, at most once a second: it looks at all of them.
    private mutating func clean(at now: Int64) {
        guard now >= nextCleaning else { return }
        nextCleaning = now &+ Self.pause
        buckets = buckets.filter { $0.value.level(at: now) < $0.value.capacity }
    }
}
