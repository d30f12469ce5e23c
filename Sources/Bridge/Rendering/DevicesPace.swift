import JSON

/// How often the list of devices is published: at once when somebody is elsewhere, and rarely when somebody was only heard
/// again.
struct DevicesPace: Sendable {
    /// The last list, without when devices were heard.
    private var last: [JSONObject]?

    /// How often it is said of devices that they were heard again.
    private static let sightingsPerSecond = 0.1

    mutating func perSecond(_ devices: JSONValue?) -> Double {
        let places = devices?.array?.map { device in
            device.object?.filter { $0.key != "last_seen" } ?? JSONObject()
        }
        defer { last = places }
        return places == last ? Self.sightingsPerSecond : .infinity
    }
}
