@testable package import Controller
package import JSON
package import People

extension Caller {
    /// The owner of ``AccessTable/ofOwner``.
    package static let owner = Caller.user(AccountID(high: 0, low: 999))
}

extension AccessTable {
    /// That of a home that configures nothing: its owner, who may do everything.
    package static let ofOwner = {
        let owner = User(id: AccountID(high: 0, low: 999), name: "owner")
        return AccessTable(users: [owner], grants: [Grant(id: 1, .user(owner.id), .own, .all)])
    }()
}

extension Command {
    /// A command of the owner.
    package init(ticket: Int, operation: Operation, tx: JSONValue? = nil, actor: Actor = .broker) {
        self.init(ticket: ticket, operation: operation, tx: tx, actor: actor, caller: .owner)
    }
}

extension DeviceController {
    /// Knows the owner from the beginning, without an event.
    package mutating func knowOwner() { state.people = .ofOwner }
}
