import Flare

/// What is known of lights beyond their data.
struct LightMemory: Sendable {
    var transitions: [FlareID: Transition] = [:]
    /// Brightness of lights when on, 0…1, where the stored brightness does not show it.
    ///
    /// This is the case after another client stored 0, or after an interrupted fade from or to off.
    var restingLevels: [FlareID: Double] = [:]
}
