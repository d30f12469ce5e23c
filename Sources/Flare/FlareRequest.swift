package import JSON

/// The requests of a client to a Flare server, embedded or remote.
///
/// Each is answered, in order, by exactly one ``FlareEvent/replied(_:_:)``.
package enum FlareRequest: Sendable, Hashable {
    /// All environments, or those whose geofence contains a location.
    case loadEnvironments(near: GeoPoint?)
    /// The zones and things of an environment.
    case loadPlace(environment: FlareID)
    case loadDevice(FlareID, environment: FlareID)
    case createDevice(DeviceDraft, environment: FlareID)
    /// The zone at a position, and the device's nearest thing.
    case loadPresence(device: FlareID, environment: FlareID, position: Point3D)
    /// Subscribe to an environment and everything in it.
    case subscribe(environment: FlareID)
    case unsubscribe(environment: FlareID)
    /// Store values in an object's data, all or none, each confirmed by the server.
    ///
    /// What a thing has reported is replaced by its next report: everybody is notified at once, and a server on this disk may
    /// write it later.
    case setData(ObjectReference, values: JSONObject, sender: FlareID?, isReport: Bool = false)
    case setPosition(ObjectReference, Point3D, sender: FlareID?)
    case performAction(ObjectReference, action: String, sender: FlareID?)
    case renameDevice(FlareID, environment: FlareID, name: String)
    /// A new environment, a zone of an environment, or a thing of a zone of it. A remote server tells nobody.
    case create(FlareClass, ObjectEdit, zone: FlareID? = nil, environment: FlareID? = nil)
    /// Change an object as a whole. A remote server tells nobody.
    case change(ObjectReference, ObjectEdit)
    /// Remove an object: the zones and things in it, too, or else refuse if there are any.
    case remove(ObjectReference, withContents: Bool)
}

/// A device to create.
package struct DeviceDraft: Sendable, Hashable {
    package var name: String
    package var description: String
    package var data: JSONObject
    package var position: Point3D

    package init(name: String, description: String, data: JSONObject, position: Point3D = .zero) {
        self.name = name
        self.description = description
        self.data = data
        self.position = position
    }
}

/// The events of a connection to a server.
package enum FlareEvent: Sendable, Hashable {
    /// The server is connected. Subscriptions do not survive a disconnect: subscribe and load again.
    case linkUp
    case linkDown(reason: String)
    /// The answer to one request.
    case replied(FlareRequest, Result<FlareReply, FlareLinkError>)
    case notice(FlareNotice)
}

/// The result of a successful request.
package enum FlareReply: Sendable, Hashable {
    case environments([FlareEnvironment])
    case place(zones: [FlareZone], things: [FlareThing])
    /// `nil` when the server has no such device.
    case device(FlareDevice?)
    case presence(zone: FlareID?, nearest: FlareID?)
    /// The new object.
    case created(FlareID)
    /// Stored, sent or done.
    case done
}

/// Why a request failed.
package enum FlareLinkError: Error, Sendable, Hashable, CustomStringConvertible {
    case unreachable(String)
    case timedOut(seconds: Double)
    /// The server's error message.
    case rejected(String)
    /// Who asks has not the right to; the server's sentence.
    case notAllowed(String)
    case unknownObject(ObjectReference)

    package var description: String { description { "\($0.kind.rawValue) \($0.id)" } }

    /// - Parameter label: How objects are called.
    package func description(_ label: (ObjectReference) -> String) -> String {
        switch self {
        case .unreachable(let why): "the Flare server cannot be reached: \(why)"
        case .timedOut(let seconds): "the Flare server did not confirm within \(seconds) s"
        case .rejected(let why): "the Flare server refused: \(why)"
        case .notAllowed(let why): "the Flare server does not allow it: \(why)"
        case .unknownObject(let object): "the Flare server knows no \(label(object))"
        }
    }
}

/// The notices that a server sends on its own.
/// - Source: contrib/contract/flare-protocol.md, "4.2 From server to client"; `modelChanged` and
///   `thingChanged` exist only in the embedded server, within the process.
package enum FlareNotice: Sendable, Hashable {
    case data(ObjectReference, JSONObject, sender: JSONValue?)
    case position(ObjectReference, Point3D, sender: JSONValue?)
    case handleAction(ObjectReference, String, sender: JSONValue?)
    case enter(zone: FlareID, device: FlareID)
    case exit(zone: FlareID, device: FlareID)
    case near(thing: FlareID, device: FlareID, distance: Double)
    case far(thing: FlareID, device: FlareID)
    /// A thing of the environment was created or changed as a whole; `nil`: it was removed or moved to another one.
    case thingChanged(FlareID, FlareThing?, environment: FlareID)
    /// Other objects were created, changed as a whole or removed (by REST or import): load the environment again.
    case modelChanged(ObjectReference, environment: FlareID?)
}
