import Accounts
import Bindings
import Controller
import Messages
import People

extension BindingService {
    /// A command on its way to a thing.
    struct Outgoing: Sendable {
        let command: EdgeCommand
        let address: EdgeAddress
        let thing: BindingID
    }

    /// The message that carries an order of the controller to its thing; `nil` if the thing has no binding.
    ///
    /// - Parameter state: The node's, which knows the command that the order is a part of.
    nonisolated func outgoing(_ order: EdgeOrder, _ state: ControllerState) -> Outgoing? {
        guard let entry = directory.entry(ofThing: order.thing) else { return nil }
        let whole = order.batch.flatMap { state.slices[BindingsSlice.self].command($0)?.command }
        let caller: Grantee? = if case .user(let id, _)? = order.caller { .user(id) } else { nil }
        let issuer = whole == nil ? caller : whole?.issuer
        let command = EdgeCommand(
            order.sentID,
            order.sentActions,
            issuer: issuer?.description ?? "user:none",
            schema: whole?.request.schema ?? "",
            schemaVersion: whole?.request.schemaVersion ?? 0,
            deadline: order.deadline
        )
        return Outgoing(command: command, address: address(of: entry), thing: entry.id)
    }
}
