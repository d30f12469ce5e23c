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

/// Times, levels, ceilings, and what rules hand over.
@Suite struct RuleTimesTests {
    private let lamp = RuleBench.lamp
    private let fan = RuleBench.fan

    private func once(after seconds: Int64, _ actions: [RuleAction]) -> Rule {
        let time = TestPlace.now.wallMilliseconds + seconds * 1000
        return Rule("Once", when: [.time(TimeTrigger(.once(time)))], then: actions)
    }

    private var switchesFan: RuleAction {
        RuleAction(.drive(.set(["state": "ON"]), .thing(RuleBench.reference(fan))))
    }

    @Test func `one timer waits for what is due first`() {
        var bench = RuleBench()
        bench.load(once(after: 60, [switchesFan]), once(after: 30, [switchesFan]))
        #expect(bench.due == TestPlace.now.steadyMilliseconds + 30_000)
        bench.pass(milliseconds: 29_999)
        #expect(bench.fired.isEmpty)
        bench.pass(milliseconds: 1)
        #expect(bench.fired == [2] && bench.isOn(fan) == true)
        #expect(bench.due == TestPlace.now.steadyMilliseconds + 60_000)
        bench.pass(milliseconds: 60_000)
        #expect(bench.fired == [2, 1] && bench.due == nil)
    }

    @Test func `a moment that is over switches its rule off`() {
        var bench = RuleBench()
        bench.load(once(after: 10, [switchesFan]))
        bench.pass(milliseconds: 10_000)
        #expect(bench.records.contains(.switchedOff(1)))
        #expect(bench.rules.isOn(1) == false)
    }

    @Test func `a clock that was set forward brings the timer forward`() {
        var bench = RuleBench()
        bench.load(once(after: 3600, [switchesFan]))
        bench.now.wallMilliseconds += 3_590_000
        bench.send(.clockSet)
        #expect(bench.due == bench.now.steadyMilliseconds + 10_000)
        bench.pass(milliseconds: 10_000)
        #expect(bench.fired == [1])
    }

    @Test func `a clock before the build follows no schedules, and says so`() {
        let built = TestPlace.now.wallMilliseconds + 1000
        var bench = RuleBench(RuleEngine.Configuration(built: built))
        bench.load(once(after: 10, [switchesFan]))
        #expect(bench.due == nil && bench.controller.state.alerts["clock"] != nil)
        bench.now.wallMilliseconds += 5000
        bench.send(.clockSet)
        #expect(bench.due != nil && bench.controller.state.alerts["clock"] == nil)
    }

    // MARK: Levels

    private func ceiling(_ level: LifecycleLevel?, when value: Bool) -> Rule {
        Rule(
            "Ceiling",
            when: [
                .state(StateTrigger(RuleBench.reference(lamp), .clause(.equals("on", .bool(value)))))
            ],
            then: [RuleAction(.ceiling(level))]
        )
    }

    private func showDisplay(_ bench: inout RuleBench) {
        bench.send(.displayChanged(id: "mqtt/wall", .visible))
    }

    @Test func `the lowest ceiling of rules counts, until its rule ends it or is off`() {
        var bench = RuleBench()
        showDisplay(&bench)
        #expect(bench.controller.state.lifecycle.level == .limited)
        bench.load(ceiling(.background, when: true), ceiling(.notRunning, when: true))
        bench.set(["on": true], of: lamp)
        #expect(bench.outcomes == [.done, .done])
        #expect(bench.controller.state.lifecycle.level == .notRunning)
        bench.send(.switched(2, isOn: false))
        #expect(bench.controller.state.lifecycle.level == .background)
        bench.send(.removed(1))
        #expect(bench.controller.state.lifecycle.level == .limited)
    }

    @Test func `a level by command is above the ceiling of a rule`() {
        var bench = RuleBench()
        showDisplay(&bench)
        bench.load(ceiling(.background, when: true))
        bench.set(["on": true], of: lamp)
        let force = Command(
            ticket: 1,
            operation: Command.Operation(SetLifecycle.level(.active)),
            caller: .user(RuleBench.maker)
        )
        bench.send(.commandReceived(force))
        #expect(bench.controller.state.lifecycle.level == .active)
    }

