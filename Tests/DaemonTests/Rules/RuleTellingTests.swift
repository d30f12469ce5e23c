import Accounts
import Controller
import Flare
import GRDB
import JSON
import Rules
import TestSupport
import Testing
import Things
import Threading

@testable import Daemon

/// What people are told of rules that fail, or do not run.
@Suite struct RuleTellingTests {
    private let lamp = RuleBench.lamp
    private let fan = RuleBench.fan

    private func failing(_ message: JSONValue = "MAYBE") -> Rule {
        var rule = RuleBench.follow(lamp, by: fan)
        rule.actions.append(
            RuleAction(.drive(.set(["state": message]), .thing(RuleBench.reference(RuleBench.heater))))
        )
        return rule
    }

    @Test func `a firing that fails has a line in the log, in a minute once`() {
        var bench = RuleBench()
        let (recorder, clock) = (LogRecorder(), Locked<Int64>(0))
        let log = RuleLog(recorder.logger) { clock.withLock { $0 } }
        bench.load(failing(), RuleBench.follow(RuleBench.heater, by: fan))
        func fire(_ thing: FlareThing) {
            for isOn in [false, true] {
                bench.set(["on": .bool(isOn)], of: thing)
                log.observe(StateSnapshot(state: bench.controller.state, changes: bench.changes))
            }
        }
        fire(lamp)
        fire(lamp)
        #expect(recorder.recorded == ["notice a rule has failed"])
        #expect(bench.rules.rules[1]?.last?.failure?.hasPrefix("action 2: ") == true)
        clock.withLock { $0 = 60_000 }
        fire(lamp)
        #expect(recorder.recorded.count == 2)
        // One that does what it should is not in the log.
        fire(RuleBench.heater)
        #expect(recorder.recorded.count == 2 && bench.outcomes.last == .done)
    }

    @Test func `a rule that is suspended has a line in the log`() {
        var bench = RuleBench()
        let recorder = LogRecorder()
        let log = RuleLog(recorder.logger) { 0 }
        bench.load(failing())
        bench.send(.judged(1, .rights))
        log.observe(StateSnapshot(state: bench.controller.state, changes: bench.changes))
        #expect(recorder.recorded == ["notice rules do not run"])
    }

    @Test func `what is gone of a rule is named, as it was called when the rule was made`() {
        var bench = RuleBench()
        var rule = RuleBench.loaded(1, RuleBench.follow(lamp, by: fan))
        let body = JSONValue.object(rule.entry.rule.json).text
        let received = NewRule(
            slug: rule.slug,
            title: rule.entry.rule.title,
            maker: rule.maker,
            form: RuleForm.rule.rawValue,
            body: body,
            original: body.replacing("\(fan.id)", with: "fan")
        )
        let stored = StoredRule(1, received, slug: rule.slug, added: 0)
        rule.formerNames = stored.names(in: rule.entry.rule)
        bench.send(.loaded(RulesLoad([rule], RuleCalendar(), lastFiring: 0)))
        bench.send(.flare(.notice(.thingChanged(fan.id, nil, environment: TestPlace.home))))
        let alert = bench.controller.state.alerts["rules"]?.message
        #expect(alert == "Suspended rules: rule-1 (thing:fan is not there).")
        #expect(bench.rules.missing(of: 1, in: bench.controller.state) == ["thing:fan"])
        bench.send(.run(1, number: 1))
        let refusal = bench.rules.runResults.last?.refusal
        #expect(refusal?.message == "the rule is suspended: thing:fan is not there")
    }

    @Test func `a rule whose thing is removed is shown with its name`() async throws {
        try await withRules { (home, _) async throws in
            let made = await home.ask("POST", "", TestRules.simple(), as: home.bob)
            #expect(made.status == 201, "\(made.body)")
            home.place.withLock { $0.slugs[.init(.thing, TestRules.fan)] = nil }
            let shown = await home.ask("GET", "simple", as: home.bob).body
            #expect(shown["when"]?.array?.first?["thing"] == "fan", "\(shown)")
            #expect(shown["sentence"]?.string?.contains("\(TestRules.fan)") == false, "\(shown)")
        }
    }

    @Test func `a run that is waited for tells its outcome`() async throws {
        try await withRules { (home, _) async throws in
            let made = await home.ask("POST", "", TestRules.simple(), as: home.bob)
            let id = try #require(made.body["id"]?.integer)
            // As the records of a turn are stored; the first rule that fires has this number.
            var firing = StoredFiring(1, epoch: "e", rule: id, at: 1, why: "run", outcome: .failed)
            firing.results = #"[{"ok":false,"code":"timeout","message":"no answer"}]"#
            let stored = firing
            let database = try DatabaseQueue(path: home.store.path)
            try await database.write { try AccountsStore.save(stored, $0) }
            try database.close()
            let answer = await home.ask("POST", "simple/run", as: home.bob, query: ["wait": "50"])
            #expect(answer.status == 200 && answer.body["outcome"] == "failed", "\(answer.body)")
            #expect(answer.body["results"]?.array?.first?["message"] == "no answer")
            let wrong = await home.ask("POST", "simple/run", as: home.bob, query: ["wait": "51"])
            #expect(wrong.status == 400)
        }
    }
}
