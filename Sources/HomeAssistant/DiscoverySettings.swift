/// The user's settings for discovery.
package struct DiscoverySettings: Sendable, Hashable {
    /// Which things become devices.
    package enum Things: String, Sendable, Hashable, CaseIterable {
        /// All things of the environment.
        case all
        /// The things in the device's current zone.
        case zone
        /// The nearby thing.
        case nearby
        case none
    }

    package var isEnabled = true
    /// The prefix of Home Assistant's discovery topics.
    package var prefix = "homeassistant"
    package var things = Things.all
    /// Whether rules become entities.
    package var rules = true
    /// Whether things are assigned to the area of their zone; Home Assistant creates missing areas.
    package var suggestsAreas = true
    /// The language of names and options from profiles.
    ///
    /// It does not follow the language of the lifecycle: automations rely on the options.
    package var language = "en"

    package init() {}

    /// Nothing is announced, and what was announced is removed.
    package static var off: DiscoverySettings {
        var settings = DiscoverySettings()
        settings.isEnabled = false
        return settings
    }
}