    @Test func `a ceiling outlives a restart`() {
        var bench = RuleBench()
        bench.load(ceiling(.background, when: true))
        bench.set(["on": true], of: lamp)
        var next = RuleBench()
        showDisplay(&next)
        next.set(["on": true], of: lamp)
        next.load(ceiling(.background, when: true), memories: bench.memories)
        next.pass(milliseconds: 1)
        #expect(next.controller.state.lifecycle.level == .background)
    }

    @Test func `a ceiling ends when its maker has lost the right, also over a restart`() {
        var bench = RuleBench()
        showDisplay(&bench)
        bench.load(ceiling(.background, when: true))
        bench.set(["on": true], of: lamp)
        #expect(bench.controller.state.lifecycle.level == .background)
        let memories = bench.memories
        bench.send(.judged(1, .rights))
        bench.pass(milliseconds: 1)
        #expect(bench.controller.state.lifecycle.level != .background)
        #expect(bench.memories[1]?["ceiling"] == nil)
        var next = RuleBench()
        showDisplay(&next)
        let entry = RuleEntry(1, ceiling(.background, when: true), suspension: .rights)
        let rule = LoadedRule(entry, slug: "rule-1", maker: RuleBench.maker)
        next.send(.loaded(RulesLoad([rule], memories: memories, RuleCalendar(), lastFiring: 0)))
        next.pass(milliseconds: 1)
        #expect(next.controller.state.lifecycle.level != .background)
    }

    @Test func `reaching a level fires, and the level at the start does not`() {
        let rule = Rule("Level", when: [.level(.limited)], then: [switchesFan])
        var bench = RuleBench()
        bench.load(rule)
        #expect(bench.fired.isEmpty)
        showDisplay(&bench)
        #expect(bench.fired == [1])
        var late = RuleBench()
        showDisplay(&late)
        late.load(rule)
        late.set(["on": true], of: lamp)
        #expect(late.fired.isEmpty)
    }

    // MARK: Handing over

    @Test func `a message has its texts filled in, and its end ends the action`() throws {
        var rule = RuleBench.follow(lamp, by: fan)
        let text = try #require(RuleText("{thing} {field}: {before} to {value}"))
        let told = RuleNotification(to: [.user("alice")], text: text)
        rule.actions = [
            RuleAction(.notify(told)), RuleAction(.publish(["n": 1])), switchesFan,
        ]
        var bench = RuleBench()
        bench.load(rule)
        bench.set(["on": true], of: lamp)
        guard case .message(let message)? = bench.outgoing[1] else {
            Issue.record("no message: \(bench.outgoing)")
            return
        }
        #expect(message.text == "lamp on: false to true" && message.maker == RuleBench.maker)
        #expect(message.epoch == "e" && message.firing == 1)
        #expect(bench.outgoing[2] == nil && bench.isOn(fan) == false)
        bench.send(.sent(1, Refusal(.timeout, "nobody sends it")))
        #expect(bench.outgoing[2] == .publication(slug: "rule-1", ["n": 1]))
        bench.send(.sent(2, nil))
        #expect(bench.isOn(fan) == true && bench.outcomes == [.failed])
        #expect(bench.failures == [["timeout"]])
    }

    @Test func `a message says no token`() throws {
        let token = "tlu_" + String(repeating: "A", count: 43)
        var rule = RuleBench.follow(lamp, by: fan)
        let text = try #require(RuleText("{thing} says \(token)"))
        rule.actions = [RuleAction(.notify(RuleNotification(to: [.allDisplays], text: text)))]
        var bench = RuleBench()
        bench.load(rule)
        bench.set(["on": true], of: lamp)
        guard case .message(let message)? = bench.outgoing[1] else {
            Issue.record("no message: \(bench.outgoing)")
            return
        }
        #expect(message.text == "lamp says ***")
    }

    @Test func `whoever runs a rule learns why it does not`() {
        var bench = RuleBench()
        var rule = RuleBench.follow(lamp, by: fan)
        rule.isEnabled = false
        bench.load(rule)
        bench.send(.run(1, number: 7))
        #expect(bench.isOn(fan) == true && bench.rules.runResults.last?.refusal == nil)
        bench.send(.judged(1, .rights))
        bench.send(.run(1, number: 8))
        #expect(bench.rules.runResults.last?.number == 8)
        #expect(bench.rules.runResults.last?.refusal?.code == .notAllowed)
    }
}
