import Daemon
import HTTPListener
import Settings

extension ConfigurationSchema {
    /// The configuration of this program, with what only makes sense together in the directory's part.
    static let commandLine = ConfigurationSchema(
        Capability.all.map(\.settings) + [
            ConfigurationSection(rules: [.announcedPort, .resolverListens]), .listeners,
        ]
    )
}

extension ConfigurationRule {
    fileprivate static let announcedPort = ConfigurationRule(paths: ["station.announce"]) {
        $0.station.announce?.port == 0 ? "needs the resolver's port, 1 to 65535 (is 0)" : nil
    }

    fileprivate static let resolverListens = ConfigurationRule(paths: ["resolver.listen", "resolver.enabled"])
    {
        $0.resolver.isEnabled && $0.resolver.listen.isEmpty
            ? "needs an address to listen on while resolver.enabled is true" : nil
    }
}

extension LoadedConfiguration {
    /// A warning if others learn where this machine is, and cannot connect to its Flare server; `nil` otherwise.
    var warningOfUnreachableStation: ConfigurationError? {
        guard values.station.announce != nil, values.flare.isServing else { return nil }
        let place = values.flare.listen
        let listener = HTTPListenerConfiguration(section: "flare.server", host: place.host, port: place.port)
        guard listener.isOnlyForThisMachine else { return nil }
        return ConfigurationError(
            origin("station.announce"),
            "station.announce",
            "others learn the address of this machine, but the Flare server listens on \(place) only, and they reach it "
                + "through a proxy alone; set flare.server.listen, for instance to 0.0.0.0:1234"
        )
    }
}
