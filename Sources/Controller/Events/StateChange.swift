package import Flare

/// A part of the state that has changed.
package enum StateChange: Sendable, Hashable {
    /// The current environment, zone and nearby thing.
    case environment, zone, nearby
    /// This device, and its position and angle, which change more often.
    case device, position, angle
    /// Where the devices of a daemon with several are, or the list of them.
    case devices
    /// Who is in a zone, in a daemon with several devices; the zone itself is as before.
    case occupancy(FlareID)
    /// The GPS location.
    case location
    case sensor(SensorKind)
    case alert(String)
    /// Whether the Flare server can be reached.
    case link
    /// The condition of a thing's beacon.
    case beacon(FlareID)
    /// One environment, zone or thing of the model.
    case object(ObjectReference)
    /// A slice, or a part of it, by a name.
    case slice(String, part: String? = nil)

    /// The part of a slice that has changed; `nil` for all other changes.
    package func part(of slice: String) -> String? {
        if case .slice(slice, let part) = self { part } else { nil }
    }
}
