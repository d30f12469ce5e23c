import Bridge
import Controller
import Flare
import FlareClient
import FlareServer
import HomeAssistant
import MQTT
import Positioning

extension ConfigurationKey {
    /// The broker, the server, the device and its presence.
    static let basics = table([
        .init("mqtt.host", \.mqtt.host, .host):
            "The broker's name or address.",
        .init("mqtt.port", \.mqtt.port, .integer(1...65535)):
            "The broker's TCP port; with TLS usually 8883.",
        .init("mqtt.version", \.mqtt.protocolVersion, .choice()):
            "The MQTT version; auto uses 5 if the broker supports it, else 3.1.1.",
        .init("mqtt.client_id", \.mqtt.clientID, .optional(.text(upTo: 128))):
            "The client id; null makes one from the node and a stored number.",
        .init("mqtt.username", \.mqtt.username, .optional(.text())):
            "The user name at the broker; null for none.",
        .init("mqtt.password", \.mqtt.password, .optional(.secret), secret: true):
            "The password is never written here: use password_file or the variable TRILATERAL_MQTT_PASSWORD.",
        .init("mqtt.password_file", \.passwordFile, .optional(.path)):
            "A file that contains only the password; only its owner should be able to read it.",
        .init("mqtt.keepalive_seconds", \.mqtt.keepAliveSeconds, .integer(5...3600)):
            "Keep-alive interval, seconds; after one and a half intervals of silence the broker publishes our last will.",
        .init("mqtt.base", \.bridge.base, .topic):
            "All topics begin with <base>/<node>.",
        .init("mqtt.node", \.node, .optional(.slug)):
            "The name of this daemon on the broker, part of its topics; null uses the host name.",
        .init("mqtt.response_topics", \.bridge.responseTopics, .list(.topicFilter)):
            "Where answers go when a command names a response topic (MQTT 5), as filters; a command with another is refused.",
        .init("mqtt.reconnect_min_seconds", \.mqtt.reconnectMinimumSeconds, .number(0.1...60)):
            "Delay before the first attempt to reconnect, seconds; it doubles with each attempt, with some jitter.",
        .init("mqtt.reconnect_max_seconds", \.mqtt.reconnectMaximumSeconds, .number(1...3600)):
            "The longest delay between two attempts, seconds.",
        .init("mqtt.max_queued", \.mqtt.maximumQueued, .integer(100...30000)):
            "How many messages may be queued for the broker.",
        .init("mqtt.health_interval_seconds", \.bridge.healthInterval, .seconds(5...3600)):
            "Interval of the messages on <base>/<node>/health, seconds.",
        .init("mqtt.tls.enabled", \.mqtt.tls.isEnabled, .flag):
            "Whether the connection to the broker uses TLS.",
        .init("mqtt.tls.ca_file", \.mqtt.tls.caFile, .optional(.path)):
            "The certificate authorities that the broker's certificate is checked against (PEM); null uses the system's.",
        .init("mqtt.tls.certificate_file", \.mqtt.tls.certificateFile, .optional(.path)):
            "The client certificate (PEM), for brokers that require one; needs key_file.",
        .init("mqtt.tls.key_file", \.mqtt.tls.keyFile, .optional(.path)):
            "The private key of the client certificate (PEM, not encrypted).",
        .init("mqtt.tls.alpn", \.mqtt.tls.alpn, .optional(.text(upTo: 255))):
            "The ALPN protocol name, for brokers that share a port with other services; null for none.",
        .init("mqtt.tls.verify_hostname", \.mqtt.tls.verifyHostname, .flag):
            "Whether the broker's certificate must be for its host name.",
        .init("mqtt.rates.position_per_second", \.bridge.positionsPerSecond, .number(0.1...50)):
            "How often the device's position is published at most, times a second.",
        .init("mqtt.rates.angle_per_second", \.bridge.anglesPerSecond, .number(0.1...50)):
            "How often the device's angle is published at most, times a second.",
        .init("mqtt.rates.copies_per_second", \.bridge.copiesPerSecond, .number(0.1...50)):
            "How often their copies in the topics state and device are published at most, times a second.",

        .init("flare.mode", \.flare.mode, .choice()):
            "Which Flare server keeps the place: the one in this program, or a remote one.",
        .init("flare.remote.url", \.flare.remote.url, .optional(.origin)):
            "The remote server, as http://name:1234 or https://name; null in embedded mode.",
        .init("flare.remote.token_file", \.flare.remote.tokenFile, .optional(.path)):
            "A file that contains only the token that the server at url asks for; only its owner should be able to read it.",
        .init("flare.remote.serial", \.flare.remote.serial, .optional(.text(upTo: 256))):
            "The name or serial of a registered station (trilateral station add), instead of a URL.",
        .init("flare.remote.resolver", \.flare.remote.resolver, .server):
            "The resolver that knows where that station is, HOST:PORT.",
        .init("flare.remote.protocol", \.flare.remote.revision, .choice()):
            "The Engine.IO version: 3 for servers with Socket.IO 1 and 2 (such as the original), 4 for newer ones; auto finds out.",
        .init("flare.remote.transport", \.flare.remote.client.transport, .choice()):
            "The transport; auto uses a WebSocket, or polling if none can be opened.",
        .init("flare.remote.timeout_seconds", \.flare.remote.client.answerSeconds, .number(0.5...300)):
            "Timeout of an answer, seconds; connecting, up to the first answer, takes 5 at most.",
        .init(
            "flare.remote.reconnect_max_seconds",
            \.flare.remote.client.reconnectMaximumSeconds,
            .number(1...3600)
        ):
            "The longest delay between two attempts to reconnect, seconds.",
        .init("flare.remote.stream", \.flare.remote.client.streams, .flag):
            "Whether the server sends changes as they happen; if false, the place is read every poll_seconds.",
        .init("flare.remote.poll_seconds", \.flare.remote.client.pollSeconds, .number(1...3600)):
            "How often the place is read if stream is false, seconds.",
        .init("flare.remote.mirror", \.flare.remote.isMirrored, .flag):
            "Whether the place is kept here too: after a start without the server the last one is shown, marked as stale, with "
            + "all things offline.",
        .init("flare.remote.ca_file", \.flare.remote.tls.caFile, .optional(.path)):
            "The certificate authorities that the server's certificate is checked against (PEM); null uses the system's.",
        .init("flare.remote.certificate_file", \.flare.remote.tls.certificateFile, .optional(.path)):
            "The client certificate (PEM), for servers that require one; needs key_file.",
        .init("flare.remote.key_file", \.flare.remote.tls.keyFile, .optional(.path)):
            "The private key of the client certificate (PEM, not encrypted).",
        .init("flare.remote.verify_hostname", \.flare.remote.tls.verifiesName, .flag):
            "Whether the server's certificate must be for its host name.",
        .servers:
            "Remote servers for the services that profile files name (serviceType, serviceLocation): the first that fits becomes "
            + "flare.remote.url. They can be given in the file only.",
        .init("flare.server.enabled", \.flare.isServerEnabled, .flag):
            "Whether the embedded server accepts connections of other Flare programs.",
        .init("flare.server.listen", \.flare.listen, .hostAndPort):
            "Where it listens, HOST:PORT; 127.0.0.1 is for this machine only, port 0 chooses a free port.",
        .init("flare.server.allowed_hosts", \.flare.allowedHosts, .list(.host)):
            "Further host names under which it can be reached (Host header); addresses of this machine are always allowed.",
        .init("flare.server.allowed_origins", \.flare.allowedOrigins, .list(.origin)):
            "Origins whose web pages may use it, as https://name[:port]; other ports of this machine are other origins.",
        .init("flare.server.access", \.flare.access, .choice()):
            "Who needs a user's token: auto everybody but trusted networks, and this machine to change more than values; token everybody; open nobody.",
        .init("flare.server.trusted_networks", \.flare.trustedNetworks, .list(.network)):
            "Networks whose programs need no token with auto, as 192.168.1.0/24; 127.0.0.0/8 trusts all users of this machine.",
        .init("flare.server.synchronous", \.flare.store.synchronous, .choice()):
            "How safely writes are stored: normal survives a crash of the program; full also survives a power cut, and is slower.",
        .init("flare.server.strict", \.flare.dialect, .strictness):
            "Whether plain bugs of the original server are corrected: messages sent twice, angles beyond a full turn.",
        .init("flare.server.steady", \.flare.isSteady, .flag):
            "Whether the server also uses the section presence for zones and nearness of devices, instead of the original rule.",

        .init("controller.presence", \.controller.decider, .choice()):
            "Who decides which zone the device is in and what is near: this program, by the section presence, or the "
            + "server, by the original rule.",
        .init("controller.stay_paired", \.controller.stayPaired, .flag):
            "Whether the nearby thing stays until another one is near.",
        .init("controller.brightness_by_proximity", \.controller.brightnessByProximity, .flag):
            "Whether the nearby thing gets brighter the closer the device is (this changes its brightness).",

        .init("presence.zone_margin", \.controller.steadiness.zoneMargin, .number(0...10)):
            "How far outside its zone the device still counts as inside, metres.",
        .init("presence.near_margin", \.controller.steadiness.nearMargin, .number(0...10)):
            "How much farther than the environment's distance a near thing may be, metres.",
        .init("presence.near_margin_share", \.controller.steadiness.nearMarginShare, .number(0...2)):
            "The same as a share of that distance; the larger of the two counts.",
        .init("presence.nearer_margin", \.controller.steadiness.nearerMargin, .number(0...10)):
            "How much nearer than the nearby thing another thing must be to take its place, metres.",
        .init("presence.near_dimensions", \.controller.steadiness.nearDimensions, .integer(2...3)):
            "How near a thing is: 2 measures in the plane of a floor, whatever hangs above; 3 with the height.",
        .init("presence.updates", \.controller.steadiness.updates, .integer(1...30)):
            "How many consecutive positions, one a second, must agree.",
        .init("presence.lost_seconds", \.controller.lostSeconds, .number(1...86400)):
            "How long the position may be lost before the device is in no zone and near nothing, seconds.",

        .init("device.name", \.device.name, .optional(.text(upTo: 128))):
            "The name of this device in the place; null uses the host name.",
        .init("device.present", \.isPresent, .flag):
            "Whether this machine is a device itself; if false, its node is the place alone: no position, zone, nearby thing and "
            + "lifecycle.",
        .init("device.allow_set", \.controller.allowsDeviceSet, .flag):
            "Whether position, angle and name of this device may be set over MQTT.",
        .init("device.publish_location", \.bridge.publishesLocation, .flag):
            "Whether latitude and longitude are published.",
    ])

