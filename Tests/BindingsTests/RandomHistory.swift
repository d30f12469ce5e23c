import Bindings
import JSON
import SeededRandom

/// Random states, times and clauses, chosen so that they often meet.
struct RandomHistory {
    var random: SplitMix64

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    /// Within an hour before and an hour after 1970.
    mutating func time() -> Int64 { Int64(random.number(below: 7200) - 3600) * 1000 }

    mutating func field() -> String {
        random.pick(["a", "b", "é", "e\u{301}", "zone", "a long name of it"], else: "a")
    }

    mutating func number() -> JSONValue {
        switch random.number(below: 12) {
        case 0: .number(1e308)
        case 1: .number(-1.7e308)
        case 2: .numeral("9223372036854775807")
        case 3: .numeral("-9223372036854775808")
        case 4: .numeral("123456789012345678901234567890")
        case 5: .number(.leastNonzeroMagnitude)
        case 6: .number(0.1)
        default: .number(Double(random.number(below: 200) - 100) / (random.chance(2) ? 1 : 8))
        }
    }

    mutating func value() -> JSONValue {
        switch random.number(below: 10) {
        case 0: .null
        case 1: .bool(random.chance(2))
        case 2: .string("text")
        case 3: [1, 2]
        case 4: ["x": 1]
        default: number()
        }
    }

    mutating func state() -> JSONObject {
        var state = JSONObject()
        for _ in 0..<random.number(below: 6) { state[field()] = value() }
        return state
    }

    mutating func clause(depth: Int) -> StateClause {
        let kind = random.number(below: depth > 1 ? 8 : 5)
        switch kind {
        case 0: return .all
        case 1: return .equals(field(), number())
        case 2: return .not(.equals(field(), number()))
        case 3:
            return .range(
                field(),
                StateClause.NumberRange(from: number().number, including: random.chance(2))
            )
        case 4:
            let (one, other) = (time(), time())
            return .time(min(one, other)...max(one, other))
        default:
            var clauses: [StateClause] = []
            for _ in 0..<random.number(below: 4) { clauses.append(clause(depth: depth - 1)) }
            return kind == 5 ? .or(clauses) : .and(clauses)
        }
    }
}
