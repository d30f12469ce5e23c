package import Flare

/// A part of the state that has changed.
package enum StateChange: Sendable, Hashable {
    /// The current environment, zone and nearby thing.
    case environment, zone, nearby
    /// This device, and its position and angle, which change more often.
    case device, position, angle
    /// The GPS location.
    case location
    case sensor(SensorKind)
    case alert(String)
    case lifecycle
    /// What a display shows.
    case screen(String)
    /// Whether a display is there and visible.
    case display(String)
    case setupCandidates
    case station
    /// Whether the Flare server can be reached.
    case link
    /// The condition of a thing's beacon.
    case beacon(FlareID)
    /// One environment, zone or thing of the model.
    case object(ObjectReference)
}
