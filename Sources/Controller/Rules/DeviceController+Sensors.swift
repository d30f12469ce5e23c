import Flare
import JSON
import Things

/// Rules 4 and 7: sensor readings, and which of them are sent to the server.
extension DeviceController {
    /// Moves up to `leastMove` metres are sent only every `leastMoveInterval` milliseconds.
    ///
    /// The limit is just under a decimetre, because positions are whole centimetres.
    private static var leastMove: Double { 0.095 }
    private static var leastMoveInterval: Int64 { 10_000 }

    // MARK: Position

    mutating func positionEstimated(_ estimate: ControllerEvent.PositionEstimated) {
        guard state.isRunning(.beacons), estimate.position.isFinite, let device = state.device else {
            return
        }
        guard estimate.quality != .lost else {
            dropDuePosition()
            return recordFix(estimate, at: now)
        }
        guard state.isLinkUp else { return }
        let reading = PositionReading(estimate: estimate, at: now)
        // A position that the server already has need not wait, because it is not sent.
        guard estimate.position != device.position else {
            dropDuePosition()
            return send(reading)
        }
        switch sync.position.offer(reading, at: now) {
        case .sendNow:
            dropDuePosition()
            send(reading)
        case .startTimer(let milliseconds):
            effects.append(.startTimer(.positionDue, milliseconds: milliseconds))
        case .waitForTimer: break
        }
    }

    mutating func sendDuePosition() {
        if let reading = sync.position.removeWaiting() { send(reading) }
    }

    /// Discards readings that wait to be sent.
    mutating func dropDueReadings() {
        dropDuePosition()
        dropDueHeading()
    }

    private mutating func dropDuePosition() {
        if sync.position.removeWaiting() != nil { effects.append(.stopTimer(.positionDue)) }
    }

    private mutating func dropDueHeading() {
        guard sync.heading.removeWaiting() != nil else { return }
        sync.headingDropped()
        effects.append(.stopTimer(.headingDue))
    }

