/// What a user may decide about discovery.
package struct DiscoverySettings: Sendable, Hashable {
    /// Which things become devices.
    package enum Things: String, Sendable, Hashable, CaseIterable {
        /// Every thing of the environment.
        case all
        /// Those of the zone in which this device is.
        case zone
        /// The one that is nearby.
        case nearby
        case none
    }

    package var isEnabled = true
    /// The first levels of Home Assistant's discovery topics.
    package var prefix = "homeassistant"
    package var things = Things.all
    /// Whether things are put into the area of their zone; Home Assistant creates areas that it does not have.
    package var suggestsAreas = true

    package init() {}
}
