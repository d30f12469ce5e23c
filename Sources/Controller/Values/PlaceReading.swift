import Flare

/// What is known of the server's places beyond the state, and what is still to be read.
struct PlaceReading: Sendable {
    /// Whether the environments were read once; only later differences are events.
    var areEnvironmentsKnown = false
    /// The device of a remembered place, until the server has answered for it.
    var rememberedDevice: FlareID?
    var elsewhere = PlacesElsewhere()
    var missingProfiles = MissingProfiles()
}
