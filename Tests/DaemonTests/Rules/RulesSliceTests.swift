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

/// Rules in a node: what happens in it fires them, and their actions are commands.
@Suite struct RulesSliceTests {
    private let lamp = RuleBench.lamp
    private let fan = RuleBench.fan
    private let heater = RuleBench.heater

    @Test func `a rule fires once at an edge, and its action is a command of its maker`() throws {
        var bench = RuleBench()
        bench.load(RuleBench.follow(lamp, by: fan))
        bench.set(["on": true], of: lamp)
        bench.set(["brightness": 0.7], of: lamp)
        #expect(bench.fired == [1] && bench.outcomes == [.done])
        #expect(bench.isOn(fan) == true)
        let record = try #require(bench.logged.first)
        #expect(record.source == "rule:1" && record.caller == .user(RuleBench.maker))
        bench.set(["on": false], of: lamp)
        bench.set(["on": true], of: lamp)
        #expect(bench.fired == [1, 1])
    }

    @Test func `a command that a rule gives names the rule as its trigger`() throws {
        var bench = RuleBench()
        let bound = BindingsSlice.Bound(BindingID(high: 0, low: 1), thing: fan.id, isOwned: true)
        bench.send(BindingsSlice.event(.bindings([bound])))
        var rule = RuleBench.follow(lamp, by: fan)
        let command = RuleCommand(CommandRequest([CommandAction("brightness", 0.7)]))
        rule.actions = [RuleAction(.drive(.command(command), .thing(RuleBench.reference(fan))))]
        bench.load(rule)
        bench.set(["on": true], of: lamp)
        let stored = try #require(bench.commands.last)
        #expect(stored.command.thing == bound.id && stored.command.state == .done)
        #expect(stored.json()["firedByTriggerID"] == "1")
    }

    @Test func `a firing is stored before its actions, and tells its end`() throws {
        var bench = RuleBench()
        bench.load(RuleBench.follow(lamp, by: fan))
        bench.isAlive = false
        bench.set(["on": true], of: lamp)
        #expect(bench.fired == [1] && bench.isOn(fan) == false)
        bench.send(.stored([1]))
        bench.send(.stored([1]))
        #expect(bench.isOn(fan) == true && bench.outcomes == [.done])
        let event = try #require(bench.events.last { $0.topic.rawValue == "rule" })
        #expect(event.type == "fired" && event.details["rule"]?.object?["outcome"] == "done")
        #expect(event.details["rule"]?.object?["why"] == "state lamp on false -> true")
    }

    @Test func `a firing that could not be stored for a minute is not carried out`() {
        var bench = RuleBench()
        bench.load(RuleBench.follow(lamp, by: fan))
        bench.isAlive = false
        bench.set(["on": true], of: lamp)
        bench.pass(milliseconds: 60_001)
        bench.send(.stored([1]))
        #expect(bench.isOn(fan) == false && bench.outcomes == [.failed])
        #expect(bench.failures == [["timeout"]])
    }

    @Test func `firings whose actions do not end do not fill the memory`() {
        var bench = RuleBench(RuleEngine.Configuration(perMinute: 10))
        bench.load(RuleBench.follow(lamp, by: fan))
        bench.isAlive = false
        for _ in 0..<150 {
            bench.set(["on": true], of: lamp)
            bench.set(["on": false], of: lamp)
            bench.pass(milliseconds: 10_000)
        }
        #expect(bench.fired.count == 100 && bench.outcomes.contains(.limited))
        // When they have ended, it fires again.
        bench.send(.stored(Array(1...200)))
        bench.isAlive = true
        bench.set(["on": true], of: lamp)
        #expect(bench.fired.count == 101 && bench.isOn(fan) == true)
    }

    @Test func `the results of a firing are short, however many actions fail`() {
        var bench = RuleBench()
        var rule = RuleBench.follow(lamp, by: fan)
        let value = JSONValue.string(String(repeating: "x", count: 500))
        let wrong = RuleAction(.drive(.set(["state": value]), .thing(RuleBench.reference(heater))))
        rule.actions = Array(repeating: wrong, count: 50)
        bench.load(rule)
        bench.set(["on": true], of: lamp)
        let results = bench.records.compactMap { record -> String? in
            guard case .ended(_, _, let results, _) = record else { return nil }
            return results
        }
        #expect(results.count == 1 && results.allSatisfy { $0.utf8.count < 8000 })
        #expect(bench.failures.last?.count == 50)
    }

