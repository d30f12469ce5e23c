package import JSON

/// The distance within which a device is near a thing.
/// - Source: contrib/contract/flare-protocol.md, "5.2 Distance and nearness".
package enum ProximityLimit {
    /// Metres, unless the environment states another value.
    package static let standard = 1.5

    /// The limit in metres: the environment's `data.distance`; the default when it is missing, 0 or not a
    /// number.
    package static func metres(environmentData data: JSONObject?) -> Double {
        guard let data, let distance = JSONValue.object(data).flareNumber("distance"), distance != 0 else {
            return standard
        }
        return distance
    }
}
