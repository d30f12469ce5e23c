package import Flare

/// A part of the state that readers show; what changed is told by the set of them.
package enum StateChange: Sendable, Hashable {
    /// The current environment, zone and nearby thing.
    case environment, zone, nearby
    /// The device as a whole; its position and angle, which change more often, for themselves.
    case device, position, angle
    /// Where on the earth we are.
    case location
    case sensor(SensorKind)
    case alert(String)
    /// Whether the Flare server can be reached.
    case link
    /// How the beacon of a thing was heard.
    case beacon(FlareID)
    /// One environment, zone or thing of the model.
    case object(ObjectReference)
}
