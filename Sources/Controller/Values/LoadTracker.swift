package import Flare

/// Which requests for parts of the model are with the server, and which have failed.
package struct LoadTracker: Sendable {
    package init() {}

    private var running: Set<FlareRequest> = []
    /// Requests that are sent once more when their reply has come.
    private var repeated: Set<FlareRequest> = []
    /// What could not be read and is read again after a while.
    private var failed: Set<Reading> = []

    package var hasFailed: Bool { !failed.isEmpty }

    package func isRunning(_ request: FlareRequest) -> Bool { running.contains(request) }

    /// - Returns: Whether to send the request now; otherwise it is repeated after the reply that is awaited.
    package mutating func begin(_ request: FlareRequest) -> Bool {
        guard running.insert(request).inserted else {
            repeated.insert(request)
            return false
        }
        return true
    }

    /// - Returns: Whether the request is to be sent again.
    package mutating func end(_ request: FlareRequest) -> Bool {
        running.remove(request)
        return repeated.remove(request) != nil
    }

    /// The link is new: no reply of the old one will come.
    package mutating func restart() {
        running.removeAll()
        repeated.removeAll()
    }

    package mutating func fail(_ reading: Reading) { failed.insert(reading) }

    /// Forgets failures.
    /// - Returns: Whether the last one was forgotten by this.
    package mutating func forgetFailures(where isMeant: (Reading) -> Bool) -> Bool {
        let left = failed.filter { !isMeant($0) }
        defer { failed = left }
        return left.isEmpty && !failed.isEmpty
    }
}

/// What is read of the server, whatever the single requests for it are.
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
        case .unsubscribe, .setData, .setPosition, .performAction, .renameDevice: return nil
        }
    }

    package var environment: FlareID? {
        switch self {
        case .environments: nil
        case .subscription(let id), .place(let id), .device(let id), .newDevice(let id), .presence(let id): id
        }
    }
}
