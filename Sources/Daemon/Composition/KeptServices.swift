import ServiceLifecycle
import Threading

/// A service that must know something before the place is read, so that it misses nothing of what happens there.
protocol PreparingService: Service {
    /// Returns when it knows that, or has failed, or when the task is cancelled. It is running meanwhile.
    func prepared() async
}

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

    /// Returns when the place may be read: all services know what they need by then.
    func prepared() async {
        for case let service as any PreparingService in services { await service.prepared() }
    }
}
