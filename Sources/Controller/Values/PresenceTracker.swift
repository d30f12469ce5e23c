package import Flare

/// What is known of zone and nearness beside the state: candidates, an exit that is not certain, a lost position.
package struct PresenceTracker: Sendable {
    /// What to do about an exit.
    package enum ExitDecision: Sendable, Hashable {
        case leave
        /// It came too soon after the enter: it is confirmed after this time.
        case confirm(afterMilliseconds: Int64)
    }

    /// How long after an enter an exit is not believed, milliseconds.
    /// - Source: the origin's apps, which met exits of the old zone after enters of the new one.
    package static let exitGrace: Int64 = 500

    /// Whether the presence was read once: from then on differences are events.
    package var isKnown = false
    /// The margins and repetitions with which the controller decides by itself.
    package private(set) var steady = SteadyPresence()
    /// What caused the last update of ``steady``.
    package private(set) var cause = ChangeEvent.Cause("server")
    /// Whether a lost position is to end zone and nearness after a while.
    package private(set) var isLossPending = false
    private var enteredAt: Instant?
    /// A zone whose exit came too soon to be believed.
    package private(set) var pendingExit: FlareID?

    package init() {}

    // MARK: Notices of a server

    package mutating func entered(at now: Instant) { enteredAt = now }

    package mutating func exited(_ zone: FlareID, at now: Instant) -> ExitDecision {
        guard let enteredAt, now.milliseconds(since: enteredAt) < Self.exitGrace else { return .leave }
        pendingExit = zone
        return .confirm(afterMilliseconds: Self.exitGrace - now.milliseconds(since: enteredAt))
    }

    /// Removes the exit that waits to be confirmed.
    package mutating func removePendingExit() -> FlareID? {
        defer { pendingExit = nil }
        return pendingExit
    }

    // MARK: The own position

    /// Applies what surrounds the device now.
    package mutating func update(
        _ seen: SteadyPresence.Surroundings,
        isExact: Bool,
        settings: SteadyPresence.Settings,
        cause: ChangeEvent.Cause
    ) {
        steady.update(seen, isExact: isExact, settings: settings)
        self.cause = cause
    }

    /// Starts over from a zone and a thing, without candidates.
    /// - Returns: Whether there was a candidate.
    @discardableResult
    package mutating func restart(zone: FlareID? = nil, thing: FlareID? = nil) -> Bool {
        defer { steady = SteadyPresence(zone: zone, thing: thing) }
        return steady.hasCandidate
    }

    package mutating func positionLost() { isLossPending = true }

    /// - Returns: Whether a loss was pending.
    package mutating func endLoss() -> Bool {
        defer { isLossPending = false }
        return isLossPending
    }

    /// Another environment or device: nothing is known of it.
    /// - Returns: Whether an exit was pending.
    package mutating func forget() -> Bool {
        isKnown = false
        enteredAt = nil
        return removePendingExit() != nil
    }
}
