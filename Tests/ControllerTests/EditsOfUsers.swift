import CommandFixture
import Controller
import Flare
import People

/// What tests of edits by users share: an owner, alice, and bob with the grants of the test.
protocol EditsOfUsers {}

extension EditsOfUsers {
    static var alice: AccountID { AccountID(high: 0, low: 1) }
    static var bob: AccountID { AccountID(high: 0, low: 2) }

    func named(_ name: String) -> ObjectEdit {
        var edit = ObjectEdit()
        edit.name = name
        return edit
    }

    /// A home with an owner, alice, and bob with these grants.
    func rig(
        _ grants: [(Access, Scope)],
        readOnly: [String] = [],
        server: HouseServer = HouseServer()
    ) -> Rig {
        var rig = Rig.atHome(server: server)
        rig.controller.policies = [ReadOnlyPolicy(readOnly), PeoplePolicy()]
        let all = [Grant(id: 1, .user(Self.alice), .own, .all)]
        let others = grants.enumerated().map { Grant(id: Int64($0 + 2), .user(Self.bob), $1.0, $1.1) }
        let users = [User(id: Self.alice, name: "alice"), User(id: Self.bob, name: "bob")]
        rig.happens(.peopleChanged(AccessTable(users: users, grants: all + others)))
        return rig
    }

    func answer(_ rig: inout Rig, _ order: Command.Operation, by user: AccountID) -> Answer? {
        answer(&rig, order, as: .user(user))
    }

    /// - Parameter caller: The owner of a rig without alice and bob, if it is left out.
    func answer(_ rig: inout Rig, _ order: Command.Operation, as caller: Caller? = .owner) -> Answer? {
        let command = Command(ticket: 1, operation: order, caller: caller)
        return (rig.happens(.commandReceived(command)) + rig.serve()).answers.first
    }
}
