import Flare

/// The condition of what a thing stands for: a physical lamp, or the thing itself at the edge.
package struct ThingCondition: Sendable, Hashable {
    /// Whether it was last reported as reachable.
    package var isOnline: Bool
    /// Whether a lamp may differ from its thing: it has not replied, or a write has failed.
    package var isUnconfirmed: Bool

    package init(isOnline: Bool, isUnconfirmed: Bool = false) {
        self.isOnline = isOnline
        self.isUnconfirmed = isUnconfirmed
    }
}

extension ControllerCore {
    /// Marks the thing as changed for readers, without an event.
    mutating func conditionChanged(_ thing: FlareID, _ condition: ThingCondition?) {
        guard state.conditions[thing] != condition else { return }
        state.conditions[thing] = condition
        guard state.things[thing] != nil else { return }
        changes.insert(.object(ObjectReference(.thing, thing)))
        if thing == state.nearbyID { changes.insert(.nearby) }
    }
}
