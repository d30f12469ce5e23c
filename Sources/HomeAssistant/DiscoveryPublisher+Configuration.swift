/// What changes while it runs.
extension DiscoveryPublisher {
    /// Sets the links that health reports.
    package mutating func setLinks(_ links: Set<String>) {
        guard links != self.links else { return }
        self.links = links
        isOwnStale = true
    }

    /// Sets the Flare server's address.
    package mutating func setFlareURL(_ flareURL: String) {
        guard flareURL != configuration.flareURL else { return }
        configuration.flareURL = flareURL
        isOwnStale = true
    }

    /// Follows another configuration of the same node; then everything is to be announced again.
    package mutating func use(_ configuration: DiscoveryConfiguration) {
        if configuration.settings.prefix != self.configuration.settings.prefix {
            for (device, known) in held {
                strays.append(self.configuration.topic(of: device))
                // The same entities follow on another topic.
                former.record(Self.names(known.components), of: device, isSeen: false)
            }
            // Who listens there knows nothing of us yet.
            (held, cleanups, leaving, foreign, isOnline) = ([:], [], [:], [], nil)
        }
        self.configuration = configuration
    }
}
