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
}
