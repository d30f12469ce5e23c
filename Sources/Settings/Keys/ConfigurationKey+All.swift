import Flare
import Sensors

extension ConfigurationKey {
    /// Every key, in the order of the example file.
    package static let all: [ConfigurationKey] =
        beforeHeading + receivers + heading + otherSensors + positioning + map + discovery + web + links + log

    private static let beforeHeading: [ConfigurationKey] = [
        .init("mqtt.host", \.mqtt.host, .host, "The broker's name or address."),
        .init("mqtt.port", \.mqtt.port, .integer(1...65535), "The broker's TCP port; with TLS usually 8883."),
        .init(
            "mqtt.version",
            \.mqtt.version,
            .choice(),
            "The MQTT version; auto takes 5 where the broker has it."
        ),
        .init(
            "mqtt.client_id",
            \.mqtt.clientID,
            .optional(.text(upTo: 128)),
            "The client id; null makes one of the node and a stored number."
        ),
        .init(
            "mqtt.username",
            \.mqtt.username,
            .optional(.text()),
            "The user name at the broker; null for none."
        ),
        .init(
            "mqtt.password",
            \.mqtt.password,
            .optional(.secret),
            secret: true,
            "The password is never written here: use password_file, or the variable TRILATERAL_MQTT_PASSWORD."
        ),
        .init(
            "mqtt.password_file",
            \.mqtt.passwordFile,
            .optional(.path),
            "A file that holds the password and nothing else; only its owner should be able to read it."
        ),
        .init(
            "mqtt.keepalive_seconds",
            \.mqtt.keepaliveSeconds,
            .integer(5...3600),
            "Seconds between signs of life; after one and a half of them without one the broker sends our last will."
        ),
        .init("mqtt.base", \.mqtt.base, .topic, "All topics begin with <base>/<node>."),
        .init(
            "mqtt.node",
            \.mqtt.node,
            .optional(.slug),
            "The name of this daemon among others on the broker; null makes one of the host's name."
        ),
        .init(
            "mqtt.reconnect_min_seconds",
            \.mqtt.reconnectMinSeconds,
            .number(0.1...60),
            "Seconds before the first attempt to connect again; doubled each time, with chance."
        ),
        .init(
            "mqtt.reconnect_max_seconds",
            \.mqtt.reconnectMaxSeconds,
            .number(1...3600),
            "The longest time between two attempts, seconds."
        ),
        .init(
            "mqtt.max_queued",
            \.mqtt.maxQueued,
            .integer(100...30000),
            "How many messages may wait for the broker."
        ),
        .init(
            "mqtt.health_interval_seconds",
            \.mqtt.healthIntervalSeconds,
            .integer(5...3600),
            "Seconds between two messages on <base>/<node>/health."
        ),
        .init(
            "mqtt.tls.enabled",
            \.mqtt.tls.isEnabled,
            .flag,
            "Whether the link to the broker is encrypted."
        ),
        .init(
            "mqtt.tls.ca_file",
            \.mqtt.tls.caFile,
            .optional(.path),
            "The certificates that vouch for the broker (PEM); null takes the system's."
        ),
        .init(
            "mqtt.tls.certificate_file",
            \.mqtt.tls.certificateFile,
            .optional(.path),
            "Our own certificate (PEM), for brokers that ask for one; needs key_file."
        ),
        .init(
            "mqtt.tls.key_file",
            \.mqtt.tls.keyFile,
            .optional(.path),
            "The private key of our own certificate (PEM, not encrypted)."
        ),
        .init(
            "mqtt.tls.alpn",
            \.mqtt.tls.alpn,
            .optional(.text(upTo: 255)),
            "The protocol name to ask for, for brokers that share a port with others; null for none."
        ),
        .init(
            "mqtt.tls.verify_hostname",
            \.mqtt.tls.verifyHostname,
            .flag,
            "Whether the broker's certificate must carry its host name."
        ),
        .init(
            "mqtt.rates.position_per_second",
            \.mqtt.rates.positionPerSecond,
            .number(0.1...50),
            "How often the device's position is told at most, times a second."
        ),
        .init(
            "mqtt.rates.angle_per_second",
            \.mqtt.rates.anglePerSecond,
            .number(0.1...50),
            "How often the device's angle is told at most, times a second."
        ),
        .init(
            "mqtt.rates.copies_per_second",
            \.mqtt.rates.copiesPerSecond,
            .number(0.1...50),
            "How often their copies inside state and device are told at most, times a second."
        ),

        .init(
            "flare.mode",
            \.flare.mode,
            .choice(),
            "Who keeps the place: the server inside this program, or one on another machine."
        ),
        .init(
            "flare.remote.url",
            \.flare.remote.url,
            .optional(.origin),
            "The remote server, as http://name:1234 or https://name; null when the place is kept here."
        ),
        .init(
            "flare.remote.protocol",
            \.flare.remote.revision,
            .choice(),
            "3 for servers with Socket.IO 1 and 2 (the original is one), 4 for newer ones; auto finds out."
        ),
        .init(
            "flare.remote.transport",
            \.flare.remote.transport,
            .choice(),
            "What carries the messages; auto takes a WebSocket, and polling where none can be opened."
        ),
        .init(
            "flare.remote.timeout_seconds",
            \.flare.remote.timeoutSeconds,
            .number(0.5...300),
            "How long the server may take to be connected to, and to answer, seconds."
        ),
        .init(
            "flare.remote.reconnect_max_seconds",
            \.flare.remote.reconnectMaxSeconds,
            .number(1...3600),
            "The longest pause between two attempts to connect again, seconds."
        ),
        .init(
            "flare.remote.ca_file",
            \.flare.remote.caFile,
            .optional(.path),
            "The certificates that vouch for the server (PEM); null takes the system's."
        ),
        .init(
            "flare.remote.certificate_file",
            \.flare.remote.certificateFile,
            .optional(.path),
            "Our own certificate (PEM), for servers that ask for one."
        ),
        .init(
            "flare.remote.key_file",
            \.flare.remote.keyFile,
            .optional(.path),
            "The private key of our own certificate (PEM, not encrypted)."
        ),
        .init(
            "flare.remote.verify_hostname",
            \.flare.remote.verifyHostname,
            .flag,
            "Whether the server's certificate must carry its host name."
        ),
        .init(
            "flare.server.enabled",
            \.flare.isServerEnabled,
            .flag,
            "Whether the embedded server is open to other Flare programs."
        ),
        .init(
            "flare.server.listen",
            \.flare.listen,
            .hostAndPort,
            "Where it listens, HOST:PORT; 127.0.0.1 is this machine only, port 0 a free port."
        ),
        .init(
            "flare.server.allowed_hosts",
            \.flare.allowedHosts,
            .list(.host),
            "Further names by which it may be called (Host header); addresses of this machine always may."
        ),
        .init(
            "flare.server.allowed_origins",
            \.flare.allowedOrigins,
            .list(.origin),
            "Pages of other origins that may drive it, as https://name[:port]; other ports of this machine are others too."
        ),
        .init(
            "flare.server.synchronous",
            \.flare.synchronous,
            .choice(),
            "normal survives a crash of the program; full also a power cut, and is slower."
        ),
        .init(
            "flare.server.strict",
            \.flare.isStrict,
            .flag,
            "Whether plain bugs of the original server are put right: messages told twice, angles beyond a turn."
        ),
        .init(
            "flare.server.steady",
            \.flare.isSteady,
            .flag,
            "Whether the server too changes zone and nearness of devices by the numbers of presence."
        ),

        .init(
            "controller.presence",
            \.controller.presence,
            .choice(),
            "Who decides which zone we are in and what is near: this program, by the numbers of presence, or the "
                + "server, by the original's rule."
        ),
        .init(
            "controller.stay_paired",
            \.controller.stayPaired,
            .flag,
            "Whether the nearby thing stays until another one is near."
        ),
        .init(
            "controller.brightness_by_proximity",
            \.controller.brightnessByProximity,
            .flag,
            "Whether the nearby thing is brighter the closer we are (changes its brightness)."
        ),

        .init(
            "presence.zone_margin",
            \.presence.steady.zoneMargin,
            .number(0...10),
            "How far out of its zone we still count as inside, metres."
        ),
        .init(
            "presence.near_margin",
            \.presence.steady.nearMargin,
            .number(0...10),
            "How much further than the environment's distance a near thing may be, metres."
        ),
        .init(
            "presence.near_margin_share",
            \.presence.steady.nearMarginShare,
            .number(0...2),
            "The same as a share of that distance; the larger of the two counts."
        ),
        .init(
            "presence.nearer_margin",
            \.presence.steady.nearerMargin,
            .number(0...10),
            "How much nearer than the nearby thing another one must be to take its place, metres."
        ),
        .init(
            "presence.updates",
            \.presence.steady.updates,
            .integer(1...30),
            "How many positions in a row, one a second, must say the same."
        ),
        .init(
            "presence.lost_seconds",
            \.presence.lostSeconds,
            .number(1...86400),
            "How long the position may be lost before we are in no zone and near nothing, seconds."
        ),

        .init(
            "device.name",
            \.device.name,
            .optional(.text(upTo: 128)),
            "The name of this device in the place; null takes the host's name."
        ),
        .init(
            "device.allow_set",
            \.device.allowSet,
            .flag,
            "Whether position, angle and name of this device may be set over MQTT."
        ),
        .init(
            "device.publish_location",
            \.device.publishLocation,
            .flag,
            "Whether latitude and longitude are published."
        ),

        .init("sensors.beacons.enabled", \.sensors.beaconsEnabled, .flag, "Position from Bluetooth beacons."),
        .init(
            "sensors.beacons.uuid",
            \.sensors.beaconsUUID,
            .optional(.uuid),
            "The beacons' UUID; null takes data.uuid of the environment."
        ),
        .init(
            "sensors.beacons.adapter",
            \.sensors.scanning.adapter,
            .adapter,
            "The Bluetooth adapter that listens: auto, none, hci0, or an adapter's own address."
        ),
        .init(
            "sensors.beacons.active",
            \.sensors.scanning.isActive,
            .flag,
            "Whether beacons are asked for their second packet too; few need it, and it costs their batteries."
        ),
        .init(
            "sensors.beacons.reset_adapter",
            \.sensors.scanning.mayReset,
            .flag,
            "Whether an adapter that hears nothing, or does not answer, may be reset; connections of others end."
        ),
        .init(
            "sensors.beacons.identity_keys_file",
            \.sensors.identityKeysFile,
            .optional(.path),
            "The keys of beacons that change their identifier (Eddystone-EID), a line each; see the README."
        ),
    ]

