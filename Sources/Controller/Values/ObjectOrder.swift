package import Flare
package import JSON

/// What a job asks of whoever keeps its object, in Flare's words.
package enum ObjectOrder: Sendable, Hashable {
    /// Store values in the object's data.
    case values(JSONObject)
    case action(String)
    case position(Point3D)
    /// The name of a device of an environment.
    case name(String, environment: FlareID)
}

extension FlareRequest {
    /// An order as the Flare server knows it.
    ///
    /// - Parameters:
    ///   - sender: This device; `nil` if it is not known to the server.
    ///   - isReport: Whether the thing itself has reported the values.
    package init(
        _ order: ObjectOrder,
        of object: ObjectReference,
        sender: FlareID?,
        isReport: Bool = false
    ) {
        switch order {
        case .values(let values):
            self = .setData(object, values: values, sender: sender, isReport: isReport)
        case .action(let name): self = .performAction(object, action: name, sender: sender)
        case .position(let position): self = .setPosition(object, position, sender: sender)
        case .name(let name, let environment):
            self = .renameDevice(object.id, environment: environment, name: name)
        }
    }
}

/// An order that was sent, with that by which its reply is recognised.
struct SentOrder: Sendable {
    enum Way: Sendable, Equatable {
        case flare(FlareRequest)
        /// To a thing at the edge, with the number of the order.
        case edge(Int)
    }

    let order: ObjectOrder
    let way: Way
}
