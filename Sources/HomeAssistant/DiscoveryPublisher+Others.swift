/// Things that other daemons announce as well.
extension DiscoveryPublisher {
    /// The topics on which others announce devices, as filters; empty if no things are announced here.
    package var otherDevices: [String] {
        configuration.settings.isEnabled && configuration.settings.things != .none
            ? [configuration.deviceTopics] : []
    }

    /// Records an announcement of a device, of whichever daemon.
    /// - Returns: Whether the things of others have changed.
    package mutating func record(other topic: String, _ payload: [UInt8]) -> Bool {
        // Names of devices begin like this; those of other programs are not read.
        guard DiscoveryConfiguration.device(ofAny: topic) != nil, !isDevice(topic) else { return false }
        return others.record(topic, payload, unlessOf: configuration.identifier(of: .own))
    }

    package mutating func forgetOthers() { others.removeAll() }

    /// What to do about things that another daemon announces as well; `nil` if there are none.
    package var doubled: String? {
        guard !others.isEmpty, !otherDevices.isEmpty else { return nil }
        let ours = Set(held.values.compactMap { $0.thing.map { OtherThings.identity(of: $0.thing) } })
        return others.message(where: ours.contains)
    }
}
