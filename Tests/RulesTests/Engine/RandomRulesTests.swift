import Bindings
import Controller
import Flare
import JSON
import Rules
import SeededRandom
import Testing
import Things

/// Random rules and events.
struct RandomRulesTests {
    /// A place with rules in which things happen at random.
    private struct Scenario {
        var random: SplitMix64
        var rig: EngineRig
        var rules: [(id: Int, rule: Rule)] = []
        let start: Int64

        init(seed: UInt64, perMinute: Int, hold: Bool) throws {
            random = SplitMix64(seed: seed)
            rig = EngineRig(RuleEngine.Configuration(perMinute: perMinute))
            start = rig.now.wall
            rig.now = RuleInstant(wall: start + 500, steady: 1_000_500)
            rig.place.level = .background
            for thing in ["a", "b"] { _ = try rig.write(thing, ["t": 3]) }
            for id in 1...6 {
                let text = text(hold: hold)
                let rule = try rig.rule(text)
                rules.append((id, rule))
                rig.handle(.ruleAdded(RuleEntry(id, rule)))
            }
        }

        private mutating func pick(_ texts: [String]) -> String { random.pick(texts, else: "") }

        private mutating func text(hold: Bool) -> String {
            let isScheduled = random.chance(4)
            let triggers = (0...random.number(below: 2)).map { _ in
                isScheduled ? schedule() : trigger(hold: hold)
            }
            let conditions = (0..<random.number(below: 2)).map { _ in
                pick([
                    #"{"zone":["kitchen"]}"#, #"{"level":["FULL","BACKGROUND"]}"#,
                    #"{"thing":"b","clause":{"type":"eq","field":"u","value":1}}"#,
                ])
            }
            let end = isScheduled ? #",{"publish":2,"at":"end"}"# : ""
            return #"""
                {"when":[\#((isScheduled ? [triggers[0]] : triggers).joined(separator: ","))],
                 "if":[\#(conditions.joined(separator: ","))],"pause":\#(pick(["0", "20", "90"])),
                 "then":[{"publish":1}\#(end)]}
                """#
        }

        private mutating func schedule() -> String {
            pick([
                #"{"on":"schedule","startTimeEachDay":"00:00:00","interval":240,"duration":60}"#,
                #"{"on":"schedule","startTimeEachDay":"00:00:00","interval":120,"duration":120}"#,
            ])
        }

        private mutating func trigger(hold: Bool) -> String {
            let thing = pick(["a", "b"])
            let field = pick(["t", "u"])
            switch random.number(below: 6) {
            case 0: return #"{"on":"cron","cron":"*/\#(pick(["1", "3", "7"])) * * * *"}"#
            case 1: return #"{"on":"enter","zone":"\#(pick(["kitchen", "hall"]))"}"#
            case 2:
                let edge = pick(["TRUE", "CHANGED"])
                return #"{"on":"state","thing":"\#(thing)","field":"\#(field)","edge":"CONDITION_\#(edge)"}"#
            default:
                let edge = pick(["TRUE", "FALSE_TO_TRUE", "CHANGED"])
                let hold = hold ? pick(["0", "10", "45"]) : "0"
                return #"""
                    {"on":"state","thing":"\#(thing)","edge":"CONDITION_\#(edge)","for":\#(hold),
                     "margin":\#(pick(["0", "2"])),
                     "clause":{"type":"range","field":"\#(field)","lowerLimit":\#(pick(["2", "4"]))}}
                    """#
            }
        }

        var second: Int64 { (rig.now.wall - start) / 1000 }
    }

    /// What happens at random.
    private enum Happening {
        case write(String, String, JSONValue)
        case enter(String)
        case level(LifecycleLevel)
        case turn(Int, Bool)
        case nothing

        init(_ random: inout SplitMix64) {
            switch random.number(below: 12) {
            case 0...7:
                let value: JSONValue = random.chance(6) ? .null : JSONValue(random.number(below: 6))
                self = .write(
                    random.pick(["a", "b"], else: "a"),
                    random.pick(["t", "u"], else: "t"),
                    value
                )
            case 8: self = .enter(random.pick(["kitchen", "hall"], else: "hall"))
            case 9: self = .level(random.pick([LifecycleLevel.active, .limited, .background], else: .active))
            case 10: self = .turn(random.number(below: 6) + 1, !random.chance(2))
            default: self = .nothing
            }
        }
    }

    private static func happen(_ happening: Happening, _ rig: inout EngineRig) throws -> [String] {
        switch happening {
        case .write(let name, let field, let value):
            let thing = try rig.id(.thing, name)
            let before = rig.place.data(of: thing) ?? [:]
            var after = before
            after[field] = value.isNull ? nil : value
            rig.place.set(after, of: thing)
            rig.handle(.written(RuleWrite(thing, before: before, after: after, fields: [field])))
        case .enter(let name):
            let zone = try rig.id(.zone, name)
            rig.place.zone = .at(zone)
            rig.handle(.zoneEntered(zone))
        case .level(let level):
            rig.place.level = level
            rig.handle(.levelReached(level))
        case .turn(let id, let isOn): rig.handle(.ruleSwitched(id, isOn: isOn))
        case .nothing: return []
        }
        return rig.firings.map { "\($0.rule) \($0.why)" }
    }

    private static func wait(_ seconds: Int64, _ rig: inout EngineRig, since start: Int64) -> [String] {
        var log: [String] = []
        for _ in 0..<seconds * 2 {
            rig.now = RuleInstant(wall: rig.now.wall + 500, steady: rig.now.steady + 500)
            guard let due = rig.engine.nextDue, due <= rig.now.wall else { continue }
            rig.handle(.timerFired)
            log += rig.firings.map { "\((rig.now.wall - start) / 1000) \($0.rule) \($0.why)" }
        }
        return log
    }

    @Test(arguments: 0..<UInt64(Fuzz.count / 800))
    func `an engine fires what a naive one fires`(seed: UInt64) throws {
        var scenario = try Scenario(seed: seed, perMinute: 4, hold: true)
        var naive = NaiveRules(scenario.rules, perMinute: 4, at: 500, in: scenario.rig.place)
        var log: [String] = []
        for _ in 0..<200 {
            let seconds = Int64(scenario.random.number(below: 12))
            let first = scenario.second
            // Events are half a second after what is due, so that none comes at the same time.
            log += Self.wait(seconds, &scenario.rig, since: scenario.start)
            for second in first + 1..<first + 1 + seconds { naive.tick(second, in: scenario.rig.place) }
            let happening = Happening(&scenario.random)
            let second = scenario.second
            var before = JSONObject()
            if case .write(let name, _, _) = happening {
                before = scenario.rig.place.data(of: try scenario.rig.id(.thing, name)) ?? [:]
            }
            log += try Self.happen(happening, &scenario.rig).map { "\(second) \($0)" }
            let place = scenario.rig.place
            let now = scenario.rig.now.wall - scenario.start
            switch happening {
            case .write(let name, let field, _):
                let thing = try scenario.rig.id(.thing, name)
                naive.write(name, thing, field, before, now, in: place)
            case .enter(let name):
                naive.enter(try scenario.rig.id(.zone, name), name, now, in: place)
            case .turn(let id, let isOn): naive.turn(id, isOn, now, in: place)
            case .level, .nothing: break
            }
            try #require(log == naive.log, "seed \(seed), \(scenario.rules.map { $0.rule.sentence })")
        }
    }

    @Test(arguments: 0..<UInt64(Fuzz.count / 1000))
    func `a restart at any point changes nothing that is remembered`(seed: UInt64) throws {
        var scenario = try Scenario(seed: seed + 1000, perMinute: 1000, hold: false)
        var twin = scenario.rig
        for step in 0..<200 {
            let seconds = Int64(scenario.random.number(below: 40))
            let happening = Happening(&scenario.random)
            if scenario.random.chance(3) {
                try twin.restart()
                #expect(twin.whys.isEmpty)
            }
            let expected =
                Self.wait(seconds, &scenario.rig, since: scenario.start)
                + (try Self.happen(happening, &scenario.rig))
            let found =
                Self.wait(seconds, &twin, since: scenario.start) + (try Self.happen(happening, &twin))
            try #require(found == expected, "seed \(seed), step \(step)")
        }
    }
}
