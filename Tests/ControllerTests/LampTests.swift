import Controller
import Flare
import Testing
import Things

/// Things that are real lamps.
@Suite struct LampTests {
    @Test func `what a lamp asks of its thing is told as the link's doing, and answered to the link`() {
        var rig = Rig.atHome()
        let order = Command.Order.set(
            .thing("\(House.lamp)"),
            ThingRequest(attributes: ["state": "OFF"])
        )
        rig.happens(.commandReceived(Command(ticket: 7, order: order, speaker: .lamp)))
        let effects = rig.serve()
        #expect(effects.events.map(\.cause) == [.init("link")])
        let answers = effects.compactMap { if case .answer(let answer) = $0 { answer } else { nil } }
        #expect(answers.map(\.ticket) == [7] && answers.map(\.speaker) == [.lamp])
        #expect(rig.lamp("on") == false)
        let refused = rig.happens(
            .commandReceived(
                Command(
                    ticket: 8,
                    order: .set(.thing("nobody"), ThingRequest(attributes: [:])),
                    speaker: .lamp
                )
            )
        )
        guard case .answer(let answer)? = refused.first else {
            Issue.record("no answer")
            return
        }
        #expect(answer.speaker == .lamp && answer.refusal?.code == .unknownThing)
    }

    @Test func `how a lamp fares is shown of its thing, and is no event`() {
        var rig = Rig.atHome()
        _ = rig.controller.removeChanges()
        let away = LampCondition(isOnline: false)
        #expect(rig.happens(.lampChanged(House.lamp, away)) == [])
        #expect(rig.state.lamps == [House.lamp: away])
        #expect(rig.controller.removeChanges().contains(.object(House.lampThing)))
        #expect(rig.happens(.lampChanged(House.lamp, away)) == [])
        #expect(rig.controller.removeChanges().isEmpty)
        #expect(rig.happens(.lampChanged(House.lamp, nil)) == [])
        #expect(rig.state.lamps.isEmpty)
        // Of what is not here nothing is to be shown.
        let nobody = FlareID(high: 9, low: 9)
        _ = rig.controller.removeChanges()
        rig.happens(.lampChanged(nobody, away))
        #expect(rig.controller.removeChanges().isEmpty)
    }

    @Test func `how long a transition takes is told while it runs`() {
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
