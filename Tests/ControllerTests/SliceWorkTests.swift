import CommandFixture
import Controller
import Flare
import JSON
import People
import Testing
import Things

/// Commands that a slice gives, and their answers.
@Suite struct SliceWorkTests {
    private func rig() -> Rig {
        var rig = Rig.atHome()
        rig.happens(Series.event(.begun))
        return rig
    }

    private func results(_ rig: Rig) -> [RefusalCode?] { rig.state.slices[Series.self].results }

    private func level(_ level: Double, of thing: String = "lamp") -> Command.Operation {
        .set(.thing(thing), ThingRequest(attributes: ["level": .number(level)]))
    }

    private func series(_ parts: [Command.Operation]) -> Command.Operation { .init(RunSeries(parts: parts)) }

    @Test func `parts run in order, and one that is refused does not stop the next`() {
        var rig = rig()
        let refused = Command.Operation.set(.thing("lamp"), ThingRequest(attributes: ["color": "nocolour"]))
        let lighter = Command.Operation.action(.thing("lamp"), name: "lighter")
        var effects = rig.command(series([level(0.1), refused, lighter]), tx: 5)
        #expect(effects.answers.isEmpty && effects.requests.count == 1)
        effects += rig.serve()
        #expect(results(rig) == [nil, .unknownColour, nil])
        #expect(
            effects.requests == [
                .setData(House.lampThing, values: ["brightness": 0.1], sender: House.homeDevice),
                .performAction(House.lampThing, action: "lighter", sender: House.homeDevice),
            ]
        )
        #expect(effects.answers.map(\.tx) == [5])
    }

    @Test func `parts are neither logged nor explained by themselves`() {
        var rig = rig()
        rig.set(["level": 0.3], tx: "plain")
        rig.serve()
        let logged = rig.log.count
        rig.command(series([level(0.1), level(0.2)]))
        rig.serve()
        #expect(results(rig) == [nil, nil] && rig.log.count == logged)
        let explained = rig.command(.explain(.command(tx: nil))).answers.first?.data?["text"]?.string
        #expect(explained?.contains("level") == true)
    }

    @Test func `each part needs the rights of the sender`() {
        var rig = rig()
        rig.controller.policies = [PeoplePolicy()]
        let bob = User(id: AccountID(high: 0, low: 2), name: "bob")
        let grant = Grant(id: 1, .user(bob.id), .write, .thing(House.lamp))
        rig.happens(.peopleChanged(AccessTable(users: [bob], grants: [grant])))
        let parts = series([level(0.1), level(0.1, of: "floor-lamp"), level(0.2)])
        rig.happens(.commandReceived(Command(ticket: 1, operation: parts, caller: .user(bob.id))))
        rig.serve()
        #expect(results(rig) == [nil, .unknownThing, nil])
    }

    @Test func `fifty parts that are refused at once are answered as one`() {
        var rig = rig()
        rig.lose()
        let effects = rig.command(series(Array(repeating: level(0.1), count: 50)))
        #expect(results(rig) == Array(repeating: .serverUnreachable, count: 50))
        #expect(effects.answers.count == 1)
    }

    @Test func `a slice that gives a command from each answer is stopped after a thousand`() {
        var rig = rig()
        let endless = Command.Operation(RunSeries(parts: [.ping], isEndless: true))
        #expect(rig.command(endless).answers.isEmpty)
        #expect(results(rig) == Array(repeating: nil, count: 1000) + [.rateLimited])
        // Each event has a thousand of its own.
        #expect(rig.command(series([level(0.1)])).requests.count == 1)
        rig.serve()
        #expect(results(rig) == [nil])
    }

    @Test func `a thousand follow from each event, also within a series that waits for the server`() {
        var rig = rig()
        rig.command(series(Array(repeating: level(0.1), count: 1100)))
        let answers = rig.serve().answers
        #expect(results(rig) == Array(repeating: nil, count: 1100) && answers.count == 1)
    }

    @Test func `when an environment is left, no part goes to what was left`() {
        var rig = rig()
        rig.set(["level": 0.9])
        // It waits for the set before it.
        rig.command(series([level(0.1), level(0.2)]))
        let left = rig.happens(House.located(20))
        #expect(results(rig) == [.staleTarget, .unknownThing])
        let requests = left.requests + rig.serve().requests
        #expect(
            !requests.contains { if case .setData(House.lampThing, _, _, _) = $0 { true } else { false } }
        )
    }

    @Test func `while the daemon stops, no part is begun`() {
        var rig = rig()
        rig.command(series([level(0.1), level(0.2), level(0.3)]))
        let stopped = rig.happens(.stopBegun)
        #expect(stopped.requests.isEmpty)
        // Nothing follows from the second refusal.
        #expect(results(rig) == [.timeout, .timeout])
    }

    @Test func `a slice says how a thing at the edge is reached, and what has happened to it`() {
        var rig = rig()
        rig.happens(Series.event(.happened(House.lamp, .routed(EdgeRoute(commandSeconds: 60)))))
        let orders = rig.command(series([level(0.1), level(0.2)])).orders
        #expect(orders.count == 1 && rig.asked.isEmpty)
        let number = orders.first?.number ?? 0
        rig.happens(Series.event(.happened(House.lamp, .answered(number, [.success(nil)]))))
        let next = rig.serve().orders
        #expect(results(rig) == [nil] && next.map(\.orders) == [[.values(["brightness": 0.2])]])
        rig.happens(Series.event(.happened(House.lamp, .reported(["brightness": 0.4]))))
        rig.serve()
        #expect(rig.lamp("brightness") == 0.4)
    }
}
