import Flare

/// The age of the device's position, which survives a restart: an old position decides no zone and no nearby thing.
extension DeviceController {
    /// Remembers whether the position is measured now; a row is written only when that changes.
    ///
    /// - Parameter left: The environment that is left, if one is.
    /// - Parameter isEnding: The run ends.
    mutating func rememberPosition(leaving left: FlareID? = nil, isEnding: Bool = false) {
        guard configuration.presence != .server, let environment = left ?? state.environmentID,
            state.device?.position != nil
        else { return }
        let isEnding = isEnding || left != nil
        let known = memory.positions[environment]
        if let fix = state.fix, fix.source != "beacons" {
            // Nobody measures it, so it has no age: it counts until there is another.
            return remember(nil, in: environment)
        }
        guard let seen = state.seenAt?.wallMilliseconds else { return }
        if isEnding || state.fix?.quality == .lost {
            if state.fix != nil || known != nil { remember(.ended(at: seen), in: environment) }
        } else if state.fix != nil {
            if case .held? = known { return }
            remember(.held(since: seen), in: environment)
        }
    }

    /// Somebody else than the estimator says where the device is.
    mutating func positionGiven(_ quality: PositionFix.Quality, by source: String) {
        state.fix = PositionFix(accuracyMetres: nil, quality: quality, source: source, at: now)
        state.seenAt = now
        changes.insert(.position)
        presence.positionFound()
        // The device may have no position yet, since that of a former one is none.
        if let environment = state.environmentID { forgetFormerDevice(in: environment) }
        rememberPosition()
    }

    private mutating func remember(_ position: MeasuredPosition?, in environment: FlareID) {
        guard memory.positions[environment] != position else { return }
        memory.positions[environment] = position
        effects.append(.remember(.position(position, environment: environment)))
    }

    /// Ten years, milliseconds.
    private static var longestAge: Int64 { 315_360_000_000 }

    /// Uses what is known of the position that the server has, before it decides anything.
    mutating func recallPosition(in environment: FlareID) {
        guard configuration.presence != .server, state.fix == nil, state.device?.position != nil,
            let known = memory.positions[environment], let certain = known.certain
        else { return }
        let passed = now.wallMilliseconds.subtractingReportingOverflow(certain)
        // A clock that was set may put it into the future.
        let age = passed.overflow ? Int64.max : max(0, passed.partialValue)
        state.seenAt = Instant(
            wallMilliseconds: certain,
            steadyMilliseconds: now.steadyMilliseconds - min(age, Self.longestAge)
        )
        switch known {
        case .held: presence.positionRecalled(age: 0, in: &core)
        case .ended: presence.positionRecalled(age: age, in: &core)
        case .ofAnother: break
        }
    }

    /// Whether the position that the server has is that of a former device of the node, and nobody has given another since.
    func hasPositionOfAnother(in environment: FlareID) -> Bool {
        configuration.presence != .server && memory.positions[environment] == .ofAnother
    }

    /// From now on the position that the server has is the device's own.
    mutating func forgetFormerDevice(in environment: FlareID) {
        if memory.positions[environment] == .ofAnother { remember(nil, in: environment) }
    }
}
