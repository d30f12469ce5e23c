package import Flare
import JSON
package import People

/// What a thing at the edge is to do.
package struct EdgeOrder: Sendable, Hashable {
    /// Unique, and larger than that of any earlier order while the clock does not go back.
    package let number: Int
    package let thing: FlareID
    /// To be done in order, and answered as one.
    package let orders: [ObjectOrder]
    /// Who gives it; `nil` for the controller itself and a client of the Flare server.
    package let caller: Caller?
    /// Until when it waits for an answer, milliseconds since 1970.
    package let deadline: Int64

    package init(number: Int, thing: FlareID, orders: [ObjectOrder], caller: Caller?, deadline: Int64) {
        (self.number, self.thing, self.orders) = (number, thing, orders)
        (self.caller, self.deadline) = (caller, deadline)
    }
}

/// An order that a thing at the edge has carried out.
struct EdgeDone: Sendable {
    let number: Int
    let order: ObjectOrder
    /// The action that it was; `nil` for a set.
    let action: String?
    /// What the thing says besides.
    var data: JSONValue?
}
