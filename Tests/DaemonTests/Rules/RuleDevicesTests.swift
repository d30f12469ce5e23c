import Accounts
import Controller
import Flare
import JSON
import People
import Rules
import Testing
import Things
import Threading

@testable import Daemon

/// Where further devices are, as rules in a node get to know them, and who may make rules about them.
@Suite(.timeLimit(.minutes(2))) struct RuleDevicesTests {
    private static let anna = ListedNode(node: "anna", name: "Anna's phone", kind: "phone")
    private static let bert = ListedNode(node: "bert", name: "Bert", kind: "watch")
    private static let kitchen = RuleBench.kitchen

    private func bench(_ change: (inout TestPlace.Server) -> Void = { _ in }) -> RuleBench {
        var bench = RuleBench(decider: .server, isLinked: false)
        change(&bench.server)
        bench.send(.nodesListed([Self.anna, Self.bert], leavingPlace: []))
        bench.send(.flare(.linkUp))
        return bench
    }

    // MARK: In the node

    @Test func `a rule follows the device that it names`() {
        var bench = bench()
        bench.load(
            RuleBench.rule(
                .enter(.zone(Self.kitchen), by: .node("anna")),
                .exit(.zone(Self.kitchen), by: .node("anna"))
            )
        )
        bench.enter()
        bench.enter(by: "bert")
        #expect(bench.fired.isEmpty)
        bench.enter(by: "anna")
        #expect(bench.whys == ["enter zone:kitchen anna"] && bench.isOn(RuleBench.heater) == true)
        bench.leave(by: "anna")
        #expect(bench.whys == ["enter zone:kitchen anna", "exit zone:kitchen anna"])
    }

    @Test func `a rule without a device follows the node's own alone`() {
        var bench = bench()
        bench.load(RuleBench.rule(.enter(.zone(Self.kitchen))))
        bench.enter(by: "anna")
        #expect(bench.fired.isEmpty)
        bench.enter()
        #expect(bench.whys == ["enter zone:kitchen"])
    }

    @Test func `the first device occupies a zone, and after the last one it is empty`() {
        var bench = bench()
        bench.load(
            RuleBench.rule(
                .enter(.zone(Self.kitchen), by: .first),
                .exit(.zone(Self.kitchen), by: .last)
            ),
            RuleBench.rule(
                .exit(.zone(Self.kitchen), by: .any),
                if: [.zone([Self.kitchen], of: .nobody)]
            )
        )
        bench.enter(by: "anna")
        bench.enter()
        bench.leave(by: "anna")
        #expect(bench.whys == ["enter zone:kitchen anna"])
        bench.leave()
        #expect(bench.fired == [1, 1, 2])
        #expect(bench.whys.suffix(2) == ["exit zone:kitchen", "exit zone:kitchen"])
    }

    @Test func `where devices are when the place is read is no event, and what follows is`() {
        var bench = RuleBench(decider: .server, isLinked: false)
        bench.server.zoneOfOthers = TestPlace.kitchen
        bench.send(.nodesListed([Self.anna, Self.bert], leavingPlace: []))
        bench.load(
            RuleBench.rule(
                .enter(.zone(Self.kitchen), by: .any),
                .exit(.zone(Self.kitchen), by: .last)
            )
        )
        bench.send(.flare(.linkUp))
        #expect(bench.controller.state.nodes["anna"]?.zoneID == TestPlace.kitchen && bench.fired.isEmpty)
        bench.leave(by: "anna")
        #expect(bench.fired.isEmpty)
        bench.leave(by: "bert")
        #expect(bench.whys == ["exit zone:kitchen bert"])
    }

    @Test func `a device that is listed later is where it is, without an event`() {
        var bench = RuleBench(decider: .server)
        bench.load(RuleBench.rule(.enter(.zone(Self.kitchen), by: .any)))
        bench.server.zoneOfOthers = TestPlace.kitchen
        bench.send(.nodesListed([Self.anna], leavingPlace: []))
        #expect(bench.controller.state.nodes["anna"]?.zoneID == TestPlace.kitchen && bench.fired.isEmpty)
        bench.leave(by: "anna")
        bench.enter(by: "anna")
        #expect(bench.whys == ["enter zone:kitchen anna"])
    }

    @Test func `a rule whose device is not listed any more is suspended, and says which`() {
        var bench = bench()
        bench.load(RuleBench.rule(.enter(.zone(Self.kitchen), by: .node("anna"))))
        bench.send(.nodesListed([Self.bert], leavingPlace: []))
        #expect(bench.rules.suspension(of: 1) == .gone)
        #expect(bench.rules.missing(of: 1, in: bench.controller.state) == ["device:anna"])
        #expect(bench.controller.state.alerts["rules"]?.message.contains("device:anna is not there") == true)
        bench.send(.nodesListed([Self.anna, Self.bert], leavingPlace: []))
        #expect(bench.rules.suspension(of: 1) == nil && bench.controller.state.alerts["rules"] == nil)
        bench.enter(by: "anna")
        #expect(bench.whys == ["enter zone:kitchen anna"])
    }

    @Test func `a rule that is loaded without its device is suspended`() {
        var bench = RuleBench(decider: .server)
        bench.load(RuleBench.rule(.enter(.zone(Self.kitchen), by: .node("anna"))))
        #expect(bench.rules.suspension(of: 1) == .gone)
        bench.send(.nodesListed([Self.anna], leavingPlace: []))
        #expect(bench.rules.suspension(of: 1) == nil)
    }

    @Test func `a message names the device that came`() throws {
        let text = try #require(RuleText("{device} is in {zone}"))
        let told = RuleAction(.notify(RuleNotification(to: [.allDisplays], text: text)))
        var bench = bench()
        bench.load(Rule("Who", when: [.enter(.zone(Self.kitchen), by: .any)], then: [told]))
        bench.enter(by: "anna")
        guard case .message(let message)? = bench.outgoing[1] else {
            Issue.record("no message: \(bench.outgoing)")
            return
        }
        #expect(message.text == "Anna's phone is in kitchen")
    }

    @Test func `a rule does not fire for who may not know where its device is`() {
        var bench = bench()
        bench.load(RuleBench.rule(.enter(.zone(Self.kitchen), by: .node("anna"))))
        bench.allow(.write, .all, .device("bert"))
        bench.enter(by: "anna")
        #expect(bench.fired.isEmpty)
        bench.leave(by: "anna")
        bench.allow(.write, .all, .device("anna"))
        bench.enter(by: "anna")
        #expect(bench.whys == ["enter zone:kitchen anna"])
    }

    // MARK: Made

    private static func rule(_ device: JSONValue) -> JSONValue {
        [
            "when": [["on": "enter", "zone": "kitchen", "device": device]],
            "then": [["set": ["on": true], "target": "thing:fan"]],
        ]
    }

    @Test func `a node that is not listed is refused, with those that are`() async throws {
        try await withRules { (home, _) async throws in
            home.place.withLock { $0.nodes = ["anna", "bert"] }
            let refused = await home.ask("POST", "", Self.rule("ana"), as: home.owner)
            #expect(refused.status == 400 && refused.body["field"] == "when[0].device", "\(refused.body)")
            let message = refused.body["message"]?.string ?? ""
            #expect(message.contains("anna, bert") && message.contains("did you mean"), "\(message)")
            #expect(await home.ask("POST", "", Self.rule("anna"), as: home.owner).status == 201)
        }
    }

    @Test func `the node's own device is named by leaving it out`() async throws {
        try await withRules { (home, _) async throws in
            let made = await home.ask("POST", "", Self.rule("hall"), as: home.owner)
            let slug = try #require(made.body["slug"]?.string)
            let rule = await home.ask("GET", slug, as: home.owner).body
            #expect(rule["when"] == [["on": "enter", "zone": "kitchen"]], "\(rule)")
        }
    }

    @Test func `a rule about a device needs the right to know where it is`() async throws {
        try await withRules { (home, _) async throws in
            home.place.withLock { $0.nodes = ["anna", "bert"] }
            try home.allow(home.bob, .read, .device("bert"))
            let hidden = await home.ask("POST", "", Self.rule("anna"), as: home.bob)
            #expect(hidden.status == 400 && hidden.body["message"]?.string?.contains("bert") == true)
            #expect(await home.ask("POST", "", Self.rule("bert"), as: home.bob).status == 201)
            for words in ["any", "first"] {
                let refused = await home.ask("POST", "", Self.rule(.string(words)), as: home.bob)
                #expect(refused.status == 403, "\(refused.body)")
            }
            let grants = home.accounts.table.grants.filter { $0.grantee == .user(home.bob) }
            let grant = try #require(grants.first { $0.scope == .device("bert") })
            try home.accounts.change { try $0.removeGrant(grant.id, by: .program(at: 1)) }
            await home.service.follow()
            #expect(home.judgements == [.rights])
        }
    }
}
