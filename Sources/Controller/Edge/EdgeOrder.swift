package import Flare
import JSON
package import People

/// What a thing at the edge is to do.
package struct EdgeOrder: Sendable, Hashable {
    /// Unique, and larger than that of any earlier order while the clock does not go back.
    package let number: Int
    package let thing: FlareID
    /// To be done in order; each has a result of its own.
    package let orders: [ObjectOrder]
    /// What the commands that gave it have in common; `nil` for a plain command, which gives one order.
    package let batch: String?
    /// Who gives it; `nil` for the controller itself and a client of the Flare server.
    package let caller: Caller?
    /// Until when it waits for an answer, milliseconds since 1970.
    package let deadline: Int64

    package init(
        number: Int,
        thing: FlareID,
        orders: [ObjectOrder],
        batch: String? = nil,
        caller: Caller?,
        deadline: Int64
    ) {
        (self.number, self.thing, self.orders, self.batch) = (number, thing, orders, batch)
        (self.caller, self.deadline) = (caller, deadline)
    }
}

/// Commands for a thing at the edge that are sent as one order; each of them is answered by itself.
///
/// Those that wait for the thing at the same time are sent together: give all of them in one event.
package struct EdgeBatch: Sendable, Hashable {
    /// The longest that a batch waits for the thing's answer, milliseconds: a day.
    static let longestWait: Int64 = 86_400_000

    /// What they have in common, such as the identifier of the whole command.
    package let id: String
    /// Until when they wait for the thing's answer, milliseconds since 1970.
    package let deadline: Int64

    package init(id: String, deadline: Int64) { (self.id, self.deadline) = (id, deadline) }

    /// How long a batch that is sent now waits; `nil` if its time is over.
    func wait(at now: Instant) -> Int64? {
        guard deadline > now.wallMilliseconds else { return nil }
        let (wait, isOverflow) = deadline.subtractingReportingOverflow(now.wallMilliseconds)
        return isOverflow ? Self.longestWait : min(wait, Self.longestWait)
    }
}

/// What a thing at the edge has carried out of one order.
struct EdgeDone: Sendable {
    let number: Int
    /// Which of the orders under this number; `nil` if there was nothing to do.
    var index: Int?
    let order: ObjectOrder
    /// The action that it was; `nil` for a set.
    let action: String?
    /// What the thing says besides.
    var data: JSONValue?
}