    @Test func `a node that has died between storing and acting acts no more`() {
        var bench = RuleBench()
        bench.load(RuleBench.follow(lamp, by: fan))
        bench.isAlive = false
        bench.set(["on": true], of: lamp)
        // The next run finds the row without an outcome; the lamp is on as the rule remembers it.
        var next = RuleBench()
        next.set(["on": true], of: lamp)
        next.load(RuleBench.follow(lamp, by: fan), memories: bench.memories)
        #expect(bench.outcomes.isEmpty && next.fired.isEmpty && next.isOn(fan) == false)
    }

    @Test func `a restart compares with what was remembered`() {
        var bench = RuleBench()
        bench.load(RuleBench.follow(lamp, by: fan))
        bench.set(["brightness": 0.7], of: lamp)
        // The lamp was switched on while the daemon was off.
        var next = RuleBench()
        next.set(["on": true], of: lamp)
        next.load(RuleBench.follow(lamp, by: fan), memories: bench.memories)
        #expect(next.fired == [1] && next.isOn(fan) == true)
        // Without a memory it is the first sight.
        var first = RuleBench()
        first.set(["on": true], of: lamp)
        first.load(RuleBench.follow(lamp, by: fan))
        #expect(first.fired.isEmpty)
    }

    @Test func `a daemon that stops leaves what has not ended as interrupted`() {
        var bench = RuleBench()
        bench.server.isBusy = true
        bench.load(RuleBench.follow(lamp, by: fan))
        bench.set(["on": true], of: lamp)
        #expect(bench.outcomes.isEmpty)
        bench.send(.stopBegun)
        #expect(bench.outcomes.count == 1 && bench.outcomes != [.done])
    }

    @Test func `rules that start each other end as a loop`() {
        var bench = RuleBench(RuleEngine.Configuration(chain: 4))
        bench.load(
            RuleBench.follow(lamp, by: fan),
            RuleBench.follow(fan, by: heater),
            RuleBench.follow(heater, by: lamp, "OFF"),
            RuleBench.follow(lamp, false, by: fan),
            RuleBench.follow(fan, false, by: heater),
            RuleBench.follow(heater, false, by: lamp, "ON")
        )
        bench.set(["on": true], of: lamp)
        #expect(bench.fired.count == 4 && bench.outcomes.contains(.loop))
        #expect(bench.controller.state.alerts["rule-loop"] != nil)
        // What comes from outside begins another chain.
        let count = bench.fired.count
        bench.pass(milliseconds: 10_000)
        bench.set(["on": .bool(bench.isOn(lamp) != true)], of: lamp)
        #expect(bench.fired.count > count)
    }

    @Test func `the alert of a rule that fired too often ends though nothing fires any more`() {
        var bench = RuleBench(RuleEngine.Configuration(perMinute: 1))
        bench.load(RuleBench.follow(lamp, by: fan))
        for isOn in [true, false, true] { bench.set(["on": .bool(isOn)], of: lamp) }
        #expect(bench.controller.state.alerts["rule-loop"] != nil)
        bench.pass(milliseconds: 600_001)
        bench.set(["brightness": 0.3], of: heater)
        #expect(bench.controller.state.alerts["rule-loop"] == nil)
    }

    @Test func `of two rules that set the same, the later one wins`() {
        var bench = RuleBench()
        bench.load(RuleBench.follow(lamp, by: fan, "ON"), RuleBench.follow(lamp, by: fan, "OFF"))
        bench.set(["on": true], of: lamp)
        #expect(bench.fired == [1, 2] && bench.isOn(fan) == false)
        #expect(bench.failures.contains(["superseded"]) && Set(bench.outcomes) == [.done, .failed])
    }

    @Test func `what is refused supersedes nothing`() {
        var bench = RuleBench()
        let strange = RuleBench.follow(lamp, by: fan, "OFF")
        let (maker, reader) = (RuleBench.maker, AccountID(high: 9, low: 9))
        let grants = [Grant(id: 1, .user(maker), .own, .all), Grant(id: 2, .user(reader), .read, .all)]
        let users = [User(id: maker, name: "maker"), User(id: reader, name: "reader")]
        bench.send(.peopleChanged(AccessTable(users: users, grants: grants)))
        let rules = [
            RuleBench.loaded(1, RuleBench.follow(lamp, by: fan, "ON")),
            LoadedRule(RuleEntry(2, strange), slug: "rule-2", maker: reader),
        ]
        bench.send(.loaded(RulesLoad(rules, RuleCalendar(), lastFiring: 0)))
        bench.set(["on": true], of: lamp)
        #expect(bench.fired == [1, 2] && bench.isOn(fan) == true)
        #expect(!bench.failures.joined().contains("superseded") && Set(bench.outcomes) == [.done, .failed])
    }

