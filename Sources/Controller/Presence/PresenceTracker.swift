package import Flare

/// Zone and proximity beyond the published state: candidates, an unconfirmed exit, a lost position.
package struct PresenceTracker: Sendable {
    /// How to handle an exit notice.
    package enum ExitDecision: Sendable, Hashable {
        case leave
        /// The exit followed the enter too closely, so it is confirmed after this time.
        case confirm(afterMilliseconds: Int64)
    }

    /// How long after an enter an exit must be confirmed, milliseconds.
    /// - Source: contrib/contract/flare-protocol.md, "5.3 Transitions".
    package static let exitGrace: Int64 = 500

    /// Whether presence was read once; only later differences are events.
    package var isKnown = false
    /// The hysteresis with which the controller decides zone and nearby thing itself.
    package private(set) var steady = SteadyPresence()
    /// The cause of the last update of ``steady``.
    package private(set) var cause = ChangeEvent.Cause("server")
    /// Whether the timer is running after which a lost position ends zone and nearness.
    package private(set) var isLossPending = false
    /// Whether the position was lost for too long: it decides nothing any more until there is another.
    package private(set) var isPositionOver = false
    /// Since when the position is lost, while estimates go on; `nil` while it is not lost.
    private(set) var lostAt: Instant?
    private var enteredAt: Instant?
    /// A zone whose exit awaits confirmation.
    package private(set) var pendingExit: FlareID?

    package init() {}

    // MARK: Server notices

    package mutating func entered(at now: Instant) { enteredAt = now }

    package mutating func exited(_ zone: FlareID, at now: Instant) -> ExitDecision {
        guard let enteredAt, now.milliseconds(since: enteredAt) < Self.exitGrace else { return .leave }
        pendingExit = zone
        return .confirm(afterMilliseconds: Self.exitGrace - now.milliseconds(since: enteredAt))
    }

    /// Removes and returns the zone whose exit awaits confirmation.
    package mutating func removePendingExit() -> FlareID? {
        defer { pendingExit = nil }
        return pendingExit
    }

    // MARK: Position

    /// Applies the zones and things around the device.
    package mutating func update(
        _ seen: SteadyPresence.Surroundings,
        isExact: Bool,
        settings: SteadyPresence.Settings,
        cause: ChangeEvent.Cause
    ) {
        steady.update(seen, isExact: isExact, settings: settings)
        self.cause = cause
    }

    /// Restarts from a zone and a thing, without candidates.
    /// - Returns: Whether a candidate was dropped.
    @discardableResult
    package mutating func restart(zone: FlareID? = nil, thing: FlareID? = nil) -> Bool {
        defer { steady = SteadyPresence(zone: zone, thing: thing) }
        return steady.hasCandidate
    }

    package mutating func positionLost() { isLossPending = true }

    /// The position was lost for too long.
    package mutating func positionEnded() { isPositionOver = true }

    /// Notes since when the position is lost, or that it is not.
    mutating func noteLoss(_ isLost: Bool, at now: Instant) { lostAt = isLost ? now : nil }

    /// There is a position of now, measured or given.
    package mutating func positionFound() { isPositionOver = false }

    /// Ends the wait after a lost position.
    /// - Returns: Whether a loss was pending.
    package mutating func endLoss() -> Bool {
        defer { isLossPending = false }
        return isLossPending
    }

    /// Resets what is known for another environment or device.
    /// - Returns: Whether an exit was pending.
    package mutating func forget() -> Bool {
        isKnown = false
        isPositionOver = false
        (enteredAt, lostAt) = (nil, nil)
        return removePendingExit() != nil
    }
}
