/// The way to a Flare server: the embedded one, or one on another machine.
///
/// Requests are carried out in the order in which they come; each is answered by exactly one
/// ``FlareEvent/replied(_:_:)``. What the server tells by itself comes as ``FlareEvent/notice(_:)``; about one
/// object nothing overtakes anything. A link that is lost is an event and is sought again for ever.
package protocol FlareLink: Sendable {
    /// Runs until the requests end or the task is cancelled.
    /// - Parameter emit: Called in order with everything that happens; must not block.
    func run(_ requests: AsyncStream<FlareRequest>, emit: @escaping @Sendable (FlareEvent) -> Void) async
}

/// What a client may ask a Flare server for.
package enum FlareRequest: Sendable, Hashable {
    /// All environments, or those whose geofence admits a place.
    case loadEnvironments(near: GeoPoint?)
    /// The zones and things of an environment.
    case loadPlace(environment: FlareID)
    case loadDevice(FlareID, environment: FlareID)
    case createDevice(DeviceDraft, environment: FlareID)
    /// The zone at a position, and the device's nearest thing.
    case loadPresence(device: FlareID, environment: FlareID, position: Point3D)
    /// Hear everything about an environment and all below it.
    case subscribe(environment: FlareID)
    case unsubscribe(environment: FlareID)
    /// Store values in an object's data, all or none, each confirmed by the server.
    case setData(ObjectReference, values: [String: JSONValue], sender: FlareID?)
    case setPosition(ObjectReference, Point3D, sender: FlareID?)
    case performAction(ObjectReference, action: String, sender: FlareID?)
    case renameDevice(FlareID, environment: FlareID, name: String)
}

/// A device that is to be made.
package struct DeviceDraft: Sendable, Hashable {
    package var name: String
    package var description: String
    package var data: [String: JSONValue]
    package var position: Point3D

    package init(name: String, description: String, data: [String: JSONValue], position: Point3D = .zero) {
        self.name = name
        self.description = description
        self.data = data
        self.position = position
    }
}

/// What happens on the way to a server.
package enum FlareEvent: Sendable, Hashable {
    /// The server can be reached. Subscriptions do not outlive a loss: subscribe and load again.
    case linkUp
    case linkDown(reason: String)
    /// The answer to one request, which it names.
    case replied(FlareRequest, Result<FlareReply, FlareLinkError>)
    case notice(FlareNotice)
}

/// The answer to a request that succeeded.
package enum FlareReply: Sendable, Hashable {
    case environments([FlareEnvironment])
    case place(zones: [FlareZone], things: [FlareThing])
    /// `nil` when the server knows no such device.
    case device(FlareDevice?)
    case presence(zone: FlareID?, nearest: FlareID?)
    /// Stored, sent or done.
    case done
}

/// Why a request failed.
package enum FlareLinkError: Error, Sendable, Hashable, CustomStringConvertible {
    case unreachable(String)
    case timedOut(seconds: Double)
    /// The server's own words.
    case rejected(String)
    case unknownObject(ObjectReference)

    package var description: String {
        switch self {
        case .unreachable(let why): "the Flare server cannot be reached: \(why)"
        case .timedOut(let seconds): "the Flare server did not confirm within \(seconds) s"
        case .rejected(let why): "the Flare server refused: \(why)"
        case .unknownObject(let object): "the Flare server knows no \(object.kind.rawValue) \(object.id)"
        }
    }
}

/// What a server tells by itself.
/// - Source: flare-protocol 4.2; `modelChanged` is the embedded server's own word, in process only.
package enum FlareNotice: Sendable, Hashable {
    case data(ObjectReference, [String: JSONValue], sender: JSONValue?)
    case position(ObjectReference, Point3D, sender: JSONValue?)
    case handleAction(ObjectReference, String, sender: JSONValue?)
    case enter(zone: FlareID, device: FlareID)
    case exit(zone: FlareID, device: FlareID)
    case near(thing: FlareID, device: FlareID, distance: Double)
    case far(thing: FlareID, device: FlareID)
    /// An object was made, changed as a whole or removed (by REST or import): read the environment again.
    case modelChanged(ObjectReference, environment: FlareID?)
}
