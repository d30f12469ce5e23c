import Flare

/// Rule 3 with `steady`: the controller decides zone and nearby thing from the device's position.
/// - Source: contrib/contract/positioning.md, "7. Zones and the nearest thing".
extension DeviceController {
    /// Time without an update after which the last one counts again, milliseconds.
    ///
    /// Estimates normally arrive once a second.
    private static var updatePatience: Int64 { 1500 }

    /// Updates zone and nearby thing from the device's position.
    ///
    /// A change needs several updates that agree, unless the position is exact, as after a command.
    mutating func updatePresence(cause: ChangeEvent.Cause, isExact: Bool = false) {
        guard case .steady(let settings) = configuration.presence, presence.isKnown, state.isPlaceKnown,
            let point = state.device?.position
        else { return }
        if presence.steady.zone != state.zoneID || presence.steady.thing != state.nearbyID {
            let hadCandidate = presence.restart(zone: state.zoneID, thing: state.nearbyID)
            if hadCandidate { effects.append(.stopTimer(.presenceCheck)) }
        }
        let hadCandidate = presence.steady.hasCandidate
        presence.update(surroundings(of: point, settings), isExact: isExact, settings: settings, cause: cause)
        if presence.steady.hasCandidate {
            effects.append(.startTimer(.presenceCheck, milliseconds: Self.updatePatience))
        } else if hadCandidate {
            effects.append(.stopTimer(.presenceCheck))
        }
        if let zone = presence.steady.zone { enterZone(zone, cause: cause) } else { leaveZone(cause: cause) }
        if let thing = presence.steady.thing {
            becomeNear(thing, cause: cause)
        } else if !configuration.stayPaired {
            leaveNearby(cause: cause)
        }
    }

    /// The zone and nearest thing at the start; `nil` if the server decides or the zones are unknown.
    func initialPresence() -> (zone: FlareID?, nearest: FlareID?)? {
        guard case .steady(let settings) = configuration.presence else { return nil }
        guard let point = state.device?.position else { return (nil, nil) }
        guard state.isPlaceKnown else { return nil }
        let seen = surroundings(of: point, settings)
        return (seen.zone, seen.nearest?.id)
    }

    private func surroundings(of point: Point3D, _ settings: SteadyPresence.Settings)
        -> SteadyPresence.Surroundings
    {
        let limit = ProximityLimit.metres(environmentData: state.environment?.data)
        var zone: FlareZone?
        for candidate in state.zones.values {
            guard let box = candidate.perimeter, box.contains(point) else { continue }
            if let best = zone, let area = best.perimeter?.area,
                (area, best.id) <= (box.area, candidate.id)
            {
                continue
            }
            zone = candidate
        }
        let metric = state.nearnessMetric
        var nearest: (id: FlareID, distance: Double)?
        for thing in state.things.values {
            guard let distance = state.metres(from: point, to: thing, metric), distance <= limit else {
                continue
            }
            if let best = nearest, (best.distance, best.id) <= (distance, thing.id) { continue }
            nearest = (thing.id, distance)
        }
        return SteadyPresence.Surroundings(
            zone: zone?.id,
            isAroundZone: state.zone?.perimeter?.grown(by: settings.zoneMargin).contains(point) ?? false,
            nearest: nearest,
            thingDistance: state.nearby.flatMap { state.metres(from: point, to: $0, metric) },
            limit: limit
        )
    }

    /// Discards candidates that are not confirmed yet.
    mutating func clearCandidates() {
        if presence.restart() { effects.append(.stopTimer(.presenceCheck)) }
    }

    /// Starts or stops the timer after which a lost position ends zone and nearness.
    mutating func positionQualityChanged(isLost: Bool) {
        guard configuration.presence != .server, isLost else { return cancelLoss() }
        effects.append(
            .startTimer(.presenceLost, milliseconds: Int64(configuration.lostSeconds * 1000))
        )
        presence.positionLost()
    }

    mutating func cancelLoss() {
        if presence.endLoss() { effects.append(.stopTimer(.presenceLost)) }
    }

    mutating func endPresence() {
        _ = presence.endLoss()
        guard state.fix?.quality == .lost else { return }
        clearCandidates()
        let cause = ChangeEvent.Cause("beacons")
        leaveZone(cause: cause)
        if !configuration.stayPaired { leaveNearby(cause: cause) }
    }
}
