import Bridge
import MQTT
import Text

// The keys that no capability brings.

extension ConfigurationSection {
    /// In the file before the capabilities' keys.
    static let basics = ConfigurationSection(
        summaries: [
            "mqtt": "The MQTT broker, and how messages are published.",
            "mqtt.tls": "TLS on the connection to the broker.",
            "mqtt.rates": "Limits for values that change all the time.",
            "flare": "The place: environments, zones, things and devices.",
            "flare.remote": "A Flare server on another machine; unused in embedded mode.",
            "flare.server": "The embedded Flare server, for other Flare programs.",
            "profiles":
                "Profiles say what a kind of thing has: its properties, how each is shown and changed, its names.",
            "controller": "Rules for the zone and the nearby thing.",
            "presence":
                "When the device enters and leaves zones, and when things become near and far: margins and delays against flicker.",
            "device": "This device, as it appears in the place.",
            "sensors":
                "Sensors for position, angle and location. A sensor that is absent is reported and does no harm.",
        ],
        keys: ConfigurationKey.basics + ConfigurationKey.profiles,
        // The node and the base are in every topic, and every part has topics: they stay.
        exchangeable: [
            .init(\.mqtt), .init(\.passwordFile),
            .init(\.bridge.responseTopics), .init(\.bridge.publishesLocation), .init(\.bridge.healthInterval),
            .init(\.bridge.positionsPerSecond), .init(\.bridge.anglesPerSecond),
            .init(\.bridge.copiesPerSecond),
            .init(\.flare.access), .init(\.flare.trustedNetworks), .init(\.flare.isSteady),
            .init(\.profiles), .init(\.controller), .init(\.device),
        ],
        rules: ConfigurationRule.basics + ConfigurationRule.profiles,
        files: [.password, .remoteToken]
    )

    /// In the file after the capabilities' keys.
    static let remainder = ConfigurationSection(
        summaries: [
            "sensors.cmx": "Cisco CMX.",
            "sensors.replay": "A recording that replaces the sensors.",
            "positioning": "How positions are estimated from beacons.",
            "positioning.grid":
                "Constants of the grid estimator; the defaults suit most places. An environment may have its own, in data.positioning.",
            "discovery": "Home Assistant discovery: devices and entities that appear by themselves.",
            "log": "The log.",
        ],
        keys: ConfigurationKey.sensors + ConfigurationKey.positioning + ConfigurationKey.discovery
            + ConfigurationKey.log,
        exchangeable: [.init(\.sensors), .init(\.positioning), .init(\.discovery), .init(\.log)]
    )
}

extension ConfigurationFile {
    fileprivate static let password = ConfigurationFile("mqtt.password_file") { loaded in
        guard let file = loaded.values.passwordFile, loaded.values.mqtt.password == nil else {
            return .success(nil)
        }
        return Secret.load(file).map { found in
            loaded.values.mqtt.password = found.secret
            loaded.origins["mqtt.password"] = .wholeFile(file)
            return found.warning
        }
    }

    fileprivate static let remoteToken = ConfigurationFile("flare.remote.token_file") { loaded in
        guard let file = loaded.values.flare.remote.tokenFile else { return .success(nil) }
        return Secret.loadToken(file).map { found in
            loaded.values.flare.remote.token = found.secret
            return found.warning
        }
    }
}
