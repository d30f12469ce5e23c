import Rules
import Testing

/// Runs of schedules that are under way.
struct RuleRunTests {
    @Test func `a run that is under way has its end, until it is over or the rule is off`() throws {
        var rig = EngineRig()
        try rig.add(
            1,
            #"""
            {"when":[{"on":"schedule","startTimeEachDay":"08:00:00","endTimeEachDay":"10:00:00"},
             {"on":"schedule","startTimeEachDay":"09:00:00","endTimeEachDay":"12:00:00"}],
             "then":[{"publish":1},{"publish":0,"at":"end"}]}
            """#
        )
        let hour: Int64 = 3_600_000
        #expect(rig.engine.times(of: 1).until == nil)
        rig.wait(8 * 3_600)
        #expect(rig.engine.times(of: 1).until == EngineRig.midnight + 10 * hour)
        #expect(rig.engine.times(of: 1).next == EngineRig.midnight + 9 * hour)
        // Of two runs the end that comes first.
        rig.wait(3_600)
        #expect(rig.engine.times(of: 1).until == EngineRig.midnight + 10 * hour)
        rig.wait(3_600)
        #expect(rig.engine.times(of: 1).until == EngineRig.midnight + 12 * hour)
        rig.handle(.ruleSwitched(1, isOn: false))
        #expect(rig.engine.times(of: 1).until == nil)
        rig.handle(.ruleSwitched(1, isOn: true))
        #expect(rig.engine.times(of: 1).until == EngineRig.midnight + 12 * hour)
        rig.wait(2 * 3_600)
        #expect(rig.engine.times(of: 1).until == nil)
    }

    @Test func `a schedule whose end does nothing has no run`() throws {
        var rig = EngineRig()
        let rule = #"{"on":"schedule","startTimeEachDay":"08:00:00","endTimeEachDay":"10:00:00"}"#
        try rig.add(1, #"{"when":[\#(rule)],"then":[{"publish":1}]}"#)
        rig.wait(9 * 3_600)
        #expect(rig.engine.times(of: 1).until == nil && rig.engine.times(of: 1).next != nil)
    }
}
