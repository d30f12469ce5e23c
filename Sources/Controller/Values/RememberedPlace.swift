package import Flare

/// The place as it was when the server could last be reached.
package struct RememberedPlace: Sendable, Hashable {
    package var environments: [FlareEnvironment]
    /// The current one.
    package var environment: FlareID
    /// Its zones and things, and this device in it.
    package var zones: [FlareZone]
    package var things: [FlareThing]
    package var device: FlareDevice?

    package init(
        environments: [FlareEnvironment],
        environment: FlareID,
        zones: [FlareZone],
        things: [FlareThing],
        device: FlareDevice? = nil
    ) {
        (self.environments, self.environment) = (environments, environment)
        (self.zones, self.things, self.device) = (zones, things, device)
    }
}
