import Accounts
import Bindings
import Controller
import Flare
import JSON
import People
import Rules
import Testing
import Things

@testable import Daemon

/// A circle of a hundred rules, each of which starts the next one.
@Suite(.timeLimit(.minutes(2))) struct RuleCircleTests {
    private static let count = 100
    private static let things = (0..<count).map { number in
        TestPlace.thing(UInt32(100 + number), "Lamp \(number)", ["on": false, "brightness": 0.5])
    }

    /// When a lamp is switched on or off, the next one is switched over.
    private static func rule(_ number: Int) -> Rule {
        let (thing, next) = (things[number], things[(number + 1) % count])
        let field = StateTrigger(RuleBench.reference(thing), .field("on"))
        let action = RuleAction.Work.drive(.set(["state": "TOGGLE"]), .thing(RuleBench.reference(next)))
        return Rule("Rule \(number)", when: [.state(field)], then: [RuleAction(action)])
    }

    private func circle(_ configuration: RuleEngine.Configuration = .init()) -> RuleBench {
        var bench = RuleBench(configuration, isLinked: false)
        bench.server.things += Self.things
        bench.send(.flare(.linkUp))
        let rules = (0..<Self.count).map { RuleBench.loaded($0 + 1, Self.rule($0)) }
        bench.send(.loaded(RulesLoad(rules, RuleCalendar(), lastFiring: 0)))
        return bench
    }

    private func lampsThatAreOn(_ bench: RuleBench) -> [Int] {
        Self.things.indices.filter { bench.isOn(Self.things[$0]) == true }
    }

    private func loops(_ bench: RuleBench) -> [Int] {
        bench.records.compactMap { record in
            guard case .fired(let firing, _) = record, firing.outcome == .loop else { return nil }
            return firing.rule
        }
    }

    @Test func `with the usual limits a circle ends as a loop after eight firings`() {
        var bench = circle()
        bench.set(["on": true], of: Self.things[0])
        bench.pass(milliseconds: 60_000)
        #expect(bench.fired == Array(1...8) && loops(bench) == [9])
        // Eight actions, and no more.
        #expect(lampsThatAreOn(bench) == Array(0...8))
        #expect(bench.logged.count { $0.source?.hasPrefix("rule:") == true } == 8)
        #expect(bench.outcomes.count { $0 == .done } == 8 && bench.failures.allSatisfy(\.isEmpty))
        let alert = bench.controller.state.alerts["rule-loop"]
        let chain = (1...8).map { "rule-\($0)" }.joined(separator: ", ")
        #expect(
            alert?.message.contains("stopped: rule-9 (in a chain with \(chain)).") == true,
            "\(alert?.message ?? "")"
        )
    }

    @Test func `what starts the circle again is another chain, and its loops are stored once in a minute`() {
        var bench = circle()
        for isOn in [true, false, true] {
            bench.set(["on": .bool(isOn)], of: Self.things[0])
            bench.pass(milliseconds: 5_000)
        }
        #expect(bench.fired == Array(1...8) + Array(1...8) + Array(1...8))
        #expect(loops(bench) == [9])
        bench.pass(milliseconds: 60_000)
        bench.set(["on": false], of: Self.things[0])
        #expect(loops(bench) == [9, 9])
    }

    @Test func `a circle that the longest chain goes around once ends at its first rule`() {
        var bench = circle(RuleEngine.Configuration(chain: Self.count))
        bench.set(["on": true], of: Self.things[0])
        bench.pass(milliseconds: 60_000)
        #expect(bench.fired == Array(1...Self.count) && loops(bench) == [1])
        // The last rule has switched the first lamp off.
        #expect(lampsThatAreOn(bench) == Array(1..<Self.count))
        #expect(bench.controller.state.alerts["rule-loop"]?.message.contains("rule-1") == true)
    }

    // MARK: Two rules

    /// Two rules that switch the lamp over, each after the other one.
    private func quarrel(otherMaker: AccountID = RuleBench.maker) -> RulesLoad {
        let lamp = RuleBench.lamp
        var rules = [
            RuleBench.loaded(1, RuleBench.follow(lamp, by: lamp, "OFF")),
            RuleBench.loaded(2, RuleBench.follow(lamp, false, by: lamp, "ON")),
        ]
        rules[1].maker = otherMaker
        return RulesLoad(rules, RuleCalendar(), lastFiring: 0)
    }

    @Test func `the alert and the explanation of a loop name the other rule of it`() {
        var bench = RuleBench(RuleEngine.Configuration(chain: 4))
        bench.send(.loaded(quarrel()))
        bench.set(["on": true], of: RuleBench.lamp)
        bench.pass(milliseconds: 10_000)
        let message = bench.controller.state.alerts["rule-loop"]?.message
        #expect(message?.contains("rule-1 (in a chain with rule-2)") == true, "\(message ?? "")")
        let line = bench.rules.explanation(of: 1, in: bench.controller.state).last
        #expect(line?.refusal == .loop && line?.why.hasSuffix("; in a chain with rule-2") == true)
        // Switched off, the other one ends the loop, and so the alert.
        bench.send(.switched(2, isOn: false))
        #expect(bench.controller.state.alerts["rule-loop"] == nil)
    }

    /// The two rules are of two users.
    private func quarrelOfTwo() -> RuleBench {
        var bench = RuleBench(RuleEngine.Configuration(chain: 4))
        let other = AccountID(high: 1, low: 2)
        let users = [User(id: RuleBench.maker, name: "maker"), User(id: other, name: "other")]
        let grants = [
            Grant(id: 1, .user(RuleBench.maker), .own, .all), Grant(id: 2, .user(other), .own, .all),
        ]
        bench.send(.peopleChanged(AccessTable(users: users, grants: grants)))
        bench.send(.loaded(quarrel(otherMaker: other)))
        bench.set(["on": true], of: RuleBench.lamp)
        bench.pass(milliseconds: 10_000)
        return bench
    }

    @Test func `whoever switches a rule does not clear the stop of others' rules`() {
        var bench = quarrelOfTwo()
        bench.send(.switched(2, isOn: false))
        let message = bench.controller.state.alerts["rule-loop"]?.message
        #expect(message?.contains("stopped: rule-1.") == true, "\(message ?? "")")
        bench.send(.switched(1, isOn: false))
        #expect(bench.controller.state.alerts["rule-loop"] == nil)
    }

    @Test func `an explanation of a loop does not name rules of others`() {
        let bench = quarrelOfTwo()
        let line = bench.rules.explanation(of: 1, in: bench.controller.state).last
        #expect(line?.why.hasSuffix("; in a chain with 1 rule of others") == true, "\(line?.why ?? "")")
    }

    @Test(
        arguments: [
            (["on": true], ["state": "OFF"]), (["state": "ON"], ["on": false, "partial": true]),
            (["on": true, "level": 0.9], ["state": "ON", "brightness": 0.1]),
        ] as [(JSONObject, JSONObject)]
    )
    func `of two rules that set the same under two names, the later one wins`(
        _ first: JSONObject,
        _ second: JSONObject
    ) {
        var bench = RuleBench()
        let rules = [first, second].map { values in
            var rule = RuleBench.follow(RuleBench.lamp, by: RuleBench.fan)
            rule.actions = [RuleAction(.drive(.set(values), .thing(RuleBench.reference(RuleBench.fan))))]
            return rule
        }
        bench.load(rules[0], rules[1])
        bench.set(["on": true], of: RuleBench.lamp)
        #expect(bench.fired == [1, 2])
        #expect(bench.failures.contains(["superseded"]), "\(bench.failures)")
    }

    @Test(arguments: [(true, "the rule rule-2, which fired after this one, sets the same"), (false, nil)])
    func `what is superseded names the later rule to who may see it`(isSeen: Bool, message: String?) {
        var bench = RuleBench()
        let other = AccountID(high: 1, low: 2)
        let users = [User(id: RuleBench.maker, name: "maker"), User(id: other, name: "other")]
        let grants = [
            Grant(id: 1, .user(RuleBench.maker), isSeen ? .own : .write, .all),
            Grant(id: 2, .user(other), .own, .all),
        ]
        bench.send(.peopleChanged(AccessTable(users: users, grants: grants)))
        let (lamp, fan) = (RuleBench.lamp, RuleBench.fan)
        let rules = [
            RuleBench.loaded(1, RuleBench.follow(lamp, by: fan, "ON")),
            LoadedRule(RuleEntry(2, RuleBench.follow(lamp, by: fan, "OFF")), slug: "rule-2", maker: other),
        ]
        bench.send(.loaded(RulesLoad(rules, RuleCalendar(), lastFiring: 0)))
        bench.set(["on": true], of: lamp)
        let failure = bench.rules.rules[1]?.last?.failure ?? ""
        let expected = message ?? "a rule that fired after this one sets the same"
        #expect(failure == "action 1: \(expected)")
    }
}
