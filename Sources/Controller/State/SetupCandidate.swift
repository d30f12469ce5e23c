/// An access point that is probably a thing of a profile that waits to be set up.
package struct SetupCandidate: Sendable, Hashable {
    /// A scanner has just heard it.
    package struct Sighting: Sendable, Hashable {
        package let ssid: String
        /// The name of the profile.
        package let profile: String
        /// dBm, if the scanner says so.
        package let rssi: Double?

        package init(ssid: String, profile: String, rssi: Double? = nil) {
            (self.ssid, self.profile, self.rssi) = (ssid, profile, rssi)
        }
    }

    package let sighting: Sighting
    /// When it was last heard.
    package let heardAt: Instant

    /// How long one counts that is not heard again, milliseconds.
    package static let lifetime: Int64 = 300_000
    /// The most that are kept; the ones that were not heard for longest go first.
    package static let maximumCount = 200
}