    /// Records accuracy, quality and source of a position estimate.
    private mutating func recordFix(_ estimate: ControllerEvent.PositionEstimated, at time: Instant) {
        guard let device = state.device else { return }
        let before = state.fix?.quality
        state.fix = PositionFix(
            accuracyMetres: estimate.accuracyMetres,
            quality: estimate.quality,
            source: "beacons",
            isMoving: estimate.isMoving,
            at: time,
            heardAt: estimate.heardAt
        )
        changes.insert(.position)
        guard before != estimate.quality else { return }
        changes.insert(.device)
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

    /// Sends this device's position; position, accuracy and quality take effect at once.
    private mutating func send(_ reading: PositionReading) {
        recordFix(reading.estimate, at: reading.at)
        let position = reading.estimate.position
        let cause = ChangeEvent.Cause("beacons")
        if let device = state.device, isSignificant(position, of: device) {
            sync.position.sent(at: now)
            sync.positionSent()
            adjustBrightness(from: device)
            effects.append(.flare(.setPosition(ObjectReference(.device, device.id), position, sender: nil)))
            moveDevice(to: position, cause: cause)
        }
        presence.update(in: &core, cause: cause)
    }

    /// Whether a position differs enough to be sent; this suppresses noise in the estimates.
    /// - Source: contrib/contract/positioning.md, "6.6 Few beacons, none, and loss".
    private func isSignificant(_ position: Point3D, of device: FlareDevice) -> Bool {
        guard let last = device.position, let sent = sync.position.sentAt else {
            return device.position != position
        }
        return last.distance(to: position) > Self.leastMove
            || last != position && now.milliseconds(since: sent) >= Self.leastMoveInterval
    }

    /// Moves this device in the state and publishes the change.
    mutating func moveDevice(to position: Point3D, cause: ChangeEvent.Cause) {
        guard let device = state.device, device.position != position else { return }
        state.device?.position = position
        state.changedAt[ObjectReference(.device, device.id)] = now
        changes.formUnion([.device, .position, .nearby])
        core.emit(
            .device,
            "moved",
            ObjectReference(.device, device.id),
            before: device.position?.json,
            after: position.json,
            changed: ["position"],
            cause: cause
        )
    }

    /// Rule 7: sets the nearby thing's brightness to 1 − distance in metres, in tenths, while positive.
    /// - Source: contrib/contract/flare-protocol.md, "10.3 Behaviour"; the distance is measured from the
    ///   previous position.
    private mutating func adjustBrightness(from device: FlareDevice) {
        guard configuration.brightnessByProximity, let thing = state.nearby,
            let metres = state.metres(to: thing)
        else { return }
        let brightness = ((1 - metres) * 10).rounded() / 10
        var later = thing
        later.data = expectedData(of: ObjectReference(.thing, thing.id), now: thing.data)
        let expected = state.canonicalData(of: later)["brightness"]
        guard brightness > 0, let expected, expected.number != brightness else { return }
        let request = ChangeRequest(
            actor: .controller,
            kind: .set(["brightness"]),
            object: ObjectReference(.thing, thing.id),
            zone: thing.zone
        )
        guard refusal(of: request) == nil else { return }
        enqueue(
            Job(
                work: .write(["brightness": .value(.number(brightness))], transition: nil),
                command: nil,
                cause: ChangeEvent.Cause("beacons")
            ),
            on: ObjectReference(.thing, thing.id)
        )
    }

    // MARK: Heading

    mutating func headingChanged(_ degrees: Double) {
        guard state.isRunning(.compass), degrees.isFinite else { return }
        state.headingAt = now
        changes.insert(.angle)
        let hasDevice = state.device != nil && state.isLinkUp
        sync.measured(heading: degrees, at: now, hasDevice: hasDevice)
        guard hasDevice else { return }
        switch sync.heading.offer(degrees, at: now) {
        case .sendNow: send(heading: degrees)
        case .startTimer(let milliseconds):
            effects.append(.startTimer(.headingDue, milliseconds: milliseconds))
        case .waitForTimer: break
        }
    }

    /// Shows a finer compass heading until another client turns the device.
    mutating func headingMeasured(_ degrees: Double) {
        guard state.isRunning(.compass), degrees.isFinite else { return }
        state.headingAt = now
        state.measuredAngle = degrees
        changes.insert(.angle)
    }

    /// Applies a recent compass heading to a device that was just read.
    mutating func resendHeading(isNew: Bool) {
        guard state.isRunning(.compass),
            let degrees = sync.headingForDevice(isNew: isNew, at: now)
        else { return }
        headingChanged(degrees)
    }

    mutating func sendDueHeading() {
        if let degrees = sync.heading.removeWaiting() { send(heading: degrees) }
    }

    private mutating func send(heading degrees: Double) {
        _ = sync.heading.removeWaiting()
        guard let device = state.device,
            expectedData(of: ObjectReference(.device, device.id), now: device.data)["angle"]?.number
                != degrees
        else { return }
        sync.heading.sent(at: now)
        enqueue(
            Job(
                work: .write(["angle": .value(.number(degrees))], transition: nil),
                command: nil,
                cause: ChangeEvent.Cause("compass")
            ),
            on: ObjectReference(.device, device.id)
        )
    }

    // MARK: GPS location

    mutating func located(_ location: Location) {
        guard state.isRunning(.gps), location.point.isValid else { return }
        guard state.location != location else { return }
        state.location = location
        changes.insert(.location)
        guard reading.areEnvironmentsKnown else { return }
        let chosen = state.environmentAtLocation
        // Select only on entry to another geofence, so that a manual selection holds until then.
        guard chosen != sync.locatedEnvironment else { return }
        sync.locatedEnvironment = chosen
        if let chosen { select(chosen, cause: ChangeEvent.Cause("gps")) }
    }

    // MARK: Sensor switches

    /// Switches a sensor as somebody has commanded, which counts more than the configuration.
    mutating func switchSensor(_ sensor: SensorKind, on: Bool) {
        guard state.sensors[sensor] != on else { return }
        memory.sensors[sensor] = on
        effects.append(.remember(.sensor(sensor, on: on)))
        setSensor(sensor, on: on)
    }

    /// Switches the sensors that nobody has switched yet as the configuration says.
    mutating func sensorsFollowConfiguration() {
        for sensor in SensorKind.allCases where memory.sensors[sensor] == nil {
            setSensor(sensor, on: !configuration.switchedOff.contains(sensor))
        }
    }

    private mutating func setSensor(_ sensor: SensorKind, on: Bool) {
        guard state.sensors[sensor] != on else { return }
        state.sensors[sensor] = on
        changes.insert(.sensor(sensor))
        if !state.suspendedSensors.contains(sensor) { sensorChanged(sensor, isRunning: on) }
        if sensor == .gps, !on, state.location != nil {
            state.location = nil
            sync.locatedEnvironment = nil
            changes.insert(.location)
        }
    }

    /// Starts or stops a sensor, and forgets what it was about to say.
    mutating func sensorChanged(_ sensor: SensorKind, isRunning: Bool) {
        effects.append(.switchSensor(sensor, on: isRunning))
        switch sensor {
        case .beacons:
            dropDuePosition()
            presence.cancelLoss(in: &core)
        case .compass:
            dropDueHeading()
            sync.forgetHeading()
            if state.measuredAngle != nil {
                state.measuredAngle = nil
                changes.insert(.angle)
            }
        case .gps, .cmx:
            break
        }
    }
}
