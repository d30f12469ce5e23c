import Bindings
import Controller
import Flare
import JSON
import Rules
import SeededRandom
import Things

/// Legal rules of all kinds.
struct RandomRule {
    static let fields = ["room_temp", "on", "mode", "Größe", "a b"]

    var random: SplitMix64

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    private mutating func some<Value>(_ make: (inout RandomRule) -> Value) -> Value? {
        random.chance(2) ? make(&self) : nil
    }

    private mutating func number(_ range: ClosedRange<Int64>) -> Int64 {
        range.lowerBound + Int64(random.number(below: Int(range.upperBound - range.lowerBound) + 1))
    }

    private mutating func list<Value>(_ count: Int, _ make: (inout RandomRule) throws -> Value) rethrows
        -> [Value]
    {
        var list: [Value] = []
        for _ in 0...random.number(below: count) { list.append(try make(&self)) }
        return list
    }

    mutating func field() -> String { random.pick(Self.fields, else: "on") }

    mutating func value() -> JSONValue {
        random.pick(
            [true, false, 0, 1, -3.5, 30, "1", "eco", "é", .numeral("100000000000000000001")],
            else: 1
        )
    }

    mutating func state() -> JSONObject {
        var state = JSONObject()
        for field in Self.fields where random.chance(2) { state[field] = value() }
        return state
    }

    mutating func clause(depth: Int) -> StateClause {
        switch random.number(below: depth > 0 ? 6 : 4) {
        case 0: return .equals(field(), value())
        case 1: return .not(.equals(field(), value()))
        case 2:
            let lower = some { Double($0.random.number(below: 100)) - 50 }
            let upper = some { Double($0.random.number(below: 100)) + 50 } ?? (lower == nil ? 40 : nil)
            // Whether an absent limit is included means nothing, and is not written.
            let range = StateClause.NumberRange(
                from: lower,
                including: lower == nil || random.chance(2),
                to: upper,
                including: upper == nil || random.chance(2)
            )
            return .range(field(), range)
        case 3: return depth > 0 ? .time(number(0...5)...number(5...10)) : .equals(field(), value())
        case 4: return .and(list(3) { $0.clause(depth: depth - 1) })
        default: return .or(list(3) { $0.clause(depth: depth - 1) })
        }
    }

    /// One that looks at a field.
    private mutating func usefulClause() -> StateClause {
        let clause = clause(depth: 2)
        return clause.fields.isEmpty ? .equals(field(), value()) : clause
    }

    mutating func id() -> FlareID {
        FlareID(high: random.next(), low: UInt32(truncatingIfNeeded: random.next()))
    }

    mutating func thing() -> RuleReference { RuleReference(.thing, id()) }
    mutating func zone() -> RuleReference { RuleReference(.zone, id()) }

    mutating func schedule() throws -> Schedule {
        var members: JSONObject = [
            "startTimeEachDay": random.pick(["08:00:00", "sunset", "sunrise+01:30:00"], else: "")
        ]
        members["endTimeEachDay"] = "23:00:00"
        if random.chance(2) { members["daysOfWeek"] = [1, 7] }
        if random.chance(4) { members["utc"] = true }
        if random.chance(4) { members["timeZone"] = "Europe/Berlin" }
        if random.chance(4) { members["startDate"] = "2030-01-01" }
        return try Schedule(members, at: "")
    }

    private mutating func place() -> RulePlace {
        switch random.number(below: 4) {
        case 0:
            let centre = GeoPoint(latitude: Double(number(-90...90)), longitude: Double(number(-180...180)))
            return .circle(RuleCircle(centre: centre, radius: Double(number(10...100_000))))
        case 1:
            let major = some { UInt16($0.number(0...65_535)) }
            let minor = major == nil ? nil : some { UInt16($0.number(0...65_535)) }
            let name = BeaconName(uuid: "f7826da6-4fa2-4e98-8024-bc5b71e0893e", major: major, minor: minor)
            return name.map { .beacon(RuleBeacon($0, rssi: -70, gone: number(10...3_600))) } ?? .zone(zone())
        case 2:
            let name = BeaconName(
                namespace: "2f234454cf6d4a0fadf2",
                instance: random.chance(2) ? "000012349876" : nil
            )
            return name.map { .beacon(RuleBeacon($0)) } ?? .zone(zone())
        default: return .zone(zone())
        }
    }

    private mutating func timeTrigger() throws -> RuleTrigger {
        let missed = some { $0.random.pick(TimeTrigger.Missed.allCases, else: .skip) }
        return switch random.number(below: 3) {
        case 0: .time(TimeTrigger(.schedule(try schedule()), missed: missed))
        case 1:
            .time(
                TimeTrigger(
                    .cron(try CronExpression("0 7 * * 1-5", at: "")),
                    missed: missed,
                    timeZone: random.chance(2) ? "Asia/Tokyo" : nil
                )
            )
        default: .time(TimeTrigger(.once(number(0...4_000_000_000_000)), missed: missed))
        }
    }

