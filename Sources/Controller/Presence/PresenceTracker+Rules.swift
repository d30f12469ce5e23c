import Flare

/// Rule 3: the current zone and the nearby thing, decided by the server; or, with `steady`, by the controller from the
/// device's position.
/// - Source: contrib/contract/positioning.md, "7. Zones and the nearest thing".
extension PresenceTracker {
    /// Time without an update after which the last one counts again, milliseconds.
    ///
    /// Estimates normally arrive once a second.
    private static var updatePatience: Int64 { 1500 }

    // MARK: By the server

    mutating func loaded(zone: FlareID?, nearest: FlareID?, in core: inout ControllerCore) {
        guard isKnown else {
            // The first reading is the initial state, not an event.
            isKnown = true
            let (zone, nearest) = initialPresence(core) ?? (zone, nearest)
            if zone != core.state.zoneID { core.setZone(zone) }
            if nearest != core.state.nearbyID, nearest != nil || !core.configuration.stayPaired {
                core.setNearby(nearest)
            }
            return
        }
        let cause = ChangeEvent.Cause("server")
        guard core.configuration.presence == .server else { return update(in: &core, cause: cause) }
        follow(zone: zone, nearest: nearest, in: &core, cause: cause)
    }

    mutating func noticed(_ notice: FlareNotice, in core: inout ControllerCore) {
        guard core.configuration.presence == .server else { return }
        let cause = ChangeEvent.Cause("server")
        switch notice {
        case .enter(let zone, let device) where device == core.state.device?.id:
            _ = removePendingExit()
            core.enterZone(zone, cause: cause)
            entered(at: core.now)
        case .exit(let zone, let device) where device == core.state.device?.id && zone == core.state.zoneID:
            switch exited(zone, at: core.now) {
            case .leave: core.leaveZone(cause: cause)
            case .confirm(let milliseconds):
                core.effects.append(.startTimer(.exitCheck, milliseconds: milliseconds))
            }
        case .near(let thing, let device, _) where device == core.state.device?.id:
            core.becomeNear(thing, cause: cause)
        case .far(let thing, let device)
        where device == core.state.device?.id && thing == core.state.nearbyID:
            if !core.configuration.stayPaired { core.leaveNearby(cause: cause) }
        default:
            break
        }
    }

    /// Leaves the zone after the grace period, unless a newer notice has cancelled the exit.
    mutating func confirmExit(in core: inout ControllerCore) {
        guard let zone = removePendingExit() else { return }
        if zone == core.state.zoneID { core.leaveZone(cause: ChangeEvent.Cause("server")) }
    }

    private mutating func follow(
        zone: FlareID?,
        nearest: FlareID?,
        in core: inout ControllerCore,
        cause: ChangeEvent.Cause
    ) {
        if let zone {
            _ = removePendingExit()
            core.enterZone(zone, cause: cause)
        } else {
            core.leaveZone(cause: cause)
        }
        if let nearest {
            core.becomeNear(nearest, cause: cause)
        } else if !core.configuration.stayPaired {
            core.leaveNearby(cause: cause)
        }
    }

    // MARK: By the position

    /// Updates zone and nearby thing from the device's position.
    ///
    /// A change needs several updates that agree, unless the position is exact, as after a command.
    mutating func update(in core: inout ControllerCore, cause: ChangeEvent.Cause, isExact: Bool = false) {
        // Whatever else changes: where a device was before it was lost says nothing of where it is.
        guard case .steady(let settings) = core.configuration.presence, isKnown, core.state.isPlaceKnown,
            !isPositionOver, let point = core.state.device?.position
        else { return }
        if steady.zone != core.state.zoneID || steady.thing != core.state.nearbyID {
            let hadCandidate = restart(zone: core.state.zoneID, thing: core.state.nearbyID)
            if hadCandidate { core.effects.append(.stopTimer(.presenceCheck)) }
        }
        let hadCandidate = steady.hasCandidate
        let seen = core.state.surroundings(of: point, settings)
        update(seen, isExact: isExact, settings: settings, cause: cause)
        if steady.hasCandidate {
            core.effects.append(.startTimer(.presenceCheck, milliseconds: Self.updatePatience))
        } else if hadCandidate {
            core.effects.append(.stopTimer(.presenceCheck))
        }
        follow(zone: steady.zone, nearest: steady.thing, in: &core, cause: cause)
    }

    /// The zone and nearest thing at the start; `nil` if the server decides or the zones are unknown.
    private func initialPresence(_ core: ControllerCore) -> (zone: FlareID?, nearest: FlareID?)? {
        guard case .steady(let settings) = core.configuration.presence else { return nil }
        guard !isPositionOver, let point = core.state.device?.position else { return (nil, nil) }
        guard core.state.isPlaceKnown else { return nil }
        let seen = core.state.surroundings(of: point, settings)
        return (seen.shares.map(\.likeliest) ?? seen.zone, seen.nearest?.id)
    }

    /// Discards candidates that are not confirmed yet.
    mutating func clearCandidates(in core: inout ControllerCore) {
        if restart() { core.effects.append(.stopTimer(.presenceCheck)) }
    }

    // MARK: A lost position

    /// Starts or stops the timer after which a lost position ends zone and nearness.
    mutating func positionQualityChanged(isLost: Bool, in core: inout ControllerCore) {
        noteLoss(isLost, at: core.now)
        guard core.configuration.presence != .server, isLost else { return cancelLoss(in: &core) }
        guard !isPositionOver else { return }
        waitForPosition(lostMilliseconds(core), in: &core)
    }

    /// A position of an earlier run counts as long as it would have counted there.
    ///
    /// - Parameter age: Milliseconds since it was measured.
    mutating func positionRecalled(age: Int64, in core: inout ControllerCore) {
        let limit = lostMilliseconds(core)
        if age < limit { waitForPosition(limit - age, in: &core) } else { positionEnded() }
    }

    private func lostMilliseconds(_ core: ControllerCore) -> Int64 {
        Int64(core.configuration.lostSeconds * 1000)
    }

    private mutating func waitForPosition(_ milliseconds: Int64, in core: inout ControllerCore) {
        core.effects.append(.startTimer(.presenceLost, milliseconds: milliseconds))
        positionLost()
    }

    mutating func cancelLoss(in core: inout ControllerCore) {
        if endLoss() { core.effects.append(.stopTimer(.presenceLost)) }
    }

    mutating func end(in core: inout ControllerCore) {
        // Without a fix, the position is that of an earlier run.
        guard endLoss(), core.state.fix?.quality ?? .lost == .lost else { return }
        positionEnded()
        clearCandidates(in: &core)
        let cause = ChangeEvent.Cause("beacons")
        core.leaveZone(cause: cause)
        if !core.configuration.stayPaired { core.leaveNearby(cause: cause) }
    }

    /// Forgets what belongs to a place that is left.
    mutating func leavePlace(in core: inout ControllerCore) {
        clearCandidates(in: &core)
        cancelLoss(in: &core)
        if forget() { core.effects.append(.stopTimer(.exitCheck)) }
    }
}
