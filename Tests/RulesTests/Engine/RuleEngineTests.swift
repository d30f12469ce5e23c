import Controller
import Flare
import JSON
import Rules
import Testing

struct RuleEngineTests {
    private static let warm =
        #"{"when":{"on":"state","thing":"a","clause":{"type":"range","field":"t","lowerLimit":30}}}"#
    private static let any = #"{"when":{"on":"state","thing":"a","field":"t","edge":"CONDITION_TRUE"}}"#
    private static let daily = #"{"when":{"on":"schedule","startTimeEachDay":"08:00:00"}}"#

    // MARK: Nothing to do

    @Test func `an engine without rules has no timer and no outputs`() throws {
        var rig = EngineRig()
        #expect(try rig.write("a", ["t": 1]).isEmpty)
        rig.handle(.levelReached(.active))
        #expect(rig.outputs.isEmpty)
        #expect(rig.engine.nextDue == nil)
    }

    @Test func `a rule that waits for no time sets no timer`() throws {
        var rig = EngineRig()
        try rig.add(1, Self.warm)
        #expect(rig.engine.nextDue == nil)
    }

    @Test func `rules that are off or removed set no timer`() throws {
        var rig = EngineRig()
        try rig.add(1, Self.daily)
        #expect(rig.engine.nextDue == EngineRig.midnight + 8 * 3_600_000)
        #expect(rig.engine.times(of: 1).upcoming(2) == [8, 32].map { EngineRig.midnight + $0 * 3_600_000 })
        rig.handle(.ruleSwitched(1, isOn: false))
        #expect(rig.wait(86_400).isEmpty)
        #expect(rig.engine.times(of: 1).next == nil)
        rig.handle(.ruleRemoved(1))
        #expect(rig.engine.nextDue == nil)
        #expect(rig.engine.count == 0)
    }

