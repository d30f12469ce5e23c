import Controller
import Flare
import JSON
import Rules
import Testing

struct RuleTestTests {
    @Test func `a test has a line for each trigger and condition`() throws {
        var rig = EngineRig()
        try rig.write("a", ["t": 31])
        rig.place.zone = .at(try rig.id(.zone, "kitchen"))
        let rule = try rig.rule(
            #"""
            {"when":[{"on":"state","thing":"a","clause":{"type":"range","field":"t","lowerLimit":30}},
              {"on":"state","thing":"b","field":"u"},{"on":"exit","zone":"kitchen"}],
             "if":[{"zone":["kitchen"]},{"level":["FULL"]},
              {"during":{"startTimeEachDay":"00:00:00","endTimeEachDay":"01:00:00"}}]}
            """#
        )
        let test = RuleTest(of: rule, in: rig.place, at: rig.now.wall, RuleCalendar())
        #expect(test.lines.map(\.path) == ["when[0]", "when[1]", "when[2]", "if[0]", "if[1]", "if[2]"])
        #expect(test.lines.map(\.truth) == [.yes, .unknown, .no, .yes, .no, .yes])
        #expect(
            test.lines.map(\.saw) == [
                "t 31", "u missing", "kitchen", "kitchen", "Disconnected", "2026-06-01T00:00:00+00:00",
            ]
        )
        #expect(!test.wouldFire)
        rig.place.level = .active
        #expect(RuleTest(of: rule, in: rig.place, at: rig.now.wall, RuleCalendar()).wouldFire)
    }

    @Test func `what must last is false while it waits, and unknown of a rule that no engine has`() throws {
        var rig = EngineRig()
        try rig.write("a", ["t": 1])
        let text = #"""
            {"when":{"on":"state","thing":"a","for":300,
              "clause":{"type":"range","field":"t","lowerLimit":8}}}
            """#
        try rig.add(1, text)
        let rule = try rig.rule(text)
        func test(_ id: Int?) -> RuleTest {
            let waits = id.flatMap { rig.engine.waits(of: $0, at: rig.now) }
            return RuleTest(of: rule, in: rig.place, at: rig.now.wall, RuleCalendar(), waits: waits)
        }
        try rig.write("a", ["t": 9])
        rig.wait(60)
        #expect(test(1).lines.map(\.truth) == [.no] && test(1).lines.map(\.waits) == [240])
        #expect(test(1).lines.first?.saw == "t 9, and must stay so for 4 min more" && !test(1).wouldFire)
        #expect(test(nil).lines.map(\.truth) == [.unknown] && test(nil).lines.first?.waits == nil)
        rig.wait(240)
        #expect(test(1).lines.map(\.truth) == [.yes] && test(1).wouldFire)
        rig.handle(.ruleSwitched(1, isOn: false))
        #expect(rig.engine.waits(of: 1, at: rig.now) == nil)
    }

    /// A rule about `t` of `a`, which must be at least 8 for five minutes.
    private static func lasting(_ edge: String) -> String {
        #"{"when":{"on":"state","thing":"a","for":300,"edge":"\#(edge)","#
            + #""clause":{"type":"range","field":"t","lowerLimit":8}}}"#
    }

    private static func line(of rule: String, in rig: EngineRig) throws -> RuleTest.Line? {
        var rig = rig
        let waits = rig.engine.waits(of: 1, at: rig.now)
        let (rule, place) = (try rig.rule(rule), rig.place)
        return RuleTest(of: rule, in: place, at: rig.now.wall, RuleCalendar(), waits: waits).lines.first
    }

    @Test(arguments: [
        ("CONDITION_FALSE_TO_TRUE", "it must end first"), ("CONDITION_CHANGED", "it must change first"),
    ])
    func `what is so since the rule began and must last is false until it has ended`(
        _ edge: String,
        _ words: String
    ) throws {
        var rig = EngineRig()
        try rig.write("a", ["t": 9])
        let rule = Self.lasting(edge)
        try rig.add(1, rule)
        rig.wait(600)
        for _ in 0..<2 {
            let line = try Self.line(of: rule, in: rig)
            #expect(line?.truth == .no && line?.waits == nil)
            #expect(line?.saw == "t 9, and was so when the rule began; \(words)")
            #expect(rig.whys.isEmpty)
            // It is so after a restart, too.
            try rig.restart()
        }
        try rig.write("a", ["t": 1])
        try rig.write("a", ["t": 9])
        #expect(try Self.line(of: rule, in: rig)?.waits == 300)
        let fired = rig.wait(300)
        #expect(try Self.line(of: rule, in: rig)?.truth == .yes && fired.count == 1)
        try rig.restart()
        #expect(try Self.line(of: rule, in: rig)?.truth == .yes)
    }

    @Test func `what fires whenever it is true waits also if it was so when the rule began`() throws {
        var rig = EngineRig()
        try rig.write("a", ["t": 9])
        let rule = Self.lasting("CONDITION_TRUE")
        try rig.add(1, rule)
        #expect(try Self.line(of: rule, in: rig)?.waits == 300)
        rig.wait(300)
        #expect(try Self.line(of: rule, in: rig)?.truth == .yes && rig.whys.isEmpty)
        try rig.write("a", ["t": 9])
        #expect(rig.whys.count == 1)
    }

    @Test func `a test says whether a beacon is in range, and that one which always was must leave first`()
        throws
    {
        var rig = EngineRig()
        let text = "id1: 2F234454-CF6D-4A0F-ADF2-F4911BA9FFA6 id2: 1 id3: 1"
        let name = try #require(BeaconName(text))
        let rule = #"{"when":{"on":"enter","beacon":"\#(text)"}}"#
        try rig.add(1, rule)
        #expect(try Self.line(of: rule, in: rig)?.saw == "not heard yet")
        rig.handle(.beaconHeard(name, rssi: -55))
        let line = try Self.line(of: rule, in: rig)
        #expect(line?.truth == .no && rig.whys.isEmpty)
        #expect(line?.saw == "in range, and was so when the rule began; it must leave first")
        rig.wait(60)
        #expect(try Self.line(of: rule, in: rig)?.saw == "out of range")
        rig.handle(.beaconHeard(name, rssi: -55))
        #expect(try Self.line(of: rule, in: rig)?.truth == .yes && rig.whys == ["enter beacon"])
    }

    @Test func `what need not last is true at first sight`() throws {
        var rig = EngineRig()
        try rig.write("a", ["t": 9])
        let rule = Self.lasting("CONDITION_FALSE_TO_TRUE").replacing(#""for":300,"#, with: "")
        try rig.add(1, rule)
        #expect(try Self.line(of: rule, in: rig)?.truth == .yes)
    }

    @Test func `a connection that is so since the rule began must end first`() throws {
        var rig = EngineRig()
        let rule = #"{"when":{"on":"device","thing":"a","event":"on_connect","threshold":300}}"#
        try rig.add(1, rule)
        rig.wait(600)
        let line = try Self.line(of: rule, in: rig)
        #expect(line?.truth == .no)
        #expect(line?.saw == "online, and was so when the rule began; it must end first")
        let thing = try rig.id(.thing, "a")
        rig.handle(.availability(thing, isOnline: false))
        rig.handle(.availability(thing, isOnline: true))
        #expect(try Self.line(of: rule, in: rig)?.waits == 300)
        let fired = rig.wait(300)
        #expect(try Self.line(of: rule, in: rig)?.truth == .yes && fired.count == 1)
    }

    @Test func `a connection that was not lost for long enough is no restored one`() throws {
        var rig = EngineRig()
        try rig.add(1, #"{"when":{"on":"device","thing":"a","event":"on_connection_restore"}}"#)
        let rule = try rig.rule(#"{"when":{"on":"device","thing":"a","event":"on_connection_restore"}}"#)
        func line() -> RuleTest.Line? {
            let waits = rig.engine.waits(of: 1, at: rig.now)
            let calendar = RuleCalendar()
            return RuleTest(of: rule, in: rig.place, at: rig.now.wall, calendar, waits: waits).lines.first
        }
        let thing = try rig.id(.thing, "a")
        // What the place says does not change: the engine is told.
        func become(_ isOnline: Bool) {
            rig.handle(.availability(thing, isOnline: isOnline))
        }
        become(false)
        rig.wait(28)
        become(true)
        #expect(line()?.truth == .no && line()?.saw == "online, and was not lost for 5 min before")
        become(false)
        rig.wait(300)
        become(true)
        #expect(line()?.truth == .no && line()?.waits == 300)
    }

    @Test func `a rule that is off would not fire`() throws {
        var rig = EngineRig()
        try rig.write("a", ["t": 1])
        var rule = try rig.rule(#"{"when":{"on":"state","thing":"a","field":"t"}}"#)
        #expect(RuleTest(of: rule, in: rig.place, at: rig.now.wall, RuleCalendar()).wouldFire)
        rule.isEnabled = false
        #expect(!RuleTest(of: rule, in: rig.place, at: rig.now.wall, RuleCalendar()).wouldFire)
    }
}
