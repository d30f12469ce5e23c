import CommandFixture
import Controller
import Flare
import JSON
import People
import Testing
import Things

/// What somebody has begun, when their right ends.
struct LostRightTests {
    private static let alice = AccountID(high: 0, low: 1)
    private static let bob = AccountID(high: 0, low: 2)
    private let step = ControllerTimer.transitionStep(House.lamp)

    private static func table(
        _ grants: [(Access, Scope)],
        ends: Int64? = nil,
        state: UserState = .active
    ) -> AccessTable {
        AccessTable(
            users: [User(id: alice, name: "alice"), User(id: bob, name: "bob", state: state)],
            grants: [Grant(id: 1, .user(alice), .own, .all)]
                + grants.enumerated().map { Grant(id: Int64($0 + 2), .user(bob), $1.0, $1.1, ends: ends) }
        )
    }

    /// A home where bob may drive the lamp.
    private func rig(ends: Int64? = nil) -> Rig {
        var rig = Rig.atHome()
        rig.controller.policies = [PeoplePolicy()]
        rig.happens(.peopleChanged(Self.table([(.write, .thing(House.lamp))], ends: ends)))
        return rig
    }

    @discardableResult
    private func fade(_ rig: inout Rig, by user: AccountID, ticket: Int = 1) -> [ControllerEffect] {
        let request = ThingRequest(attributes: ["level": 1], transition: 3600)
        let order = Command.Operation.set(.thing("lamp"), request)
        return rig.happens(.commandReceived(Command(ticket: ticket, operation: order, caller: .user(user))))
    }

    @Test func `a transition stops at the moment when the right of its sender ends`() {
        var rig = rig(ends: Rig.moment(60_000).wallMilliseconds)
        fade(&rig, by: Self.bob)
        rig.serve()
        rig.happens(.timerFired(step), after: 59_999)
        rig.serve()
        let reached = rig.lamp("brightness")
        #expect(rig.state.goals[House.lamp] != nil)
        #expect(rig.happens(.timerFired(step), after: 1).requests.isEmpty)
        #expect(rig.state.goals.isEmpty && rig.lamp("brightness") == reached)
    }

    @Test(arguments: [
        table([]), table([(.read, .thing(House.lamp))]),
        table([(.write, .thing(House.lamp))], state: .off),
    ])
    func `a transition stops at once when its sender's right is taken away`(table: AccessTable) {
        var rig = rig()
        fade(&rig, by: Self.bob)
        rig.serve()
        rig.happens(.peopleChanged(table))
        #expect(rig.state.goals.isEmpty)
        #expect(rig.happens(.timerFired(step), after: 100).requests.isEmpty)
    }

    @Test func `a transition goes on while its sender may drive the thing`() {
        var rig = rig()
        fade(&rig, by: Self.alice)
        rig.serve()
        rig.happens(.peopleChanged(Self.table([])))
        #expect(rig.state.goals[House.lamp] != nil)
        #expect(rig.happens(.timerFired(step), after: 60_000).requests.count == 1)
    }

    @Test func `a transition stops when its thing moves to where its sender has no right`() {
        var rig = Rig.atHome()
        rig.controller.policies = [PeoplePolicy()]
        rig.happens(.peopleChanged(Self.table([(.write, .zone(House.kitchen))])))
        fade(&rig, by: Self.bob)
        rig.serve()
        var edit = ObjectEdit()
        edit.zone = House.living
        let order = Command.Operation.edit(.thing, "lamp", edit, zone: "living-room")
        rig.happens(.commandReceived(Command(ticket: 2, operation: order, caller: .user(Self.alice))))
        rig.serve()
        #expect(rig.happens(.timerFired(step), after: 100).requests.isEmpty)
        #expect(rig.state.goals.isEmpty)
    }

    @Test func `a command that waits for its turn is refused when the right ends meanwhile`() {
        var rig = rig()
        func toggle(_ ticket: Int) {
            let order = Command.Operation.set(.thing("lamp"), ThingRequest(attributes: ["state": "TOGGLE"]))
            rig.happens(.commandReceived(Command(ticket: ticket, operation: order, caller: .user(Self.bob))))
        }
        toggle(1)
        toggle(2)
        rig.happens(.peopleChanged(Self.table([(.read, .thing(House.lamp))])))
        let on = rig.lamp("on")
        let effects = rig.serve()
        #expect(effects.codes == [nil, .notAllowed])
        #expect(rig.lamp("on") != on, "the first one was sent before")
        toggle(3)
        #expect(rig.effects.answers.last?.refusal?.code == .notAllowed)
    }
}
