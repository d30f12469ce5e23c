import Bridge
import Controller
import Flare
import JSON
import MQTT
import Messages
import Rules
import Testing

@testable import Daemon

/// What the broker holds of rules.
@Suite struct RuleTopicsTests {
    /// The topics of rules, with what a broker would hold and get.
    private struct Broker {
        var topics = RuleTopics(Topics(root: "B"))
        var store = RetainedTopicStore()
        private(set) var held: [String: String] = [:]

        /// - Returns: The topics that are published.
        @discardableResult
        mutating func observe(_ state: ControllerState, _ changes: Set<StateChange>) -> [String] {
            topics.observe(StateSnapshot(state: state, changes: changes))
            topics.render(into: &store, at: 0)
            var sent: [String] = []
            for slot in store.due(at: 0) {
                let message = store[slot]
                held[message.topic] = String(decoding: message.payload, as: UTF8.self)
                sent.append(message.topic)
                store.recordSent(slot, at: 0)
            }
            return sent
        }

        @discardableResult
        mutating func observe(_ bench: RuleBench) -> [String] {
            observe(bench.controller.state, bench.changes)
        }

        func json(_ topic: String) -> JSONValue? { held[topic].flatMap { try? JSONValue(parsing: $0) } }
    }

    private static func rule(_ title: String, _ json: JSONObject) throws -> Rule {
        var json = json
        json["title"] = .string(title)
        let target = JSONValue.string("thing:\(RuleBench.fan.id)")
        if json["then"] == nil { json["then"] = [["set": ["on": true], "target": target]] }
        return try RuleReader().read(.object(json), as: .rule).rule
    }

    private static func cron(_ title: String = "Night") throws -> Rule {
        try rule(title, ["when": [["on": "cron", "cron": "0 * * * *"]]])
    }

