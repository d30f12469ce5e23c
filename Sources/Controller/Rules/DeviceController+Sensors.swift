import Flare
import Things

/// Rules 4 and 7: what the own sensors say, and what is told to the server of it.
extension DeviceController {
    /// The least time between two positions, and between two headings, sent to the server, milliseconds.
    private static var sendInterval: Int64 { 1000 }
    /// What comes once a second comes a little sooner or later each time, and is not held back for that.
    private static var jitter: Int64 { 50 }

    /// A heading counts for so long for a device that is read later, milliseconds.
    private static var headingLife: Int64 { 15_000 }

    /// Moves of less than a decimetre are told at these intervals, milliseconds; positions are whole centimetres.
    private static var leastMove: Double { 0.095 }
    private static var leastMoveInterval: Int64 { 10_000 }

    // MARK: Position

    mutating func positionEstimated(_ estimate: ControllerEvent.PositionEstimated) {
        guard state.sensors[.beacons] == true, estimate.position.isFinite, let device = state.device else {
            return
        }
        guard estimate.quality != .lost else {
            dropDuePosition()
            return note(estimate, at: now)
        }
        guard state.isLinkUp else { return }
        let reading = PositionReading(estimate: estimate, at: now)
        if let sent = positionSentAt, now.milliseconds(since: sent) < Self.sendInterval - Self.jitter,
            estimate.position != device.position
        {
            if positionDue == nil {
                let rest = Self.sendInterval - now.milliseconds(since: sent)
                effects.append(.startTimer(.positionDue, milliseconds: rest))
            }
            positionDue = reading
        } else {
            dropDuePosition()
            send(reading)
        }
    }

    mutating func sendDuePosition() {
        guard let reading = positionDue else { return }
        positionDue = nil
        send(reading)
    }

    /// What was to be sent later is not sent any more.
    mutating func dropDueReadings() {
        dropDuePosition()
        dropDueHeading()
    }

    private mutating func dropDuePosition() {
        guard positionDue != nil else { return }
        positionDue = nil
        effects.append(.stopTimer(.positionDue))
    }

    private mutating func dropDueHeading() {
        guard headingDue != nil else { return }
        headingDue = nil
        heading?.isTaken = false
        effects.append(.stopTimer(.headingDue))
    }

