package import JSON

/// Keys of a thing's data that have a meaning of their own.
package enum DataKey {
    /// Those of a light.
    package static let light = ["on", "brightness", "color", "colorTemperature"]

    /// Those that choose a thing's profile; commands cannot set them, whether or not it has them.
    package static let profile: Set<String> = ["profile", "oemModel", "model"]

    /// The vendor's name of the thing, and the identifier of its binding: what links the two.
    package static let vendorThing = "vendorThingID"
    package static let binding = "thingID"

    /// Whether a key identifies a beacon or a receiver.
    package static func isOfBeacon(_ key: String) -> Bool {
        switch key {
        case "minor", "major", "uuid", "namespace", "instance", "mac", "receiver": true
        default: false
        }
    }

    /// Whether a key describes the identity or the position of a thing: commands cannot set it.
    static func isOfPlace(_ key: String) -> Bool {
        isOfBeacon(key) || key == "options" || key == "kind" || key == "readonly" || key == vendorThing
            || key == binding
    }

    /// Whether a key says what a thing is, whatever else it has: commands never set it.
    package static func isFixed(_ key: String) -> Bool { isOfPlace(key) || profile.contains(key) }

    /// The same in data where `power` may calibrate a beacon; the power of a socket is another matter.
    package static func isFixed(_ key: String, in data: JSONObject) -> Bool {
        isFixed(key) || key == "power" && isBeacon(data)
    }

    /// Whether the data is that of a beacon.
    package static func isBeacon(_ data: JSONObject) -> Bool {
        !data.allMembers { _, key, _ in !isOfBeacon(key) }
    }

    /// The keys in `readonly`; none if it is not a list of texts.
    package static func reported(in data: JSONObject) -> Set<String> {
        Set(data["readonly"]?.array?.compactMap(\.string) ?? [])
    }

    /// Whether a key stands in `readonly`.
    static func isReported(_ key: String, in data: JSONObject) -> Bool {
        data["readonly"]?.array?.contains { $0.string == key } == true
    }
}
