import Flare

/// What is known of the server's places beyond the state, and what is still to be read.
struct PlaceReading: Sendable {
    /// Whether the environments were read once; only later differences are events.
    var areEnvironmentsKnown = false
    /// The device of a remembered place, until the server has answered for it.
    var rememberedDevice: FlareID?
    var elsewhere = PlacesElsewhere()
    var missingProfiles = MissingProfiles()
    var unknownNames = UnknownNames()

    /// Whether an object with a slug no longer exists in any environment, as far as is known.
    func isGone(_ object: ObjectReference, in state: ControllerState) -> Bool {
        guard areEnvironmentsKnown, !state.isKnown(object) else { return false }
        switch object.kind {
        case .environment: return true
        case .zone, .thing:
            guard let home = state.slugs.home(of: object) else { return false }
            return state.environments[home] == nil || home == state.environmentID && state.isPlaceKnown
        case .device: return false
        }
    }
}
