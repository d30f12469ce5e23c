import JSON

/// The circles and beacons that a file of AMAP's has beside its automations.
struct KnownPlaces {
    let locations: [JSONObject]
    let beacons: [JSONObject]

    static let none = KnownPlaces(locations: [], beacons: [])
    /// More are not looked at.
    private static let most = 1000

    private init(locations: [JSONObject], beacons: [JSONObject]) {
        (self.locations, self.beacons) = (locations, beacons)
    }

    /// - Parameter file: An object with the lists `locations` and `beacons`; what is none of them is left
    ///   out.
    init(in file: JSONValue) {
        func objects(_ name: String) -> [JSONObject] {
            (file[name]?.array ?? []).prefix(Self.most).compactMap(\.object)
        }
        self.init(locations: objects("locations"), beacons: objects("beacons"))
    }

    /// The circle that automations call so.
    func location(_ uuid: String) -> JSONObject? { Self.first(uuid, in: locations) }

    /// The beacon that automations call so.
    func beacon(_ uuid: String) -> JSONObject? { Self.first(uuid, in: beacons) }

    private static func first(_ uuid: String, in places: [JSONObject]) -> JSONObject? {
        places.first { place in
            ["uuid", "id", "beaconId", "beacon_id"].contains { name in
                place[name]?.string.map { isSame($0, uuid) } ?? false
            }
        }
    }

    /// UUIDs are written in either case.
    private static func isSame(_ one: String, _ other: String) -> Bool {
        guard one.utf8.count == other.utf8.count else { return false }
        return zip(one.utf8, other.utf8).allSatisfy { left, right in
            left == right || left ^ right == 0x20 && (0x61...0x7A).contains(left | 0x20)
        }
    }
}
