import Flare

/// Rule 4: which readings of the sensors are sent to the server, and when.
extension DeviceSync {
    /// Moves up to `leastMove` metres are sent only every `leastMoveInterval` milliseconds.
    ///
    /// The limit is just under a decimetre, because positions are whole centimetres.
    private static var leastMove: Double { 0.095 }
    private static var leastMoveInterval: Int64 { 10_000 }

    // MARK: Position

    /// Takes an estimate of the position.
    /// - Returns: What is to be sent now; `nil` if it waits or is not sent.
    mutating func estimated(
        _ estimate: ControllerEvent.PositionEstimated,
        in core: inout ControllerCore,
        _ presence: inout PresenceTracker
    ) -> PositionReading? {
        guard core.state.isRunning(.beacons), estimate.position.isFinite, let device = core.state.device
        else {
            return nil
        }
        guard estimate.quality != .lost else {
            dropDuePosition(in: &core)
            recordFix(estimate, at: core.now, in: &core, &presence)
            return nil
        }
        guard core.state.isLinkUp else { return nil }
        let reading = PositionReading(estimate: estimate, at: core.now)
        // A position that the server already has need not wait, because it is not sent.
        guard estimate.position != device.position else {
            dropDuePosition(in: &core)
            return reading
        }
        switch position.offer(reading, at: core.now) {
        case .sendNow:
            dropDuePosition(in: &core)
            return reading
        case .startTimer(let milliseconds):
            core.effects.append(.startTimer(.positionDue, milliseconds: milliseconds))
        case .waitForTimer: break
        }
        return nil
    }

    /// Records accuracy, quality and source of a position estimate.
    func recordFix(
        _ estimate: ControllerEvent.PositionEstimated,
        at time: Instant,
        in core: inout ControllerCore,
        _ presence: inout PresenceTracker
    ) {
        guard let device = core.state.device else { return }
        let before = core.state.fix?.quality
        core.state.seenAt = seen(estimate, at: time, core.state)
        core.state.fix = PositionFix(
            accuracyMetres: estimate.accuracyMetres,
            quality: estimate.quality,
            source: "beacons",
            isMoving: estimate.isMoving,
            at: time,
            heardAt: estimate.heardAt,
            model: estimate.model,
            zones: estimate.zones.map { ZoneBelief(shares: $0, position: estimate.position) }
        )
        core.changes.insert(.position)
        if estimate.quality != .lost {
            presence.positionFound()
            // The position of an earlier run is not waited for any more.
            if before == nil { presence.cancelLoss(in: &core) }
        }
        guard before != estimate.quality else { return }
        core.changes.insert(.device)
        if (before == .lost) != (estimate.quality == .lost) {
            presence.positionQualityChanged(isLost: estimate.quality == .lost, in: &core)
        }
        let reference = ObjectReference(.device, device.id)
        if estimate.quality == .lost {
            core.emit(.device, "lost", reference, changed: ["quality"], cause: .init("beacons"))
        } else if before == .lost {
            core.emit(.device, "found", reference, changed: ["quality"], cause: .init("beacons"))
        }
    }

    /// When the device was heard last: an estimate is also made of what was heard before, and of nothing at all.
    private func seen(
        _ estimate: ControllerEvent.PositionEstimated,
        at time: Instant,
        _ state: ControllerState
    ) -> Instant {
        let before = state.seenAt
        guard estimate.heardAt != nil else { return before ?? time }
        let times =
            estimate.beacons.values.map { BeaconCondition($0, at: time).seenAt } + [before].compactMap(\.self)
        return times.max { $0.steadyMilliseconds < $1.steadyMilliseconds } ?? time
    }

    /// Whether a position differs enough to be sent; this suppresses noise in the estimates.
    /// - Source: contrib/contract/positioning.md, "6.6 Few beacons, none, and loss".
    func isSignificant(_ position: Point3D, of device: FlareDevice, at now: Instant) -> Bool {
        guard let last = device.position, let sent = self.position.sentAt else {
            return device.position != position
        }
        return last.distance(to: position) > Self.leastMove
            || last != position && now.milliseconds(since: sent) >= Self.leastMoveInterval
    }

    // MARK: Heading

    /// Takes a heading of the compass.
    /// - Returns: Whether it is to be sent now.
    mutating func measured(_ degrees: Double, in core: inout ControllerCore) -> Bool {
        guard core.state.isRunning(.compass), degrees.isFinite else { return false }
        core.state.headingAt = core.now
        core.changes.insert(.angle)
        let hasDevice = core.state.device != nil && core.state.isLinkUp
        measured(heading: degrees, at: core.now, hasDevice: hasDevice)
        guard hasDevice else { return false }
        switch heading.offer(degrees, at: core.now) {
        case .sendNow: return true
        case .startTimer(let milliseconds):
            core.effects.append(.startTimer(.headingDue, milliseconds: milliseconds))
        case .waitForTimer: break
        }
        return false
    }

    // MARK: Stopping

    /// Discards readings that wait to be sent.
    mutating func dropDueReadings(in core: inout ControllerCore) {
        dropDuePosition(in: &core)
        dropDueHeading(in: &core)
    }

    private mutating func dropDuePosition(in core: inout ControllerCore) {
        if position.removeWaiting() != nil { core.effects.append(.stopTimer(.positionDue)) }
    }

    private mutating func dropDueHeading(in core: inout ControllerCore) {
        guard heading.removeWaiting() != nil else { return }
        headingDropped()
        core.effects.append(.stopTimer(.headingDue))
    }

    /// Starts or stops a sensor, and forgets what it was about to say.
    mutating func sensorChanged(
        _ sensor: SensorKind,
        isRunning: Bool,
        in core: inout ControllerCore,
        _ presence: inout PresenceTracker
    ) {
        core.effects.append(.switchSensor(sensor, on: isRunning))
        switch sensor {
        case .beacons:
            dropDuePosition(in: &core)
            presence.cancelLoss(in: &core)
            // Who is not heard when the sensor runs again leaves the zone, as if it had run all the time.
            if isRunning, core.state.fix?.quality == .lost {
                presence.positionQualityChanged(isLost: true, in: &core)
            }
        case .compass:
            dropDueHeading(in: &core)
            forgetHeading()
            if core.state.measuredAngle != nil {
                core.state.measuredAngle = nil
                core.changes.insert(.angle)
            }
        case .gps, .cmx:
            break
        }
    }
}
