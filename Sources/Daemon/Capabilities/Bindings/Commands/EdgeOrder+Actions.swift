import Bindings
import Controller
import JSON
import Things

/// What a thing at the edge is sent for an order, and what it answers.
///
/// - Source: contrib/contract/bindings.md, "Commands to the thing".
extension EdgeOrder {
    /// One action for each field and each named action, in order.
    var sentActions: [CommandAction] { orders.flatMap(\.sentActions) }

    /// What the thing recognises it by.
    var sentID: String { batch ?? "set.\(number)" }

    /// The results of its orders, from those of its actions.
    func results(_ results: [ActionResult]) -> [ActionResult] {
        var left = results[...]
        return orders.map { order in
            let own = left.prefix(order.sentActions.count)
            left = left.dropFirst(own.count)
            let failed = own.first { !$0.isSucceeded }
            return failed ?? own.first ?? ActionResult("", isSucceeded: true)
        }
    }
}

extension ObjectOrder {
    fileprivate var sentActions: [CommandAction] {
        switch self {
        case .values(let values): values.map { CommandAction($0.key, $0.value) }
        case .action(let name): [CommandAction(name, true)]
        // These are the place's, and are never sent to a thing.
        case .position, .name: []
        }
    }
}
