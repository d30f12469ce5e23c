import Rules
import SeededRandom
import Testing
import Text

/// Cron expressions against a calculation minute by minute, around changes of clocks.
struct CronReferenceTests {
    private struct Field {
        var text = ""
        var numbers: Set<Int> = []
        var hasStar = false
    }

    private struct Expression {
        let fields: [Field]

        var text: String { fields.map(\.text).joined(separator: " ") }

        func fits(_ local: Int64) -> Bool {
            let minute = Int(local % 1440)
            guard fields[0].numbers.contains(minute % 60), fields[1].numbers.contains(minute / 60) else {
                return false
            }
            let date = CivilDate(dayNumber: Int(local / 1440))
            guard fields[3].numbers.contains(date.month) else { return false }
            let byDay = fields[2].numbers.contains(date.day)
            let byWeekday =
                fields[4].numbers.contains(date.weekday - 1)
                || fields[4].numbers.contains(7) && date.weekday == 1
            return fields[2].hasStar || fields[4].hasStar ? byDay && byWeekday : byDay || byWeekday
        }
    }

    /// - Parameter greatest: The greatest start of a range.
    private static func field(
        _ range: ClosedRange<Int>,
        upTo greatest: Int = 59,
        _ random: inout SplitMix64
    ) -> Field {
        var field = Field()
        for index in 0...random.number(below: 3) {
            let low = min(greatest, range.lowerBound + random.number(below: range.count))
            let high = low + random.number(below: range.upperBound - low + 1)
            let step = 1 + random.number(below: min(12, range.upperBound))
            let part: (String, [Int])
            switch random.number(below: 6) {
            case 0: part = ("*", Array(range))
            case 1:
                part = (
                    "*/\(step)", Array(stride(from: range.lowerBound, through: range.upperBound, by: step))
                )
            case 2: part = ("\(low)-\(high)", Array(low...high))
            case 3: part = ("\(low)-\(high)/\(step)", Array(stride(from: low, through: high, by: step)))
            default: part = ("\(low)", [low])
            }
            field.text += (index == 0 ? "" : ",") + part.0
            field.numbers.formUnion(part.1)
            field.hasStar = field.hasStar || part.0.hasPrefix("*")
        }
        return field
    }

    private static func expression(_ random: inout SplitMix64) -> Expression {
        let unrestricted = { (range: ClosedRange<Int>) in Field(text: "*", numbers: Set(range), hasStar: true)
        }
        return Expression(fields: [
            field(0...59, &random),
            random.chance(2) ? field(0...23, upTo: 3, &random) : field(0...23, &random),
            random.chance(2) ? unrestricted(1...31) : field(1...31, &random),
            random.chance(2) ? unrestricted(1...12) : field(1...12, &random),
            random.chance(2) ? unrestricted(0...7) : field(0...7, &random),
        ])
    }

    /// The instants at which an expression is due, minutes.
    private static func times(_ expression: Expression, _ clock: NaiveClock) -> [Int64] {
        var times: [Int64] = []
        var latest: Int64?
        for (instant, local) in clock.minutes {
            defer { latest = max(latest ?? local, local) }
            if expression.fields[1].hasStar {
                if expression.fits(local) { times.append(instant) }
            } else if local > latest ?? .min {
                // With those that clocks have skipped.
                let skipped = (latest ?? local - 1) + 1
                if (skipped...local).contains(where: expression.fits) { times.append(instant) }
            }
        }
        return times
    }

    @Test(arguments: TestZones.all.indices)
    func `times around changes of clocks equal a naive calculation`(_ index: Int) throws {
        let (name, zone, changes) = TestZones.all[index]
        var random = SplitMix64(seed: UInt64(100 + index))
        for change in changes {
            let clock = NaiveClock(zone, around: change, days: 4)
            for _ in 0..<12 {
                let expression = Self.expression(&random)
                // A random step may leave only days that the months do not have.
                guard let cron = try? CronExpression(expression.text, at: "cron") else { continue }
                let times = Self.times(expression, clock).map { $0 * 60_000 }
                for _ in 0..<12 {
                    let distance = Int64(random.number(below: 4 * 86_400) - 2 * 86_400)
                    let instant =
                        random.chance(3)
                        ? times.randomElement(using: &random) ?? change
                        : change + distance * 1000 + Int64(random.number(below: 3))
                    let comment = "\(name) \(expression.text) \(CivilTime(milliseconds: instant))"
                    // At the first minutes it is not known what clocks have shown before.
                    guard abs(instant - change) < 3 * 86_400_000 else { continue }
                    if let next = times.first(where: { $0 > instant }) {
                        try #require(cron.next(after: instant, in: zone) == next, "\(comment)")
                    }
                    if let latest = times.last(where: { $0 <= instant }) {
                        try #require(cron.latest(through: instant, in: zone) == latest, "\(comment)")
                    }
                }
            }
        }
    }
}
