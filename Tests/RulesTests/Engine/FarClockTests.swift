import Controller
import JSON
import Rules
import Testing

/// Clocks that are off by decades: nothing fires by mistake, and no rule counts what lies between.
@Suite(.timeLimit(.minutes(2))) struct FarClockTests {
    /// 2099-06-01T00:00:00Z, 73 years after ``EngineRig/midnight``.
    private static let farMidnight: Int64 = 4_083_955_200_000
    /// 12:34:30 on that day.
    private static let far = farMidnight + 45_270_000
    private static let hour: Int64 = 3_600_000

    private static let daily = #"{"when":{"on":"schedule","startTimeEachDay":"08:00:00"}}"#
    private static let madeUp = #"{"when":{"on":"schedule","startTimeEachDay":"08:00:00","missed":"run"}}"#
    private static let rules = [
        daily, madeUp, #"{"when":{"on":"cron","cron":"*/5 * * * *","missed":"run"}}"#,
        #"{"when":{"on":"once","at":"2027-01-01T00:00:00Z"}}"#,
        // A start in each second of half an hour: there are 48 millions of them in between.
        #"{"when":{"on":"schedule","startTimeEachDay":"00:00:00","endTimeEachDay":"00:30:00","interval":1}}"#,
        #"{"when":{"on":"schedule","startTimeEachDay":"08:00:00","monthsOfYear":[2],"daysOfMonth":[29]}}"#,
        #"{"when":{"on":"once","at":"2100-01-01T00:00:00Z"}}"#,
    ]

    private func rig() throws -> EngineRig {
        var rig = EngineRig()
        for (number, rule) in Self.rules.enumerated() { try rig.add(number + 1, rule) }
        return rig
    }

    /// Checks what becomes of what was due within 73 years.
    private func checkMissed(_ rig: inout EngineRig) {
        // Five minutes are not too late; everything else is.
        #expect(rig.whys == ["missed cron"])
        let off = rig.outputs.filter { if case .switchedOff = $0 { true } else { false } }
        #expect(off == [.switchedOff(rule: 4)])
        for rule in [1, 2, 4, 5, 6] {
            let missed = rig.engine.explanation(of: rule, in: rig.place)
            #expect(missed.map(\.refusal) == [.missed] && missed.map(\.count) == [1], "rule \(rule)")
        }
        #expect(rig.refusals(of: 3).isEmpty && rig.refusals(of: 7).isEmpty)
        #expect(rig.engine.timers <= Self.rules.count)
        #expect(rig.engine.nextDue == Self.far + 30_000)
        let fired = rig.wait(30)
        #expect(fired == ["cron"])
    }

    // MARK: Forward

    @Test func `a clock that jumps by 73 years fires nothing that is too late, and counts nothing`() throws {
        var rig = try rig()
        rig.setClock(Self.far)
        rig.handle(.clockSet)
        checkMissed(&rig)
    }

    @Test func `a daemon that starts in 2099 does the same`() throws {
        var rig = try rig()
        rig.setClock(Self.far)
        try rig.restart()
        checkMissed(&rig)
    }

    @Test func `a jump is found by any event`() throws {
        var rig = try rig()
        rig.setClock(Self.far)
        rig.handle(.levelReached(.active))
        checkMissed(&rig)
    }

    private static let run =
        #"{"when":{"on":"schedule","startTimeEachDay":"08:00:00","endTimeEachDay":"10:00:00"},"#
        + #""then":[{"publish":1},{"publish":2,"at":"end"}]}"#

    @Test func `the end of a run that has begun is made up for in 2099, once`() throws {
        var rig = EngineRig()
        try rig.add(1, Self.run)
        #expect(rig.wait(9 * 3600) == ["start"])
        rig.setClock(Self.far)
        rig.handle(.clockSet)
        #expect(rig.whys == ["missed end"])
        #expect(rig.wait(22 * 3600) == ["start", "end"])
    }

    @Test func `the end of a run waits for that of the run which is under way in 2099`() throws {
        var rig = EngineRig()
        try rig.add(1, Self.run)
        #expect(rig.wait(9 * 3600) == ["start"])
        rig.setClock(Self.farMidnight + 9 * Self.hour)
        rig.handle(.clockSet)
        #expect(rig.whys.isEmpty)
        #expect(rig.wait(3600) == ["end"])
    }

    @Test func `what follows the steady clock does not see the jump`() throws {
        var rig = EngineRig()
        try rig.write("a", ["t": 20])
        try rig.add(
            1,
            #"{"when":{"on":"state","thing":"a","for":60,"clause":{"type":"range","field":"t","lowerLimit":30}}}"#
        )
        try rig.add(
            2,
            #"{"pause":60,"when":{"on":"state","thing":"b","field":"t","edge":"CONDITION_TRUE"}}"#
        )
        #expect(try rig.write("a", ["t": 31]).isEmpty)
        #expect(try rig.write("b", ["t": 1]).count == 1)
        rig.setClock(Self.far)
        rig.handle(.clockSet)
        #expect(rig.whys.isEmpty && rig.engine.nextDue == Self.far + 60_000)
        #expect(try rig.write("b", ["t": 2]).isEmpty)
        #expect(rig.refusals(of: 2) == [.pause])
        #expect(rig.wait(59).isEmpty)
        #expect(rig.wait(1) == ["state a t 20 -> 31"])
        #expect(try rig.write("b", ["t": 3]).count == 1)
    }

    // MARK: Back

    @Test func `a clock that comes back from 2099 goes on with the days of today`() throws {
        var rig = EngineRig()
        try rig.add(1, Self.daily)
        try rig.add(2, Self.madeUp)
        rig.setClock(Self.far)
        rig.handle(.clockSet)
        #expect(rig.wait(20 * 3600) == ["start", "start"])
        rig.setClock(EngineRig.midnight + Self.hour)
        rig.handle(.clockSet)
        #expect(rig.whys.isEmpty && rig.engine.nextDue == EngineRig.midnight + 8 * Self.hour)
        #expect(rig.wait(24 * 3600) == ["start", "start"])
    }

    @Test func `a daemon that starts in 1970 waits for the right time, and repeats nothing`() throws {
        var rig = EngineRig(RuleEngine.Configuration(built: EngineRig.midnight))
        try rig.add(1, Self.daily)
        try rig.add(2, Self.madeUp)
        #expect(rig.wait(9 * 3600) == ["start", "start"])
        rig.setClock(0)
        try rig.restart()
        #expect(rig.whys.isEmpty && rig.engine.nextDue == nil)
        #expect(rig.wait(86_400).isEmpty)
        rig.setClock(EngineRig.midnight + 10 * Self.hour)
        rig.handle(.clockSet)
        #expect(rig.whys.isEmpty && rig.engine.nextDue == EngineRig.midnight + 32 * Self.hour)
        #expect(rig.refusals(of: 1).isEmpty && rig.refusals(of: 2).isEmpty)
    }

    @Test func `a daemon that starts in 1970 and does not know better fires nothing at its start`() throws {
        var rig = EngineRig()
        try rig.add(1, Self.daily)
        try rig.add(2, Self.madeUp)
        #expect(rig.wait(9 * 3600) == ["start", "start"])
        rig.setClock(0)
        try rig.restart()
        #expect(rig.whys.isEmpty && rig.engine.nextDue == 8 * Self.hour)
        // Two hours are too late on the day on which the clock is right again.
        rig.setClock(EngineRig.midnight + 34 * Self.hour)
        rig.handle(.clockSet)
        #expect(rig.whys.isEmpty && rig.refusals(of: 1) == [.missed] && rig.refusals(of: 2) == [.missed])
        #expect(rig.wait(24 * 3600) == ["start", "start"])
    }

    // MARK: Simulations

    @Test func `a simulation from 1970 to 2500 goes from one time to the next`() throws {
        let rule = try SimulatedRules.rule(
            #"{"when":{"on":"schedule","startTimeEachDay":"08:00:00","monthsOfYear":[2],"daysOfMonth":[29]}}"#
        )
        var simulation = try RuleSimulation([(slug: "leap-day", rule: rule)], in: RuleCalendar())
        var (rows, steps) = (try simulation.begin(from: 0, until: 16_756_761_600_000).count, 1)
        while let more = try simulation.next() { (rows, steps) = (rows + more.count, steps + 1) }
        #expect(rows == 129 && steps <= 2 * rows)
    }

    @Test func `a simulated clock that jumps to 2099 ends what has begun, and fires nothing else`() throws {
        let rules = try SimulatedRules(Self.run, Self.madeUp)
        #expect(
            try rules.rows("09:00:00,clock,,2099-06-01T12:34:30") == [
                "08:00:00 r0 start", "08:00:00 r1 start", "2099-06-01 12:34:30 r0 missed end",
            ]
        )
    }
}