    private mutating func trigger() throws -> RuleTrigger {
        switch random.number(below: 9) {
        case 0:
            let clause = usefulClause()
            return .state(
                StateTrigger(
                    thing(),
                    .clause(clause),
                    edge: random.pick(StateTrigger.Edge.allCases, else: .isTrue),
                    hold: number(0...86_400),
                    margin: clause.hasRange && random.chance(2) ? 1.5 : 0
                )
            )
        case 1:
            return .state(StateTrigger(thing(), .field(field()), edge: random.chance(2) ? .isTrue : .changes))
        case 2: return try timeTrigger()
        case 3:
            let place = place()
            return .enter(place, by: device(.first, at: place))
        case 4:
            let place = place()
            return .exit(place, by: device(.last, at: place))
        case 5:
            return random.chance(2)
                ? .near(thing(), by: device(.first)) : .far(thing(), by: device(.last))
        case 6: return .call(random.pick(LifecycleCall.allCases, else: .applicationDidConnect))
        case 7: return .level(random.pick(LifecycleLevel.allCases, else: .active))
        default:
            let event = random.pick(DeviceTrigger.Event.allCases, else: .connected)
            return .device(DeviceTrigger(thing(), event, threshold: some { $0.number(300...86_400) }))
        }
    }

    private mutating func condition() throws -> RuleCondition {
        switch random.number(below: 5) {
        case 0: .state(thing(), usefulClause())
        case 1: .during(try schedule())
        case 2: .level(random.chance(2) ? [.active] : [.limited, .background])
        case 3: .zone(list(3) { $0.zone() }, of: device(.nobody))
        default: .near(list(3) { $0.thing() }, of: device(.nobody))
        }
    }

    private mutating func device(_ word: RuleDevice, at place: RulePlace? = nil) -> RuleDevice {
        switch place {
        case .circle, .beacon: .own
        case nil, .zone: random.pick([.own, .node("anna"), .any, word], else: .own)
        }
    }

    private mutating func recipient() -> NotificationRecipient {
        random.pick(
            [
                .user("alice"), .contact("7"), .installation("abc"), .display("hall"), .allDisplays,
                .email("bob@example.org"), .sms("+49 30 1234"),
            ],
            else: .allDisplays
        )
    }

    private mutating func target() -> RuleTarget {
        switch random.number(below: 3) {
        case 0: .thing(thing())
        case 1: .zone(zone())
        default: .nearby
        }
    }

    private mutating func work() -> RuleAction.Work {
        switch random.number(below: 6) {
        case 0: return .drive(.set(["on": value(), field(): value()]), target())
        case 1: return .drive(.action("next colour"), target())
        case 2:
            let request = CommandRequest(
                [CommandAction("power", ["on": true]), CommandAction("mode", value())],
                schema: random.chance(2) ? "lamp" : "",
                schemaVersion: random.number(below: 3),
                title: some { _ in "Title" },
                metadata: some { ["k": $0.value()] }
            )
            return .drive(.command(RuleCommand(request, issuer: some { _ in "user:alice" })), .thing(thing()))
        case 3:
            return .notify(
                RuleNotification(
                    to: [recipient()],
                    by: random.chance(2) ? [.push, .email] : [],
                    subject: random.chance(2) ? RuleText("{rule}") : nil,
                    text: random.chance(2) ? RuleText("{thing} is at {value}\n") : nil
                )
            )
        case 4: return .ceiling(random.pick([.active, .limited, .background, .notRunning, nil], else: nil))
        default: return .publish(["a": [value()]])
        }
    }

    mutating func rule() throws -> Rule {
        let isScheduled = random.chance(3)
        let triggers = try list(3) { random throws in
            isScheduled ? .time(TimeTrigger(.schedule(try random.schedule()))) : try random.trigger()
        }
        let isTimed = triggers.allSatisfy { $0.schedule != nil }
        return Rule(
            random.pick(["Too warm", "é", "1"], else: "a"),
            description: some { _ in "What it is for" },
            isEnabled: random.chance(2),
            pause: number(0...604_800),
            when: triggers,
            if: random.chance(2) ? try list(4) { random throws in try random.condition() } : [],
            then: list(5) { random in
                let timing = random.random.pick(RuleAction.Timing.allCases, else: .start)
                return RuleAction(random.work(), at: isTimed ? timing : .start)
            }
        )
    }
}