    @Test(arguments: [true, false])
    func `a rule that is removed or switched off does not go on with its actions`(isRemoved: Bool) {
        var bench = RuleBench()
        var rule = RuleBench.follow(lamp, by: fan)
        rule.actions += [RuleAction(.drive(.set(["state": "ON"]), .thing(RuleBench.reference(heater))))]
        bench.load(rule)
        bench.server.isBusy = true
        bench.set(["on": true], of: lamp)
        #expect(bench.unanswered.count == 1)
        bench.send(isRemoved ? .removed(1) : .switched(1, isOn: false))
        #expect(bench.outcomes.isEmpty, "an action is under way")
        bench.reply()
        #expect(bench.unanswered.isEmpty && bench.outcomes == [.interrupted])
    }

    @Test func `what is set by hand while a rule's command waits is carried out after it`() {
        var bench = RuleBench()
        bench.server.isBusy = true
        bench.load(RuleBench.follow(lamp, by: fan))
        bench.set(["on": true], of: lamp)
        let target = Command.Target.thing("\(fan.id)")
        bench.send(
            .commandReceived(
                Command(
                    ticket: 1,
                    operation: .set(target, ThingRequest(attributes: ["state": "OFF"])),
                    caller: .user(RuleBench.maker)
                )
            )
        )
        #expect(bench.unanswered.count == 1)
        bench.reply()
        bench.reply()
        #expect(bench.isOn(fan) == false && bench.outcomes == [.done])
    }

    @Test func `a failed action does not stop the next one`() {
        var bench = RuleBench()
        var rule = RuleBench.follow(lamp, by: fan)
        let wrong = RuleAction(.drive(.set(["state": "MAYBE"]), .thing(RuleBench.reference(heater))))
        let nobody = RuleAction(.drive(.set(["state": "ON"]), .nearby))
        rule.actions = [nobody, wrong] + rule.actions
        bench.load(rule)
        bench.set(["on": true], of: lamp)
        #expect(bench.isOn(fan) == true && bench.outcomes == [.failed])
        #expect(bench.failures.first?.first == "no_nearby_thing" && bench.failures.first?.count == 2)
    }

    @Test func `thousands of actions at one moment are all carried out`() {
        var bench = RuleBench()
        let wrong = RuleAction(.drive(.action("no-such-action"), .thing(RuleBench.reference(heater))))
        var rule = RuleBench.follow(lamp, by: fan)
        rule.actions = Array(repeating: wrong, count: 49) + rule.actions
        let loaded = (1...40).map { RuleBench.loaded($0, rule) }
        bench.send(.loaded(RulesLoad(loaded, RuleCalendar(), lastFiring: 0)))
        bench.set(["on": true], of: lamp)
        bench.pass(milliseconds: 100)
        #expect(bench.fired.count == 40 && bench.outcomes.count == 40 && bench.isOn(fan) == true)
        #expect(bench.failures.allSatisfy { !$0.contains("rate_limited") })
    }

    @Test(arguments: [Access.write, .own])
    func `the rules of a user who does not own everything do not flood the node`(access: Access) {
        var bench = RuleBench(RuleEngine.Configuration(perMinute: 1))
        bench.allow(access, .all)
        let wrong = RuleAction(.drive(.action("no-such-action"), .thing(RuleBench.reference(heater))))
        var rule = RuleBench.follow(lamp, by: fan)
        rule.actions = Array(repeating: wrong, count: 40)
        bench.load(rule, rule)
        bench.set(["on": true], of: lamp)
        bench.pass(milliseconds: 100)
        let refused = bench.failures.joined().count { $0 == "rate_limited" }
        #expect(refused == (access == .own ? 0 : 30) && bench.outcomes == [.failed, .failed])
    }

    @Test func `a message counts for its maker once for each recipient`() {
        var bench = RuleBench(RuleEngine.Configuration(perMinute: 1))
        bench.allow(.write, .all)
        let many = RuleAction(.notify(RuleNotification(to: (0..<40).map { .display("d\($0)") })))
        var rule = RuleBench.follow(lamp, by: fan)
        rule.actions = [many]
        bench.load(rule, rule)
        bench.set(["on": true], of: lamp)
        #expect(bench.failures == [["rate_limited"]] && bench.outgoing.count == 1)
    }

    @Test func `a maker without rights changes nothing`() {
        var bench = RuleBench()
        bench.load(RuleBench.follow(lamp, by: fan))
        bench.allow(.read, .all)
        bench.set(["on": true], of: lamp)
        #expect(bench.isOn(fan) == false && bench.outcomes == [.failed])
    }

