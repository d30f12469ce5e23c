import Accounts
import Controller
import Flare
import JSON
import Rules
import Testing
import Things

@testable import Daemon

/// A node whose clock is off by decades.
@Suite struct RuleFarClockTests {
    /// 2099-06-01T12:34:30Z.
    private static let far: Int64 = 4_084_000_470_000
    private static let day: Int64 = 86_400_000

    private func rule(_ due: TimeTrigger.Due) -> Rule { RuleBench.rule(.time(TimeTrigger(due))) }

    @Test func `a clock that jumps by decades fires no rule, and a steady wait goes on`() throws {
        var bench = RuleBench()
        let lost = DeviceTrigger(RuleBench.reference(RuleBench.lamp), .connectionLost)
        bench.load(
            rule(.once(TestPlace.now.wallMilliseconds + 3_600_000)),
            rule(.cron(try CronExpression("0 8 * * *", at: "cron"))),
            RuleBench.rule(.device(lost))
        )
        bench.connect(RuleBench.lamp)
        bench.connect(RuleBench.lamp, false)
        bench.now.wallMilliseconds = Self.far
        bench.send(.clockSet)
        #expect(bench.fired.isEmpty && bench.isOn(RuleBench.heater) == false)
        #expect(bench.records.contains(.switchedOff(1)) && bench.rules.isOn(1) == false)
        #expect(bench.controller.state.alerts["clock"] == nil)
        #expect(bench.due == bench.now.steadyMilliseconds + 300_000)
        bench.pass(milliseconds: 299_999)
        #expect(bench.fired.isEmpty)
        bench.pass(milliseconds: 1)
        #expect(bench.whys == ["device lamp on_connection_lost"])
        bench.pass(milliseconds: Self.day)
        #expect(Array(bench.whys.dropFirst()) == ["cron"])
    }

    @Test func `a moment in 2099 is waited for, and comes when the clock says so`() {
        var bench = RuleBench()
        bench.load(rule(.once(Self.far)))
        // No timer is longer than a day.
        #expect(bench.due == bench.now.steadyMilliseconds + Self.day)
        bench.pass(milliseconds: 3 * Self.day)
        #expect(bench.fired.isEmpty && bench.due != nil)
        bench.now.wallMilliseconds = Self.far - 1000
        bench.send(.clockSet)
        #expect(bench.fired.isEmpty && bench.due == bench.now.steadyMilliseconds + 1000)
        bench.pass(milliseconds: 1000)
        #expect(bench.whys == ["once"] && bench.due == nil)
    }

    @Test func `a node that starts in 2099 does not do what was due decades ago`() {
        let once = rule(.once(TestPlace.now.wallMilliseconds + 3_600_000))
        var bench = RuleBench()
        bench.load(once)
        var next = RuleBench()
        next.now.wallMilliseconds = Self.far
        next.load(once, memories: bench.memories)
        #expect(!bench.memories.isEmpty && next.fired.isEmpty)
        #expect(next.records.contains(.switchedOff(1)) && next.due == nil)
        #expect(next.isOn(RuleBench.heater) == false)
    }

    @Test func `a node that starts in 1970 says so, and is right as soon as its clock is`() {
        let once = rule(.once(TestPlace.now.wallMilliseconds + 3_600_000))
        var bench = RuleBench(RuleEngine.Configuration(built: TestPlace.now.wallMilliseconds))
        bench.load(once)
        var next = RuleBench(RuleEngine.Configuration(built: TestPlace.now.wallMilliseconds))
        next.now.wallMilliseconds = 0
        next.load(once, memories: bench.memories)
        #expect(next.controller.state.alerts["clock"] != nil && next.due == nil)
        next.pass(milliseconds: Self.day)
        #expect(next.fired.isEmpty)
        next.now.wallMilliseconds = TestPlace.now.wallMilliseconds + 3_599_000
        next.send(.clockSet)
        #expect(next.controller.state.alerts["clock"] == nil && next.fired.isEmpty)
        next.pass(milliseconds: 1000)
        #expect(next.whys == ["once"])
    }
}
