import Flare
import JSON

/// What follows from changes of the place.
extension ControllerCore {
    mutating func trackBeacons() {
        guard state.isPlaceKnown, let environment = state.environment else { return }
        effects.append(
            .trackBeacons(
                .init(
                    environment: environment,
                    zones: state.zones.values.sorted { $0.id < $1.id },
                    things: state.things.values.sorted { $0.id < $1.id }
                )
            )
        )
    }

    mutating func emitAction(_ action: String, on object: ObjectReference, cause: ChangeEvent.Cause) {
        guard state.isKnown(object) else { return }
        emit(object.kind.topic, "action", object, cause: cause, details: ["action": .string(action)])
    }

    /// Removes failed reads that have succeeded since or are no longer needed.
    mutating func forgetFailedReads(where isMeant: (Reading) -> Bool) {
        guard loads.forgetFailures(where: isMeant) else { return }
        effects.append(.stopTimer(.readAgain))
        clear("flare-load")
    }

    /// Moves this device in the state and publishes the change.
    mutating func moveDevice(to position: Point3D, cause: ChangeEvent.Cause) {
        guard let device = state.device, device.position != position else { return }
        state.device?.position = position
        let reference = ObjectReference(.device, device.id)
        state.changedAt[reference] = now
        changes.formUnion([.device, .position, .nearby])
        emitMoved(reference, from: device.position?.json, to: position.json, cause: cause)
    }

    /// Shows a finer compass heading until another client turns the device.
    mutating func headingMeasured(_ degrees: Double) {
        guard state.isRunning(.compass), degrees.isFinite else { return }
        state.headingAt = now
        state.measuredAngle = degrees
        changes.insert(.angle)
    }
}