    @Test func `the next times of several schedules come in their order, each once`() throws {
        var rig = EngineRig()
        try rig.add(
            1,
            #"""
            {"when":[{"on":"schedule","startTimeEachDay":"08:00:00"},{"on":"cron","cron":"0 8,20 * * *"},
            {"on":"once","at":"2400-01-01T00:00:00Z"}],"then":[{"publish":1}]}
            """#
        )
        let times = rig.engine.times(of: 1)
        #expect(times.upcoming(5) == [8, 20, 32, 44, 56].map { EngineRig.midnight + $0 * 3_600_000 })
        #expect(times.next == times.upcoming(1).first && times.upcoming(0).isEmpty)
    }

    // MARK: First sight

    @Test func `a new rule knows what is so, and waits for a change`() throws {
        var rig = EngineRig()
        try rig.write("a", ["t": 20])
        try rig.add(1, Self.warm)
        #expect(try rig.write("a", ["t": 31]) == ["state a t 20 -> 31"])
        try rig.add(2, Self.warm)
        #expect(try rig.write("a", ["t": 32]).isEmpty)
    }

    @Test func `an edited rule, and one that is on again, begin anew`() throws {
        var rig = EngineRig()
        try rig.write("a", ["t": 20])
        try rig.add(1, Self.warm)
        rig.handle(.ruleSwitched(1, isOn: false))
        #expect(try rig.write("a", ["t": 31]).isEmpty)
        rig.handle(.ruleSwitched(1, isOn: true))
        #expect(rig.whys.isEmpty)
        #expect(try rig.write("a", ["t": 32]).isEmpty)
        try rig.add(1, Self.warm)
        #expect(try rig.write("a", ["t": 33]).isEmpty)
        try rig.write("a", ["t": 20])
        #expect(try rig.write("a", ["t": 33]) == ["state a t 20 -> 33"])
    }

    // MARK: Suspension

    @Test func `a rule is suspended while one of its things is gone`() throws {
        var rig = EngineRig()
        try rig.write("a", ["t": 20])
        try rig.add(
            1,
            #"{"when":{"on":"state","thing":"a","field":"t"},"then":[{"set":{"on":true},"target":"thing:b"}]}"#
        )
        let b = try rig.id(.thing, "b")
        rig.handle(.gone(b))
        #expect(rig.outputs == [.suspended(rule: 1, .gone), .remembered(rule: 1)])
        #expect(rig.engine.suspension(of: 1) == .gone)
        #expect(try rig.write("a", ["t": 21]).isEmpty)
        #expect(rig.refusals(of: 1) == [.suspended])
        rig.handle(.gone(b))
        #expect(rig.outputs.isEmpty)
        rig.handle(.back(b))
        #expect(rig.outputs == [.resumed(rule: 1), .remembered(rule: 1)])
        #expect(try rig.write("a", ["t": 22]) == ["state a t 21 -> 22"])
    }

    @Test func `after a suspension the first sight is no edge`() throws {
        var rig = EngineRig()
        try rig.write("a", ["t": 20])
        try rig.add(1, Self.warm)
        rig.handle(.ruleJudged(1, .rights))
        #expect(rig.outputs.first == .suspended(rule: 1, .rights))
        try rig.write("a", ["t": 31])
        rig.handle(.ruleJudged(1, nil))
        #expect(rig.outputs.first == .resumed(rule: 1))
        #expect(try rig.write("a", ["t": 32]).isEmpty)
    }

    @Test func `the end of a run that has begun is made up for after a suspension`() throws {
        var rig = EngineRig()
        let thing = try rig.id(.thing, "a")
        try rig.add(
            1,
            #"""
            {"when":{"on":"schedule","startTimeEachDay":"08:00:00","endTimeEachDay":"10:00:00"},
             "then":[{"set":{"on":true},"target":"thing:a"},{"set":{"on":false},"target":"thing:a","at":"end"}]}
            """#
        )
        #expect(rig.wait(9 * 3600) == ["start"])
        rig.handle(.gone(thing))
        #expect(rig.wait(9 * 3600).isEmpty)
        rig.handle(.back(thing))
        #expect(rig.whys == ["missed end"])
    }

    @Test func `a rule that is switched off and on within a run still ends it`() throws {
        var rig = EngineRig()
        try rig.add(
            1,
            #"""
            {"when":{"on":"schedule","startTimeEachDay":"08:00:00","endTimeEachDay":"10:00:00"},
             "then":[{"publish":1,"at":"range"},{"publish":2,"at":"end"}]}
            """#
        )
        #expect(rig.wait(9 * 3600) == ["start"])
        rig.handle(.ruleSwitched(1, isOn: false))
        rig.wait(60)
        rig.handle(.ruleSwitched(1, isOn: true))
        #expect(rig.whys.isEmpty)
        #expect(rig.wait(3600) == ["end"])
        rig.handle(.ruleSwitched(1, isOn: false))
        #expect(rig.wait(86_400).isEmpty)
        rig.handle(.ruleSwitched(1, isOn: true))
        #expect(rig.whys.isEmpty)
    }

    @Test func `the end of a range is reported, so that its ceiling ends`() throws {
        var rig = EngineRig()
        try rig.add(
            1,
            #"""
            {"when":{"on":"schedule","startTimeEachDay":"08:00:00","endTimeEachDay":"10:00:00"},
             "then":[{"ceiling":"LIMITED","at":"range"}]}
            """#
        )
        #expect(rig.wait(8 * 3600) == ["start"])
        rig.now = RuleInstant(wall: rig.now.wall + 7_200_000, steady: rig.now.steady + 7_200_000)
        rig.handle(.timerFired)
        #expect(rig.outputs == [.rangeEnded(rule: 1), .remembered(rule: 1)])
    }

    // MARK: Limits

    @Test func `a request runs the actions though the rule is off and its conditions do not hold`() throws {
        var rig = EngineRig()
        try rig.add(
            1,
            #"""
            {"when":{"on":"schedule","startTimeEachDay":"08:00:00","endTimeEachDay":"09:00:00"},"pause":60,
             "if":[{"zone":["kitchen"]}],"then":[{"publish":1},{"publish":2,"at":"end"}]}
            """#
        )
        rig.handle(.ruleSwitched(1, isOn: false))
        for _ in 0..<2 {
            rig.handle(.runRequested(1))
            #expect(rig.whys == ["run"])
            #expect(rig.firings.first?.timings == [.start])
            #expect(rig.firings.first?.occurrence == nil)
        }
        rig.handle(.ruleJudged(1, .rights))
        rig.handle(.runRequested(1))
        #expect(rig.whys.isEmpty)
        #expect(rig.refusals(of: 1).last == .suspended)
    }

    @Test func `a request counts for the pause and for the limit of a minute`() throws {
        var rig = EngineRig(RuleEngine.Configuration(perMinute: 2))
        try rig.add(
            1,
            #"{"when":{"on":"state","thing":"a","field":"t","edge":"CONDITION_TRUE"},"pause":30}"#
        )
        rig.handle(.runRequested(1))
        #expect(try rig.write("a", ["t": 1]).isEmpty)
        #expect(rig.refusals(of: 1) == [.pause])
        rig.handle(.runRequested(1))
        rig.handle(.runRequested(1))
        #expect(rig.outputs == [.stopped(rule: 1, .limited, partners: [])])
    }

    @Test func `a rule fires at most sixty times in any minute`() throws {
        var rig = EngineRig()
        try rig.add(1, Self.any)
        for _ in 0..<30 { #expect(try rig.write("a", ["t": 1]).count == 1) }
        rig.wait(30)
        for _ in 0..<30 { #expect(try rig.write("a", ["t": 1]).count == 1) }
        #expect(try rig.write("a", ["t": 1]).isEmpty)
        #expect(rig.outputs == [.stopped(rule: 1, .limited, partners: [])])
        rig.wait(30)
        for _ in 0..<30 { #expect(try rig.write("a", ["t": 1]).count == 1) }
        #expect(try rig.write("a", ["t": 1]).isEmpty)
    }

    @Test func `a pause goes on over a restart`() throws {
        var rig = EngineRig()
        try rig.add(1, #"{"when":{"on":"state","thing":"a","field":"t","edge":"CONDITION_TRUE"},"pause":60}"#)
        #expect(try rig.write("a", ["t": 1]).count == 1)
        rig.wait(30)
        try rig.restart()
        rig.wait(29)
        #expect(try rig.write("a", ["t": 1]).isEmpty)
        #expect(rig.refusals(of: 1) == [.pause])
        rig.wait(1)
        #expect(try rig.write("a", ["t": 1]).count == 1)
    }

    @Test func `a rule that is switched all the time does not fill the memory`() throws {
        var rig = EngineRig()
        try rig.add(1, #"{"when":{"on":"once","at":"2400-01-01T00:00:00Z"},"then":[{"publish":1}]}"#)
        try rig.add(2, Self.daily)
        for number in 0..<10_000 { rig.handle(.ruleSwitched(1, isOn: number % 2 == 1)) }
        #expect(rig.engine.timers < 2048)
        #expect(rig.engine.times(of: 1).next != nil && rig.engine.times(of: 2).next != nil)
        #expect(rig.wait(86_400).count == 1)
    }

    @Test func `why a rule fires has the beginning of a long value`() throws {
        var rig = EngineRig()
        let long = JSONValue.string(String(repeating: "x", count: 60_000))
        try rig.write("a", ["t": long])
        try rig.add(1, #"{"when":{"on":"state","thing":"a","field":"t"}}"#)
        let whys = try rig.write("a", ["t": 1])
        let why = try #require(whys.first)
        #expect(why.hasPrefix("state a t \"xxx") && why.hasSuffix("xxx… -> 1") && why.utf8.count < 300)
    }

    // MARK: Explanations

    @Test func `each reason is explained, the same one again in one line`() throws {
        var rig = EngineRig()
        try rig.write("a", ["t": 20])
        try rig.add(
            1,
            #"""
            {"when":{"on":"state","thing":"a","clause":{"type":"range","field":"t","lowerLimit":30}},
             "if":[{"zone":["kitchen"]}]}
            """#
        )
        try rig.write("a", ["t": 31])
        try rig.write("a", ["t": 32])
        try rig.write("a", ["t": 33])
        rig.handle(.ruleSwitched(1, isOn: false))
        try rig.write("a", ["t": 34])
        rig.handle(.ruleJudged(1, .notNotifiable))
        rig.handle(.ruleSwitched(1, isOn: true))
        try rig.write("a", ["t": 35])
        let found = rig.engine.explanation(of: 1, in: rig.place)
        #expect(found.map(\.refusal) == [.condition, .edge, .off, .suspended])
        #expect(
            found.map(\.why) == [
                "state a t 20 -> 31 (if[0])", "state a t 32 -> 33", "state a t 33 -> 34",
                "state a t 34 -> 35",
            ]
        )
        #expect(found.map(\.count) == [1, 2, 1, 1])
    }

    @Test(arguments: [RuleSuspension.rights, .maker])
    func `what a maker may not see any more is not explained`(suspension: RuleSuspension) throws {
        var rig = EngineRig()
        try rig.write("a", ["t": 20])
        try rig.add(1, Self.warm)
        rig.handle(.ruleJudged(1, suspension))
        try rig.write("a", ["t": 31])
        rig.handle(.ruleSwitched(1, isOn: false))
        try rig.write("a", ["t": 32])
        #expect(rig.refusals(of: 1).isEmpty)
        rig.handle(.runRequested(1))
        #expect(rig.refusals(of: 1) == [.suspended])
    }

    @Test func `what was due while a rule was off is explained`() throws {
        var rig = EngineRig()
        try rig.add(1, Self.daily)
        rig.handle(.ruleSwitched(1, isOn: false))
        rig.wait(86_400)
        let found = rig.engine.explanation(of: 1, in: rig.place)
        #expect(found.map(\.refusal) == [.off])
        #expect(found.map(\.at) == [EngineRig.midnight + 8 * 3_600_000])
    }

    @Test func `the last twenty times are kept`() throws {
        var rig = EngineRig()
        try rig.write("a", ["t": 0, "u": 0])
        try rig.add(
            1,
            #"""
            {"when":[{"on":"state","thing":"a","field":"t"},{"on":"state","thing":"a","field":"u"}],
             "if":[{"zone":["kitchen"]}]}
            """#
        )
        for number in 1...15 {
            try rig.write("a", ["t": JSONValue(number)])
            try rig.write("a", ["u": JSONValue(number)])
        }
        let found = rig.engine.explanation(of: 1, in: rig.place)
        #expect(found.count == 20)
        #expect(found.last?.why == "state a u 14 -> 15 (if[0])")
    }

    // MARK: Clock

    @Test func `a clock before the build of the program runs no schedules`() throws {
        var rig = EngineRig(RuleEngine.Configuration(built: EngineRig.midnight), at: 0)
        try rig.add(1, Self.daily)
        try rig.add(2, Self.any)
        #expect(!rig.engine.isClockPlausible)
        #expect(rig.engine.nextDue == nil)
        #expect(rig.wait(86_400).isEmpty)
        #expect(try rig.write("a", ["t": 1]).count == 1)
        rig.setClock(EngineRig.midnight + 8 * 3_600_000 + 1000)
        #expect(rig.handle(.clockSet).isEmpty == false)
        #expect(rig.whys.isEmpty)
        #expect(rig.engine.isClockPlausible)
        #expect(rig.wait(86_400) == ["start"])
    }

    @Test func `what was missed before the clock was right is caught up`() throws {
        var rig = EngineRig(RuleEngine.Configuration(built: EngineRig.midnight))
        try rig.add(1, #"{"when":{"on":"schedule","startTimeEachDay":"08:00:00","missed":"run"}}"#)
        rig.setClock(0)
        try rig.restart()
        #expect(rig.wait(60).isEmpty)
        rig.setClock(EngineRig.midnight + 8 * 3_600_000 + 1_800_000)
        rig.handle(.clockSet)
        #expect(rig.whys == ["missed start"])
    }

    @Test func `another time zone moves what is due`() throws {
        var rig = EngineRig()
        try rig.add(1, Self.daily)
        let east = try #require(ZoneTable(offset: 7200))
        rig.handle(.calendarChanged(RuleCalendar(east)))
        #expect(rig.engine.nextDue == EngineRig.midnight + 6 * 3_600_000)
        #expect(rig.wait(7 * 3600) == ["start"])
        rig.handle(.calendarChanged(RuleCalendar()))
        #expect(rig.engine.nextDue == EngineRig.midnight + 8 * 3_600_000)
    }

    @Test func `a place that moves a little does not bring the same sunset again`() throws {
        let berlin = GeoPoint(latitude: 52.52, longitude: 13.4)
        var rig = EngineRig(RuleEngine.Configuration(), RuleCalendar(place: berlin))
        try rig.add(1, #"{"when":{"on":"schedule","startTimeEachDay":"sunset"}}"#)
        let sunset = try #require(rig.engine.nextDue)
        #expect(rig.wait((sunset - rig.now.wall) / 1000 + 1) == ["start"])
        let west = GeoPoint(latitude: 52.52, longitude: 13.0)
        rig.handle(.calendarChanged(RuleCalendar(place: west)))
        #expect(rig.wait(3600).isEmpty)
        #expect(rig.wait(24 * 3600) == ["start"])
    }

    @Test func `a beacon that was not heard while the sensor was off has not gone`() throws {
        var rig = EngineRig()
        let uuid = "2F234454-CF6D-4A0F-ADF2-F4911BA9FFA6"
        try rig.add(1, #"{"when":{"on":"exit","beacon":{"uuid":"\#(uuid)"}}}"#)
        let beacon = try #require(BeaconName(uuid: uuid, major: 1, minor: 2))
        rig.handle(.beaconHeard(beacon, rssi: -60))
        rig.handle(.beaconSensor(isOn: false))
        #expect(rig.wait(3600).isEmpty)
        rig.handle(.beaconSensor(isOn: true))
        #expect(rig.wait(59).isEmpty)
        #expect(rig.wait(1) == ["exit beacon"])
    }
}
