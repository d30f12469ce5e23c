import Flare

/// How the real lamp of a thing fares.
package struct LampCondition: Sendable, Hashable {
    /// Whether it can be reached, as far as it is told.
    package var isOnline: Bool
    /// Whether it may be otherwise than the thing says: it has not answered, or could not be told.
    package var isUnconfirmed: Bool

    package init(isOnline: Bool, isUnconfirmed: Bool = false) {
        self.isOnline = isOnline
        self.isUnconfirmed = isUnconfirmed
    }
}

extension DeviceController {
    /// No change of the thing, but of what is shown of it.
    mutating func lampChanged(_ thing: FlareID, _ condition: LampCondition?) {
        guard state.lamps[thing] != condition else { return }
        state.lamps[thing] = condition
        guard state.things[thing] != nil else { return }
        changes.insert(.object(ObjectReference(.thing, thing)))
        if thing == state.nearbyID { changes.insert(.nearby) }
    }
}
