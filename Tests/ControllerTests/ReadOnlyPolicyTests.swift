import CommandFixture
import Controller
import Flare
import JSON
import Testing
import Things

@Suite struct ReadOnlyPolicyTests {
    private func rig(_ names: String...) -> Rig {
        var rig = Rig.atHome()
        rig.controller.policies = [ReadOnlyPolicy(names)]
        return rig
    }

    private func order(_ target: Command.Target = .thing("lamp")) -> Command.Operation {
        .set(target, ThingRequest(attributes: ["state": "ON"]))
    }

    private func refusal(
        _ rig: inout Rig,
        _ order: Command.Operation,
        by actor: Command.Actor = .broker
    ) -> Refusal? {
        var effects = rig.happens(.commandReceived(Command(ticket: 1, operation: order, actor: actor)))
        effects += rig.serve()
        return effects.answers.first?.refusal
    }

    @Test(arguments: ["lamp", "\(House.lamp)", "kitchen", "\(House.kitchen)", "all"])
    func `a thing is read-only if it or its zone is listed`(name: String) {
        var rig = rig(name)
        for order in [order(), .action(.thing("lamp"), name: "toggle"), order(.zone("kitchen"))] {
            let refusal = refusal(&rig, order)
            #expect(refusal?.code == .notAllowed)
            #expect(
                refusal?.message.contains("is read-only: the configuration lists it in control.read_only")
                    == true
            )
        }
        #expect(rig.lamp("on") != true || rig.lamp("brightness") == 0.5)
    }

    @Test func `an unlisted thing can be changed and a listed one can be read`() {
        var rig = rig("lamp")
        #expect(refusal(&rig, order(.thing("floor-lamp"))) == nil)
        #expect(refusal(&rig, .get(.thing("lamp"))) == nil)
    }

    @Test func `a thing in an environment never visited is matched by its name`() {
        let policy = ReadOnlyPolicy(["show-case"])
        let object = ObjectReference(.thing, FlareID(high: 9, low: 9))
        let state = Rig.atHome().state
        for request in [
            ChangeRequest(actor: .flareClient, kind: .remove, object: object, name: "Show case"),
            ChangeRequest(
                actor: .flareClient,
                kind: .edit,
                object: object,
                zone: FlareID(high: 9, low: 8),
                name: "Lamp",
                zoneName: "Show case"
            ),
        ] {
            let decision = policy.decide(request, in: state)
            #expect(decision != .allow)
        }
    }

    @Test func `brightness by proximity does not change a read-only thing`() {
        var configuration = ControllerConfiguration()
        configuration.brightnessByProximity = true
        var rig = Rig.atHome(configuration)
        rig.controller.policies = [ReadOnlyPolicy(["lamp"])]
        for y in [1.26, 1.6] {
            rig.happens(House.estimate(2, y), after: 1000)
            rig.serve()
        }
        #expect(rig.state.nearbyID == House.lamp)
        #expect(rig.lamp("brightness") == 0.5)
    }

    @Test func `a physical lamp may report a change of a read-only thing`() {
        var rig = rig("all")
        #expect(refusal(&rig, order(), by: .lamp) == nil)
    }

    @Test func `a device may move even if everything is read-only`() {
        let rig = rig("all")
        for kind in [ChangeRequest.Kind.move, .set(["angle"]), .edit] {
            let object = ObjectReference(.device, House.homeDevice)
            let request = ChangeRequest(actor: .flareClient, kind: kind, object: object)
            #expect(rig.controller.refusal(of: request) == nil)
        }
    }

    @Test func `the first refusal of several policies is the answer`() {
        struct Never: CommandPolicy {
            let reason: String

            func decide(_ request: ChangeRequest, in state: ControllerState) -> PolicyDecision {
                .refuse(Refusal(.notAllowed, reason))
            }
        }
        var rig = Rig.atHome()
        rig.controller.policies = [ReadOnlyPolicy(["lamp"]), Never(reason: "second"), Never(reason: "third")]
        #expect(refusal(&rig, order(.thing("floor-lamp")))?.message == "second")
        #expect(refusal(&rig, .ping)?.message == "second")
        #expect(refusal(&rig, order())?.message.contains("read-only") == true)
    }
}
