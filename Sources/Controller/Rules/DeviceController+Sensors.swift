import Flare
import JSON
import People
import Things

/// Rules 4 and 7: sensor readings, and which of them are sent to the server.
extension DeviceController {
    // MARK: Position

    mutating func positionEstimated(_ estimate: ControllerEvent.PositionEstimated) {
        core.state.countedBeacons = estimate.beacons.mapValues { BeaconCondition($0, at: now) }
        if let reading = sync.estimated(estimate, in: &core, &presence) { send(reading) }
        if state.fix?.quality == .lost { rememberPosition() }
    }

    mutating func sendDuePosition() {
        if let reading = sync.position.removeWaiting() { send(reading) }
    }

    /// Sends this device's position; position, accuracy and quality take effect at once.
    private mutating func send(_ reading: PositionReading) {
        sync.recordFix(reading.estimate, at: reading.at, in: &core, &presence)
        let position = reading.estimate.position
        let cause = ChangeEvent.Cause("beacons")
        if let device = state.device, sync.isSignificant(position, of: device, at: now) {
            sync.position.sent(at: now)
            sync.positionSent()
            adjustBrightness(from: device)
            effects.append(.flare(.setPosition(ObjectReference(.device, device.id), position, sender: nil)))
            core.moveDevice(to: position, cause: cause)
        }
        presence.update(in: &core, cause: cause)
        rememberPosition()
    }

    /// Rule 7: sets the nearby thing's brightness to 1 − distance in metres, in tenths, while positive.
    /// - Source: contrib/contract/flare-protocol.md, "10.3 Behaviour"; the distance is measured from the
    ///   previous position.
    private mutating func adjustBrightness(from device: FlareDevice) {
        guard configuration.brightnessByProximity, let thing = state.nearby,
            let metres = state.metres(to: thing)
        else { return }
        let brightness = ((1 - metres) * 10).rounded() / 10
        let expected = expected(thing)
        let level = state.shape(of: expected).light(of: expected.data).level
        guard brightness > 0, let level, level != brightness else { return }
        let request = ChangeRequest(
            actor: .controller,
            caller: .nobody,
            kind: .set(["brightness"]),
            object: ObjectReference(.thing, thing.id),
            zone: thing.zone
        )
        guard allows(request) else { return }
        enqueue(
            Job(
                work: .write(ThingPatch(level: brightness), transition: nil),
                command: nil,
                cause: ChangeEvent.Cause("beacons")
            ),
            on: ObjectReference(.thing, thing.id)
        )
    }

    // MARK: Heading

    mutating func headingChanged(_ degrees: Double) {
        if sync.measured(degrees, in: &core) { send(heading: degrees) }
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
                work: .write(ThingPatch(values: ["angle": .number(degrees)]), transition: nil),
                command: nil,
                cause: ChangeEvent.Cause("compass")
            ),
            on: ObjectReference(.device, device.id)
        )
    }

    // MARK: GPS location

    mutating func located(_ location: Location) {
        guard state.isRunning(.gps), location.point.isValid else { return }
        state.locatedAt = now
        guard state.location != location else { return }
        state.location = location
        changes.insert(.location)
        // Where a further device is chooses no environment: all are in the one that the daemon shows.
        guard reading.areEnvironmentsKnown, seat == nil else { return }
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
        if !state.suspendedSensors.contains(sensor) {
            sync.sensorChanged(sensor, isRunning: on, in: &core, &presence)
        }
        if sensor == .gps, !on, state.location != nil {
            state.location = nil
            sync.locatedEnvironment = nil
            changes.insert(.location)
        }
    }
}
