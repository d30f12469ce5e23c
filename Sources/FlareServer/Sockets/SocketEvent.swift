import Flare
import JSON
import SocketIO

/// An event of the server over Socket.IO: a name and one argument.
/// - Source: contrib/contract/flare-protocol.md, "4.2 From server to client".
struct SocketEvent: Sendable, Hashable {
    let name: String
    let argument: JSONObject

    init(_ name: String, _ argument: JSONObject) {
        self.name = name
        self.argument = argument
    }

    /// The encoded packet, the same for all clients.
    var frame: [UInt8] {
        SocketPacket.eventFrame(name: name, argument: JSONValue.object(argument).bytes)
    }
}

extension SocketEvent {
    /// `nil` for notices to in-process clients only.
    init?(_ announcement: Transaction.Announcement) {
        switch announcement.notice {
        case .data(let object, let values, let sender):
            self.init("data", Self.about(object, "data", .object(values), sender))
        case .position(let object, let point, let sender):
            let position: JSONValue =
                announcement.isWithoutHeight ? ["x": .number(point.x), "y": .number(point.y)] : point.json
            self.init("position", Self.about(object, "position", position, sender))
        case .handleAction(let object, let action, let sender):
            self.init("handleAction", Self.about(object, "action", .string(action), sender))
        case .enter(let zone, let device):
            self.init("enter", ["zone": zone.json, "device": device.json])
        case .exit(let zone, let device):
            self.init("exit", ["zone": zone.json, "device": device.json])
        case .near(let thing, let device, let distance):
            self.init(
                "near",
                ["thing": thing.json, "device": device.json, "distance": .number(distance)]
            )
        case .far(let thing, let device):
            self.init("far", ["thing": thing.json, "device": device.json])
        case .thingChanged, .modelChanged:
            return nil
        }
    }

    private static func about(
        _ object: ObjectReference,
        _ key: String,
        _ value: JSONValue,
        _ sender: JSONValue?
    ) -> JSONObject {
        var argument: JSONObject = [key: value, object.kind.rawValue: object.id.json]
        argument["sender"] = sender
        return argument
    }
}

extension FlareID {
    fileprivate var json: JSONValue { .string(description) }
}
