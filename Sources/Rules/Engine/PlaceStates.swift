import Flare

/// Whether the device is within a circle.
/// - Source: contrib/contract/rules.md, "State and places", geofence.
struct CircleState: Sendable, Hashable {
    private(set) var inside = RuleTruth.unknown

    /// - Returns: Whether it came in (true) or went out (false); `nil` if neither, as at first sight.
    mutating func update(_ circle: RuleCircle, at location: GeoPoint, accuracy: Double) -> Bool? {
        let before = inside
        switch before {
        case .yes: inside = RuleTruth(!circle.isLeft(at: location, accuracy: accuracy))
        case .no, .unknown: inside = RuleTruth(circle.contains(location))
        }
        guard before != .unknown, before != inside else { return nil }
        return inside == .yes
    }
}

/// Whether the device is within the range of a beacon.
/// - Source: contrib/contract/rules.md, "State and places", beacon.
struct BeaconState: Sendable, Hashable {
    private(set) var inside = RuleTruth.unknown
    /// When it was heard well enough last, or could have been: milliseconds of the steady clock.
    private(set) var heard: Int64
    /// Whether it is in range since the rule began, which is no coming in.
    private(set) var isStanding = false

    init(at now: Int64) { heard = now }

    /// When it is gone, if it is not heard until then.
    func due(_ beacon: RuleBeacon) -> Int64? { inside == .no ? nil : heard + beacon.gone * 1000 }

    /// It was heard.
    ///
    /// - Returns: Whether the device came in.
    mutating func hear(_ beacon: RuleBeacon, rssi: Int, at now: Int64) -> Bool {
        if let least = beacon.rssi, rssi < least { return false }
        if inside == .unknown { isStanding = true }
        defer { (inside, heard) = (.yes, now) }
        return inside == .no
    }

    /// It has not been heard for long enough.
    ///
    /// - Returns: Whether the device went out.
    mutating func expire() -> Bool {
        defer { (inside, isStanding) = (.no, false) }
        return inside == .yes
    }

    /// The sensor is on again: what it did not hear while off tells nothing.
    mutating func restart(at now: Int64) { heard = now }
}
