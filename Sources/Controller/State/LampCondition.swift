import Flare

/// The condition of a thing's physical lamp.
package struct LampCondition: Sendable, Hashable {
    /// Whether the lamp was last reported as reachable.
    package var isOnline: Bool
    /// Whether the lamp may differ from its thing: it has not replied, or a write has failed.
    package var isUnconfirmed: Bool

    package init(isOnline: Bool, isUnconfirmed: Bool = false) {
        self.isOnline = isOnline
        self.isUnconfirmed = isUnconfirmed
    }
}

extension ControllerCore {
    /// Marks the thing as changed for readers, without an event.
    mutating func lampChanged(_ thing: FlareID, _ condition: LampCondition?) {
        guard state.lamps[thing] != condition else { return }
        state.lamps[thing] = condition
        guard state.things[thing] != nil else { return }
        changes.insert(.object(ObjectReference(.thing, thing)))
        if thing == state.nearbyID { changes.insert(.nearby) }
    }
}