    /// Takes over what is known of a position beside its coordinates.
    private mutating func note(_ estimate: ControllerEvent.PositionEstimated, at time: Instant) {
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
            positionQualityChanged(isLost: estimate.quality == .lost)
        }
        let reference = ObjectReference(.device, device.id)
        if estimate.quality == .lost {
            tell(.device, "lost", reference, changed: ["quality"], cause: .init("beacons"))
        } else if before == .lost {
            tell(.device, "found", reference, changed: ["quality"], cause: .init("beacons"))
        }
    }

    /// Sends an own position; it counts as true once it is sent, and with it all that was measured with it.
    private mutating func send(_ reading: PositionReading) {
        note(reading.estimate, at: reading.at)
        let position = reading.estimate.position
        let cause = ChangeEvent.Cause("beacons")
        if let device = state.device, isNews(position, of: device) {
            positionSentAt = now
            positionsOnTheirWay += 1
            followWithBrightness(from: device)
            effects.append(.flare(.setPosition(ObjectReference(.device, device.id), position, sender: nil)))
            moveDevice(to: position, cause: cause)
        }
        lookAround(cause: cause)
    }

    /// Whether a position is worth telling: estimates tremble, and each that is told is stored and told on.
    /// - Source: positioning 6.6.
    private func isNews(_ position: Point3D, of device: FlareDevice) -> Bool {
        guard let last = device.position, let sent = positionSentAt else {
            return device.position != position
        }
        return last.distance(to: position) > Self.leastMove
            || last != position && now.milliseconds(since: sent) >= Self.leastMoveInterval
    }

    /// Puts the own device somewhere and tells it.
    mutating func moveDevice(to position: Point3D, cause: ChangeEvent.Cause) {
        guard let device = state.device, device.position != position else { return }
        state.device?.position = position
        state.changedAt[ObjectReference(.device, device.id)] = now
        changes.formUnion([.device, .position, .nearby])
        tell(
            .device,
            "moved",
            ObjectReference(.device, device.id),
            before: device.position?.json,
            after: position.json,
            changed: ["position"],
            cause: cause
        )
    }

    /// Rule 7: the nearby thing's brightness is 1 − distance, in tenths, while that is positive.
    /// - Source: flare-protocol 10.3; the distance is that of the position before this one.
    private mutating func followWithBrightness(from device: FlareDevice) {
        guard configuration.brightnessByProximity, let thing = state.nearby, let place = thing.position,
            let position = device.position
        else { return }
        let brightness = ((1 - position.distance(to: place)) * 10).rounded() / 10
        let expected = expectedData(of: ObjectReference(.thing, thing.id), now: thing.data)["brightness"]
        guard brightness > 0, let expected, expected.number != brightness else { return }
        let request = ChangeRequest(
            speaker: .controller,
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
        guard state.sensors[.compass] == true, degrees.isFinite else { return }
        state.headingAt = now
        changes.insert(.angle)
        let isTaken = state.device != nil && state.isLinkUp
        heading = (degrees, now, isTaken)
        guard isTaken else { return }
        if let sent = headingSentAt, now.milliseconds(since: sent) < Self.sendInterval {
            if headingDue == nil {
                let rest = Self.sendInterval - now.milliseconds(since: sent)
                effects.append(.startTimer(.headingDue, milliseconds: rest))
            }
            headingDue = degrees
        } else {
            send(heading: degrees)
        }
    }

    /// Shown until somebody else turns the device.
    mutating func headingMeasured(_ degrees: Double) {
        guard state.sensors[.compass] == true, degrees.isFinite else { return }
        state.headingAt = now
        state.measuredAngle = degrees
        changes.insert(.angle)
    }

    /// A device was read, perhaps another one: what the compass said before that counts for it, unless it is old.
    mutating func tellHeading(isNew: Bool) {
        guard state.sensors[.compass] == true, let heading, isNew || !heading.isTaken,
            now.milliseconds(since: heading.at) <= Self.headingLife
        else { return }
        if isNew { headingSentAt = nil }
        headingChanged(heading.degrees)
    }

    mutating func sendDueHeading() {
        if let degrees = headingDue { send(heading: degrees) }
    }

    private mutating func send(heading degrees: Double) {
        headingDue = nil
        guard let device = state.device,
            expectedData(of: ObjectReference(.device, device.id), now: device.data)["angle"]?.number
                != degrees
        else { return }
        headingSentAt = now
        enqueue(
            Job(
                work: .write(["angle": .value(.number(degrees))], transition: nil),
                command: nil,
                cause: ChangeEvent.Cause("compass")
            ),
            on: ObjectReference(.device, device.id)
        )
    }

    // MARK: Place on the earth

    mutating func located(_ location: Location) {
        guard state.sensors[.gps] == true, location.point.isValid else { return }
        guard state.location != location else { return }
        state.location = location
        changes.insert(.location)
        guard areEnvironmentsKnown else { return }
        let chosen = environmentAtLocation()
        // Only coming into another geofence chooses anew, so that a choice by hand holds until then.
        guard chosen != locatedEnvironment else { return }
        locatedEnvironment = chosen
        if let chosen { select(chosen, cause: ChangeEvent.Cause("gps")) }
    }

    // MARK: Switches

    mutating func switchSensor(_ sensor: SensorKind, on: Bool) {
        guard state.sensors[sensor] != on else { return }
        state.sensors[sensor] = on
        changes.insert(.sensor(sensor))
        effects.append(.remember(.sensor(sensor, on: on)))
        effects.append(.switchSensor(sensor, on: on))
        switch sensor {
        case .beacons:
            dropDuePosition()
            stopWaitingForLoss()
        case .compass:
            dropDueHeading()
            heading = nil
            if state.measuredAngle != nil {
                state.measuredAngle = nil
                changes.insert(.angle)
            }
        case .gps:
            if !on, state.location != nil {
                state.location = nil
                locatedEnvironment = nil
                changes.insert(.location)
            }
        case .cmx:
            break
        }
    }
}

/// An estimate of the own position, and when it was made.
struct PositionReading: Sendable {
    let estimate: ControllerEvent.PositionEstimated
    let at: Instant
}