    /// Sensors that no capability brings.
    static let sensors = table([
        .init("sensors.cmx.enabled", \.sensors.cmxEnabled, .flag):
            "Whether positions come from a Cisco CMX server that notifies the Flare server.",
        .init("sensors.replay.file", \.sensors.replayFile, .optional(.path)):
            "A recording or capture to play instead of using the sensors; null for none.",
        .init("sensors.replay.speed", \.sensors.replaySpeed, .number(0.01...1000)):
            "The speed; 1 is as recorded.",
        .init("sensors.replay.loop", \.sensors.replayLoop, .flag):
            "Whether it begins again at its end.",
    ])

    /// How positions are reckoned; the grid estimator's constants explain themselves.
    static let positioning =
        table([
            .init("positioning.estimator", \.positioning.estimator, .choice()):
                "How a position is estimated: grid weighs every place by what is heard; centroid is the weighted mean of the beacons."
        ])
        + GridEstimator.Constant.allCases.map { constant in
            ConfigurationKey(
                "positioning.grid.\(constant.rawValue)",
                \.positioning.grid[constant],
                .number(constant.range),
                constant.summary
            )
        }

    /// Home Assistant discovery.
    static let discovery = table([
        .init("discovery.enabled", \.discovery.isEnabled, .flag):
            "Whether this device and the things are announced to Home Assistant; switching it off removes everything that was announced.",
        .init("discovery.prefix", \.discovery.prefix, .topic):
            "The discovery prefix, as it is set in Home Assistant.",
        .init("discovery.things", \.discovery.things, .choice()):
            "Which things become devices there: all, those of the zone the device is in, the nearby one, or none.",
        .init("discovery.rules", \.discovery.rules, .flag):
            "Whether rules get a switch, an event and a button there.",
        .init("discovery.areas", \.discovery.suggestsAreas, .flag):
            "Whether things are put into the area of their zone; Home Assistant creates areas that it does not have.",
    ])

    static let log = table([
        .init("log.level", \.log.level, .choice()):
            "What is logged: this level and those after it; none logs nothing.",
        .init("log.format", \.log.format, .choice()):
            "The format: text for people, json for programs; one line for each message, on standard error.",
        .init("log.file", \.log.file, .optional(.writtenPath)):
            "A file to which the log is written as well; it is opened again when it was moved away. Null for none.",
        .init("log.file_level", \.log.fileLevel, .choice()):
            "What is written to that file: this level and those after it.",
    ])
}

extension ConfigurationType<FlareDialect> {
    fileprivate static var strictness: ConfigurationType {
        ConfigurationType<Bool>.flag.mapped {
            $0 ? .strict : .origin
        } back: {
            $0 == .strict
        }
    }
}
