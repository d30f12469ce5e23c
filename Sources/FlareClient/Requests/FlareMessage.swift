package import Flare
package import JSON
import SocketIO

/// A message of Flare over Socket.IO.
/// - Source: contrib/contract/flare-protocol.md, "4. Messages".
package struct FlareMessage: Sendable, Hashable {
    package var name: String
    package var argument: JSONValue

    package init(_ name: String, _ argument: JSONValue) {
        self.name = name
        self.argument = argument
    }

    /// A message about an object.
    init(
        _ name: String,
        _ object: ObjectReference,
        _ members: JSONObject = [:],
        sender: FlareID? = nil
    ) {
        var members = members
        members[object.kind.rawValue] = .string(object.id.description)
        if let sender { members["sender"] = .string(sender.description) }
        self.init(name, .object(members))
    }

    /// Parses the JSON list of an event.
    package init?(json: [UInt8]) {
        guard let list = (try? JSONValue(parsing: json))?.array, let name = list.first?.string else {
            return nil
        }
        self.init(name, list.count > 1 ? list[1] : .null)
    }

    var frame: [UInt8] { SocketPacket.eventFrame(name: name, argument: argument.bytes) }

    /// The object of the message; undefined for messages about two objects.
    package var object: ObjectReference? {
        for kind in [FlareClass.thing, .device, .zone, .environment] {
            if let id = argument.flareID(kind.rawValue) { return ObjectReference(kind, id) }
        }
        return nil
    }

    /// Why the server did not allow a change of the object; `nil` in other messages.
    ///
    /// The original server tells nobody.
    var refusal: String? {
        name == "refused" ? argument["message"]?.string?.shortened ?? "" : nil
    }

    /// `nil` in answers to getData and getPosition, and if the cause had no sender.
    var sender: JSONValue? {
        argument["sender"].flatMap { $0.isNull ? nil : $0 }
    }
}

extension FlareNotice {
    /// The notice in a message; `nil` for other messages.
    /// - Source: contrib/contract/flare-protocol.md, "4.2 From server to client".
    init?(_ message: FlareMessage) {
        let (argument, sender) = (message.argument, message.sender)
        switch message.name {
        case "data":
            guard let object = message.object, let data = argument["data"]?.object, !data.isEmpty else {
                return nil
            }
            self = .data(object, data, sender: sender)
        case "position":
            guard let object = message.object, let position = Point3D(json: argument["position"]) else {
                return nil
            }
            self = .position(object, position, sender: sender)
        case "handleAction":
            guard let object = message.object, let action = argument["action"]?.string else { return nil }
            self = .handleAction(object, action, sender: sender)
        case "enter", "exit":
            guard let zone = argument.flareID("zone"), let device = argument.flareID("device") else {
                return nil
            }
            self =
                message.name == "enter"
                ? .enter(zone: zone, device: device) : .exit(zone: zone, device: device)
        case "near", "far":
            guard let thing = argument.flareID("thing"), let device = argument.flareID("device") else {
                return nil
            }
            self = .far(thing: thing, device: device)
            guard message.name == "near" else { return }
            guard let distance = argument.flareNumber("distance") else { return nil }
            self = .near(thing: thing, device: device, distance: distance)
        default:
            return nil
        }
    }
}
