/// How close to a thing a device must be to be near it.
/// - Source: flare-protocol 5.2.
package enum ProximityLimit {
    /// Metres, where the environment states nothing else.
    package static let standard = 1.5

    /// Metres below which a device is near: the environment's `data.distance`; the standard when that is
    /// missing, 0 or no number.
    package static func metres(environmentData data: [String: JSONValue]?) -> Double {
        guard let data, let distance = JSONValue.object(data).flareNumber("distance"), distance != 0 else {
            return standard
        }
        return distance
    }
}
