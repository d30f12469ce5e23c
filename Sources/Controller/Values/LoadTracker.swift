package import Flare

/// Tracks read requests: those in progress, those to repeat and those that failed.
package struct LoadTracker: Sendable {
    package init() {}

    private var running: Set<FlareRequest> = []
    /// Requests to send once more after their reply.
    private var repeated: Set<FlareRequest> = []
    /// Failed reads that will be retried.
    private var failed: Set<Reading> = []

    package var hasFailed: Bool { !failed.isEmpty }

    package func isRunning(_ request: FlareRequest) -> Bool { running.contains(request) }

    /// Registers a read request.
    /// - Returns: Whether to send it now; otherwise it is repeated after the pending reply.
    package mutating func begin(_ request: FlareRequest) -> Bool {
        guard running.insert(request).inserted else {
            repeated.insert(request)
            return false
        }
        return true
    }

    /// Records the reply to a request.
    /// - Returns: Whether to send the request again.
    package mutating func end(_ request: FlareRequest) -> Bool {
        guard !running.isEmpty else { return false }
        running.remove(request)
        return repeated.remove(request) != nil
    }

    /// Forgets requests in progress, because a new link brings no replies to them.
    package mutating func restart() {
        running.removeAll()
        repeated.removeAll()
    }

    package mutating func fail(_ reading: Reading) { failed.insert(reading) }

    /// Exchanges the failed reads with those of a node.
    mutating func exchangeFailures(with other: inout Set<Reading>) { swap(&failed, &other) }

    /// Forgets failed reads.
    /// - Returns: Whether this removed the last one.
    package mutating func forgetFailures(where isMeant: (Reading) -> Bool) -> Bool {
        let left = failed.filter { !isMeant($0) }
        defer { failed = left }
        return left.isEmpty && !failed.isEmpty
    }
}

/// What a request reads from the server, independent of its parameters.
package enum Reading: Sendable, Hashable {
    case environments
    case subscription(FlareID), place(FlareID), device(FlareID), newDevice(FlareID), presence(FlareID)

    package init?(_ request: FlareRequest) {
        switch request {
        case .loadEnvironments: self = .environments
        case .subscribe(let environment): self = .subscription(environment)
        case .loadPlace(let environment): self = .place(environment)
        case .loadDevice(_, let environment): self = .device(environment)
        case .createDevice(_, let environment): self = .newDevice(environment)
        case .loadPresence(_, let environment, _): self = .presence(environment)
        case .unsubscribe, .setData, .setPosition, .performAction, .renameDevice, .create, .change,
            .remove:
            return nil
        }
    }

    package var environment: FlareID? {
        switch self {
        case .environments: nil
        case .subscription(let id), .place(let id), .device(let id), .newDevice(let id), .presence(let id): id
        }
    }
}