    @Test func `a rule does not fire when its maker may not read any more what starts it`() {
        var bench = RuleBench()
        bench.load(RuleBench.follow(lamp, by: fan))
        bench.allow(.own, .thing(fan.id))
        bench.set(["on": true], of: lamp)
        #expect(bench.fired.isEmpty && bench.isOn(fan) == false)
        bench.allow(.own, .all)
        bench.set(["on": false], of: lamp)
        bench.set(["on": true], of: lamp)
        #expect(bench.fired == [1] && bench.isOn(fan) == true)
    }

    @Test func `nothing is told to who may not read any more what has started the rule`() {
        var bench = RuleBench()
        var rule = RuleBench.follow(lamp, by: fan)
        rule.actions = [
            RuleAction(.notify(RuleNotification(to: [.allDisplays]))), RuleAction(.publish(["on": true])),
        ]
        bench.load(rule)
        bench.isAlive = false
        bench.set(["on": true], of: lamp)
        bench.allow(.own, .thing(fan.id))
        bench.send(.stored([1]))
        #expect(bench.outgoing.isEmpty && bench.failures == [["not_allowed", "not_allowed"]])
    }

    @Test func `a rule is suspended while a thing of it is not there`() {
        var bench = RuleBench()
        bench.load(RuleBench.follow(lamp, by: fan))
        bench.send(.flare(.notice(.thingChanged(fan.id, nil, environment: TestPlace.home))))
        #expect(bench.controller.state.alerts["rules"]?.message.contains("rule-1") == true)
        bench.set(["on": true], of: lamp)
        #expect(bench.fired.isEmpty)
        bench.send(.flare(.notice(.thingChanged(fan.id, fan, environment: TestPlace.home))))
        #expect(bench.controller.state.alerts["rules"] == nil)
        bench.set(["on": false], of: lamp)
        bench.set(["on": true], of: lamp)
        #expect(bench.fired == [1])
    }

    @Test func `a firing that waits for the database does so over a reload`() {
        var bench = RuleBench()
        bench.load(RuleBench.follow(lamp, by: fan))
        bench.isAlive = false
        bench.set(["on": true], of: lamp)
        bench.isAlive = true
        var settings = ControllerConfiguration()
        settings.slices = Slices([Lifecycle(Lifecycle.Settings()), RulesSlice()])
        bench.send(.configurationApplied(settings))
        #expect(bench.isOn(fan) == true && bench.outcomes == [.done])
    }

    @Test func `the alert of suspended rules is there again after a reload`() {
        var bench = RuleBench()
        bench.load(RuleBench.follow(lamp, by: fan))
        bench.send(.judged(1, .rights))
        bench.send(.alertCleared("rules"))
        #expect(bench.controller.state.alerts["rules"] == nil)
        var settings = ControllerConfiguration()
        settings.slices = Slices([Lifecycle(Lifecycle.Settings()), RulesSlice()])
        bench.send(.configurationApplied(settings))
        #expect(bench.controller.state.alerts["rules"]?.message.contains("rule-1") == true)
    }

    @Test func `a rule that comes before the others are loaded fires under no old number`() {
        var bench = RuleBench()
        let rule = RuleBench.loaded(1, RuleBench.follow(lamp, by: fan))
        bench.send(.added(rule, RuleCalendar()))
        bench.set(["on": true], of: lamp)
        bench.set(["on": false], of: lamp)
        #expect(bench.fired.isEmpty)
        bench.send(.loaded(RulesLoad([rule], RuleCalendar(), lastFiring: 7)))
        bench.set(["on": true], of: lamp)
        let numbers = bench.records.compactMap { record -> Int64? in
            if case .fired(let firing, _) = record { firing.seq } else { nil }
        }
        #expect(numbers == [8] && bench.isOn(fan) == true)
    }

    @Test func `without rules nothing is followed`() {
        var bench = RuleBench()
        #expect(!bench.rules.followsChanges && !bench.rules.followsUploads)
        bench.load()
        bench.set(["on": true], of: lamp)
        #expect(!bench.rules.followsChanges && !bench.rules.followsUploads)
        #expect(bench.records.isEmpty && bench.due == nil)
        bench.send(.added(RuleBench.loaded(1, RuleBench.follow(lamp, false, by: fan)), RuleCalendar()))
        #expect(bench.rules.followsChanges && bench.rules.followsUploads)
        bench.set(["on": false], of: lamp)
        #expect(bench.fired == [1])
        bench.send(.removed(1))
        #expect(!bench.rules.followsChanges && !bench.rules.followsUploads)
    }
}