    @Test func `each rule has a retained topic with its state`() throws {
        var (bench, broker) = (RuleBench(), Broker())
        bench.load(try Self.cron(), RuleBench.follow(RuleBench.lamp, by: RuleBench.fan))
        #expect(broker.observe(bench) == ["B/rules/rule-1", "B/rules/rule-2"])
        let night = try #require(broker.json("B/rules/rule-1"))
        #expect(night["id"] == 1 && night["slug"] == "rule-1" && night["title"] == "Night")
        #expect(night["enabled"] == true && night["next"]?.string?.contains(":00:00") == true)
        #expect(night["suspended"] == nil && night["last"] == nil)
        #expect(broker.json("B/rules/rule-2")?["next"] == nil)
        for message in broker.store.topics { #expect(!broker.topics.isExpected(message)) }
    }

    @Test func `switching off and on, suspending and firing change it`() throws {
        var (bench, broker) = (RuleBench(), Broker())
        bench.load(RuleBench.follow(RuleBench.lamp, by: RuleBench.fan))
        broker.observe(bench)
        bench.send(.switched(1, isOn: false))
        broker.observe(bench)
        #expect(broker.json("B/rules/rule-1")?["enabled"] == false)
        bench.send(.switched(1, isOn: true))
        broker.observe(bench)
        bench.send(.judged(1, .rights))
        broker.observe(bench)
        #expect(broker.json("B/rules/rule-1")?["suspended"] == "rights")
        bench.send(.judged(1, nil))
        broker.observe(bench)
        #expect(broker.json("B/rules/rule-1")?["suspended"] == nil)
        bench.set(["on": true], of: RuleBench.lamp)
        broker.observe(bench)
        let last = broker.json("B/rules/rule-1")?["last"]
        #expect(last?["outcome"] == "done" && last?["why"] == "state lamp on false -> true")
        #expect(last?["ts"]?.string != nil)
    }

    @Test func `the next time follows each occurrence, also one that does nothing`() throws {
        var (bench, broker) = (RuleBench(), Broker())
        let condition: JSONValue = [
            "thing": .string("\(RuleBench.lamp.id)"), "clause": ["type": "eq", "field": "on", "value": true],
        ]
        bench.load(
            try Self.rule("Night", ["when": [["on": "cron", "cron": "0 * * * *"]], "if": [condition]])
        )
        broker.observe(bench)
        let first = broker.json("B/rules/rule-1")?["next"]?.string
        bench.pass(milliseconds: 3_600_000)
        #expect(broker.observe(bench) == ["B/rules/rule-1"] && bench.fired.isEmpty)
        let second = broker.json("B/rules/rule-1")?["next"]?.string
        #expect(first != nil && second != nil && first != second)
    }

    @Test func `a run under way has its end in the topic, and none when it is over`() throws {
        var (bench, broker) = (RuleBench(), Broker())
        let hourly: JSONValue = [
            "on": "schedule", "startTimeEachDay": "00:00:00", "interval": 3600, "duration": 600,
        ]
        // It does not hold, so that nothing follows the run.
        let condition: JSONValue = [
            "thing": .string("\(RuleBench.lamp.id)"), "clause": ["type": "eq", "field": "on", "value": true],
        ]
        let actions: JSONValue = [["publish": 1], ["publish": 0, "at": "end"]]
        bench.load(try Self.rule("Hourly", ["when": [hourly], "if": [condition], "then": actions]))
        broker.observe(bench)
        // From the next whole hour on.
        bench.pass(milliseconds: 3_600_000 - TestPlace.now.wallMilliseconds % 3_600_000)
        #expect(broker.observe(bench) == ["B/rules/rule-1"])
        #expect(broker.json("B/rules/rule-1")?["until"]?.string?.contains(":10:00.000Z") == true)
        bench.pass(milliseconds: 600_000)
        #expect(broker.observe(bench) == ["B/rules/rule-1"])
        #expect(broker.json("B/rules/rule-1")?["until"] == nil)
    }

    @Test func `at rest nothing is published again`() throws {
        var (bench, broker) = (RuleBench(), Broker())
        bench.load(try Self.cron(), RuleBench.follow(RuleBench.lamp, by: RuleBench.fan))
        broker.observe(bench)
        bench.pass(milliseconds: 1000)
        bench.set(["brightness": 0.7], of: RuleBench.lamp)
        #expect(broker.observe(bench).isEmpty)
        // What is told again is the same.
        #expect(broker.observe(bench.controller.state, bench.rules.everything).isEmpty)
    }

    @Test func `a rule that goes clears its topic, and so does a slug that is no longer its own`() throws {
        var (bench, broker) = (RuleBench(), Broker())
        bench.load(try Self.cron())
        broker.observe(bench)
        var renamed = RuleBench.loaded(1, try Self.cron())
        renamed.slug = "evening"
        bench.send(.added(renamed, RuleCalendar()))
        #expect(Set(broker.observe(bench)) == ["B/rules/evening", "B/rules/rule-1"])
        #expect(broker.held["B/rules/rule-1"]?.isEmpty == true)
        #expect(broker.json("B/rules/evening")?["slug"] == "evening")
        bench.send(.removed(1))
        #expect(broker.observe(bench) == ["B/rules/evening"])
        #expect(broker.held["B/rules/evening"]?.isEmpty == true)
    }

    @Test func `what earlier runs have left stays until the rules are known`() {
        var (bench, broker) = (RuleBench(), Broker())
        broker.observe(bench.controller.state, [.zone])
        #expect(!broker.topics.isSettled)
        bench.load()
        broker.observe(bench)
        #expect(broker.topics.isSettled)
    }

    @Test func `after a reload everything is told once more`() throws {
        var (bench, broker) = (RuleBench(), Broker())
        bench.load(try Self.cron())
        bench.send(.switched(1, isOn: false))
        #expect(
            broker.observe(bench.controller.state, bench.controller.state.everything) == ["B/rules/rule-1"]
        )
        #expect(broker.topics.isSettled && broker.json("B/rules/rule-1")?["enabled"] == false)
    }

    @Test func `a firing is an event on the topic of its rule, too`() throws {
        var bench = RuleBench()
        bench.load(RuleBench.follow(RuleBench.lamp, by: RuleBench.fan))
        bench.set(["on": true], of: RuleBench.lamp)
        bench.send(.switched(1, isOn: false))
        let told = bench.events.filter { $0.topic == .rule }
        #expect(told.map(\.type) == ["fired", "changed"])
        #expect(told.map(\.furtherTopic) == ["rules/rule-1/fired", nil])
        #expect(told.allSatisfy { $0.details["slug"] == "rule-1" })
    }

    @Test func `a rule that is switched off once more has not changed`() {
        var bench = RuleBench()
        bench.load(RuleBench.follow(RuleBench.lamp, by: RuleBench.fan))
        bench.send(.switched(1, isOn: true))
        bench.send(.switched(1, isOn: false))
        bench.send(.switched(1, isOn: false))
        #expect(bench.events.filter { $0.topic == .rule }.map(\.type) == ["changed"])
    }

    @Test func `a token in a title is not published`() throws {
        var (bench, broker) = (RuleBench(), Broker())
        let token = "tlu_\(String(repeating: "a", count: 43))"
        bench.load(RuleBench.follow(RuleBench.lamp, by: RuleBench.fan))
        var rule = RuleBench.follow(RuleBench.lamp, by: RuleBench.fan)
        rule.title = token
        bench.send(.added(RuleBench.loaded(2, rule), RuleCalendar()))
        broker.observe(bench)
        #expect(broker.held["B/rules/rule-2"]?.contains(token) == false)
        let told = try #require(bench.events.last { $0.topic == .rule })
        #expect(!String(decoding: told.bytes(epoch: "e"), as: UTF8.self).contains(token))
    }
}
