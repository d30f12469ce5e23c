import CommandFixture
import Controller
import Flare
import JSON
import Testing
import Things

/// Things that represent physical lamps.
@Suite struct LampTests {
    @Test func `a change reported by a lamp has the cause link and is answered to the link`() {
        var rig = Rig.atHome()
        let order = Command.Operation.set(
            .thing("\(House.lamp)"),
            ThingRequest(attributes: ["state": "OFF"])
        )
        rig.happens(.commandReceived(Command(ticket: 7, operation: order, actor: .lamp)))
        let effects = rig.serve()
        #expect(effects.events.map(\.cause) == [.init("link")])
        let answers = effects.compactMap { if case .answer(let answer) = $0 { answer } else { nil } }
        #expect(answers.map(\.ticket) == [7] && answers.map(\.actor) == [.lamp])
        #expect(rig.lamp("on") == false)
        let refused = rig.happens(
            .commandReceived(
                Command(
                    ticket: 8,
                    operation: .set(.thing("nobody"), ThingRequest(attributes: [:])),
                    actor: .lamp
                )
            )
        )
        guard case .answer(let answer)? = refused.first else {
            Issue.record("no answer to the lamp's command")
            return
        }
        #expect(answer.actor == .lamp && answer.refusal?.code == .unknownThing)
    }

    @Test func `a lamp's condition is shown with its thing and causes no event`() {
        var rig = Rig.atHome()
        _ = rig.controller.removeChanges()
        let away = ThingCondition(isOnline: false)
        #expect(rig.happens(.conditionChanged(House.lamp, away)) == [])
        #expect(rig.state.conditions == [House.lamp: away])
        #expect(rig.controller.removeChanges().contains(.object(House.lampThing)))
        #expect(rig.happens(.conditionChanged(House.lamp, away)) == [])
        #expect(rig.controller.removeChanges().isEmpty)
        #expect(rig.happens(.conditionChanged(House.lamp, nil)) == [])
        #expect(rig.state.conditions.isEmpty)
        // Conditions of unknown things are ignored.
        let nobody = FlareID(high: 9, low: 9)
        _ = rig.controller.removeChanges()
        rig.happens(.conditionChanged(nobody, away))
        #expect(rig.controller.removeChanges().isEmpty)
    }

    @Test func `the state holds the duration of a running transition`() {
        var rig = Rig.atHome()
        rig.command(
            .set(
                .thing("\(House.lamp)"),
                ThingRequest(attributes: ["brightness": 255], transition: 3)
            )
        )
        #expect(rig.state.goalSeconds == [House.lamp: 3])
        rig.serve()
        rig.command(.set(.thing("\(House.lamp)"), ThingRequest(attributes: ["state": "OFF"])))
        rig.serve()
        #expect(rig.state.goalSeconds.isEmpty && rig.state.goals.isEmpty)
    }
}
