extension ConfigurationKey {
    /// What the sections are about, by path.
    static let sections: [String: String] = [
        "mqtt": "The MQTT broker, and how messages are published.",
        "mqtt.tls": "TLS on the connection to the broker.",
        "mqtt.rates": "Limits for values that change all the time.",
        "discovery": "Home Assistant discovery: devices and entities that appear by themselves.",
        "flare": "The place: environments, zones, things and devices.",
        "flare.remote": "A Flare server on another machine; unused in embedded mode.",
        "flare.server": "The embedded Flare server, for other Flare programs.",
        "presence":
            "When the device enters and leaves zones, and when things become near and far: margins and delays against flicker.",
        "controller": "Rules for the zone and the nearby thing.",
        "control": "Who may drive what.",
        "device": "This device, as it appears in the place.",
        "sensors":
            "Sensors for position, angle and location. A sensor that is absent is reported and does no harm.",
        "sensors.beacons": "Bluetooth beacons (iBeacon, AltBeacon, Eddystone UID and EID).",
        "sensors.espresense":
            "ESPresense nodes that hear this device; each is a thing that has the node's name in data.receiver.",
        "sensors.compass": "Compass: this machine's own, one at a gpsd, or one that publishes on MQTT.",
        "sensors.gps": "GPS: from gpsd, or over MQTT.",
        "sensors.cmx": "Cisco CMX.",
        "sensors.replay": "A recording that replaces the sensors.",
        "positioning": "How positions are estimated from beacons.",
        "positioning.grid":
            "Constants of the grid estimator; the defaults suit most places. An environment may have its own, in data.positioning.",
        "map": "The map: zones, things, and where this device is.",
        "web": "The web listener, for monitors and later the kiosk page.",
        "log": "The log.",
    ]
}