    private static let otherSensors: [ConfigurationKey] = [
        .init(
            "sensors.cmx.enabled",
            \.sensors.cmxEnabled,
            .flag,
            "Position from a Cisco CMX server that reports to the Flare server."
        ),
        .init(
            "sensors.replay.file",
            \.sensors.replayFile,
            .optional(.path),
            "A recording or capture to be played instead of the sensors; null for none."
        ),
        .init(
            "sensors.replay.speed",
            \.sensors.replaySpeed,
            .number(0.01...1000),
            "How fast it is played; 1 is as recorded."
        ),
        .init("sensors.replay.loop", \.sensors.replayLoop, .flag, "Whether it begins again at its end."),
    ]

    private static let web: [ConfigurationKey] = [
        .init(
            "web.listen",
            \.web.listen,
            .optional(.hostAndPort),
            "Where the kiosk page and /healthz are served, HOST:PORT; null serves none."
        ),
        .init(
            "web.allowed_hosts",
            \.web.allowedHosts,
            .list(.host),
            "Further names by which the pages may be called (Host header)."
        ),
        .init(
            "web.allowed_origins",
            \.web.allowedOrigins,
            .list(.origin),
            "Other web pages that may use ours, as https://name[:port]."
        ),
    ]

    private static let log: [ConfigurationKey] = [
        .init("log.level", \.log.level, .choice(), "What is logged: this level and those after it."),
        .init(
            "log.format",
            \.log.format,
            .choice(),
            "text for people, json for programs; one line each, on standard error."
        ),
    ]
}
