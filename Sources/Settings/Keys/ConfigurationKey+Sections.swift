extension ConfigurationKey {
    /// What the sections are about, by path.
    static let sections: [String: String] = [
        "mqtt": "The MQTT broker, and what is said there.",
        "mqtt.tls": "Encryption of the link to the broker.",
        "mqtt.rates": "Limits for what changes all the time.",
        "discovery": "Home Assistant: devices and entities that appear there by themselves.",
        "flare": "The place: environments, zones, things and devices.",
        "flare.remote": "A Flare server on another machine; of no account while the place is kept here.",
        "flare.server": "The embedded Flare server, for other Flare programs.",
        "presence":
            "When we enter and leave zones, and when things become near and far, so that neither flaps.",
        "controller": "What follows from where we are.",
        "device": "This device, as it appears in the place.",
        "sensors": "What tells us where we are. A sensor that is absent is reported and does no harm.",
        "sensors.beacons": "Bluetooth beacons (iBeacon, AltBeacon, Eddystone UID and EID).",
        "sensors.espresense":
            "ESPresense nodes that hear this device's beacon; each stands where a thing has its name as data.receiver.",
        "sensors.compass": "Compass: this machine's own, one at a gpsd, or one that speaks over MQTT.",
        "sensors.gps": "GPS: by way of gpsd, which has the receivers, or over MQTT.",
        "sensors.cmx": "Cisco CMX.",
        "sensors.replay": "A recording in place of the sensors.",
        "positioning": "From beacons to a position.",
        "positioning.grid":
            "Constants of the grid estimator; none needs a change. An environment may have its own, in data.positioning.",
        "map": "The picture of the place, with what is on and where this device is.",
        "web": "Pages for people and monitors.",
        "log": "The log.",
    ]
}
