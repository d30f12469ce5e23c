import ServiceLifecycle
import Threading

/// Services that capabilities keep as long as the daemon runs, such as those with an open file: a reload that builds the
/// parts of a capability again finds them.
final class KeptServices: Sendable {
    private let kept = Locked<[(type: ObjectIdentifier, service: any Service)]>([])

    /// The service of a type, which is made if there is none yet.
    ///
    /// Only those run that are made before the node starts, and so by capabilities that are always on.
    func service<Kept: Service>(_ make: () throws -> Kept) rethrows -> Kept {
        let type = ObjectIdentifier(Kept.self)
        let known = kept.withLock { $0.first { $0.type == type }?.service }
        if let known = known as? Kept { return known }
        let made = try make()
        kept.withLock { $0.append((type, made)) }
        return made
    }

    /// In the order in which they were made.
    var services: [any Service] { kept.withLock { $0.map(\.service) } }
}
