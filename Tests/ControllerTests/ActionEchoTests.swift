import CommandFixture
import Controller
import Flare
import JSON
import Testing

/// Attribution of changes that come back from our own actions.
struct ActionEchoTests {
    private static let device = JSONValue.string("\(House.homeDevice)")

    private func causes(_ effects: [ControllerEffect]) -> [ChangeEvent.Cause] {
        effects.events.filter { $0.type != "action" }.map(\.cause)
    }

    private func act(_ name: String, tx: JSONValue, _ rig: inout Rig) {
        rig.command(.action(.thing("lamp"), name: name), tx: tx)
    }

    @Test(arguments: ["nextColor", "lighter", "off", "north"])
    func `a change made by an action carries the cause of its command`(action: String) {
        var rig = Rig.atHome()
        rig.set(["level": 0.3])
        rig.serve()
        act(action, tx: 7, &rig)
        let effects = rig.serve()
        #expect(!causes(effects).isEmpty)
        #expect(Set(causes(effects)) == [.init("command", tx: 7)])
    }

    @Test func `changes that arrive after the answer are attributed to their own commands`() {
        var rig = Rig.atHome()
        rig.set(["level": 0.3])
        rig.serve()
        for tx in 1...2 {
            act("lighter", tx: JSONValue(tx), &rig)
            rig.serveOne(.success(.done))
        }
        let eventNames = [0.4, 0.4, 0.5].map { level in
            causes(rig.notice(.data(House.lampThing, ["brightness": .number(level)], sender: Self.device)))
        }
        #expect(eventNames.map(\.first) == [.init("command", tx: 1), nil, .init("command", tx: 2)])
    }

    @Test func `a change by another client after our action has the cause server`() {
        var rig = Rig.atHome()
        act("off", tx: 1, &rig)
        rig.serveOne(.success(.done))
        for sender in [nil, "x"] as [JSONValue?] {
            let level: JSONValue = sender == nil ? 0.1 : 0.2
            let effects = rig.notice(.data(House.lampThing, ["brightness": level], sender: sender))
            #expect(Set(causes(effects)) == [.init("server")])
        }
        let other = rig.notice(.data(House.lampThing, ["on": false], sender: nil))
        #expect(Set(causes(other)) == [.init("server")], "even if our action requested it")
    }

    @Test func `a failed, ineffective or old action is not the cause of a change`() {
        var rig = Rig.atHome()
        act("off", tx: 1, &rig)
        rig.serveOne(.failure(.rejected("no")))
        act("on", tx: 2, &rig)
        rig.serveOne(.success(.done))
        let late = rig.notice(.data(House.lampThing, ["on": false], sender: Self.device))
        #expect(Set(causes(late)) == [.init("server")])
        act("on", tx: 3, &rig)
        rig.serveOne(.success(.done))
        let later = rig.notice(.data(House.lampThing, ["on": true], sender: Self.device), after: 5001)
        #expect(Set(causes(later)) == [.init("server")])
        act("off", tx: 4, &rig)
        rig.lose()
        rig.happens(.flare(.linkUp))
        rig.serve()
        let lost = rig.notice(.data(House.lampThing, ["on": false], sender: Self.device))
        #expect(Set(causes(lost)) == [.init("server")])
    }
}
