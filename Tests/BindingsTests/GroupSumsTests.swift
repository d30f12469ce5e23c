import Bindings
import JSON
import SeededRandom
import Testing

struct GroupSumsTests {
    private typealias Sample = (state: JSONObject, at: Int64)

    private static func samples(_ seed: UInt64) -> [Sample] {
        var random = RandomHistory(seed: seed)
        return (0..<random.random.number(below: 40)).map { _ in (random.state(), random.time()) }
    }

    private static func sums(_ samples: some Sequence<Sample>) -> GroupSums {
        var sums = GroupSums()
        for sample in samples { sums.add(sample.state, at: sample.at) }
        return sums
    }

    /// Whether two results differ by no more than what rounding may cost beside numbers as large as those of the samples.
    private static func isNear(_ left: JSONValue, _ right: JSONValue, _ samples: [Sample]) -> Bool {
        guard let one = left.number, let other = right.number else { return left == right }
        let numbers = samples.flatMap { $0.state.values }.compactMap(\.number)
        return (one - other).magnitude <= numbers.reduce(0) { $0 + $1.magnitude * 1e-13 }
    }

    private static let aggregations = Aggregation.Function.allCases.flatMap { function in
        ["INTEGER", "DECIMAL"].compactMap { type in
            try? Aggregation([
                "type": .string(function.rawValue), "field": "a", "fieldType": .string(type),
                "putAggregationInto": .string("\(function)_\(type)"),
            ])
        }
    }

    /// Everything but what rounding may change.
    private static func counts(_ sums: GroupSums) -> [String] {
        sums.fields.map {
            let sum = $0.sum
            return
                "\($0.name) \(sum.integers) \(sum.decimals.count) \(String(describing: sum.decimals.least))"
                + " \(String(describing: sum.decimals.greatest)) \(sum.booleans) \(sum.objects) \(sum.arrays) \(sum.others)"
        }
    }

    @Test func `sums of samples in any order equal a naive reckoning`() {
        for seed in UInt64(0)..<300 {
            let samples = Self.samples(seed)
            var random = SplitMix64(seed: seed)
            let sums = Self.sums(samples)
            let shuffled = Self.sums(samples.shuffled(using: &random))
            #expect(sums.count == samples.count)
            #expect(Self.counts(sums) == Self.counts(shuffled), "seed \(seed)")
            for aggregation in Self.aggregations {
                let naive = Naive(samples.map(\.state), aggregation)
                for result in [aggregation.result(in: sums), aggregation.result(in: shuffled)] {
                    #expect(Self.isNear(result.value, naive.value, samples), "seed \(seed): \(aggregation)")
                }
            }
        }
    }

    @Test func `merging the sums of two halves is the sum of the whole`() {
        for seed in UInt64(0)..<300 {
            let samples = Self.samples(seed)
            let half = samples.count / 2
            var merged = Self.sums(samples[half...])
            merged.merge(Self.sums(samples[..<half]))
            let whole = Self.sums(samples)
            #expect(merged.count == whole.count)
            #expect(Self.counts(merged) == Self.counts(whole), "seed \(seed)")
            for aggregation in Self.aggregations {
                let (one, other) = (aggregation.result(in: merged), aggregation.result(in: whole))
                #expect(one.at == other.at, "seed \(seed)")
                #expect(Self.isNear(one.value, other.value, samples), "seed \(seed): \(aggregation)")
            }
        }
    }

    @Test func `a late sample lands in its own group`() {
        var unstored = UnstoredSums(.minute)
        for (time, value) in [(Int64(0), 1), (59_999, 2), (60_000, 3), (125_000, 4)] {
            unstored.add(["t": JSONValue(value)], at: time)
        }
        unstored.add(["t": 5], at: 30_000)
        #expect(unstored.groups.keys.sorted() == [0, 60_000, 120_000])
        #expect(unstored.groups[0]?["t"]?.integers.total == 8)
        #expect(unstored.groups[0]?.count == 3)
        #expect(unstored.groups[60_000]?.count == 1)
    }

    @Test func `the fields with the first names are kept and complete`() {
        for seed in UInt64(0)..<50 {
            var random = SplitMix64(seed: seed)
            let states: [JSONObject] = (0..<30).map { _ in
                JSONObject((0..<20).map { _ in ("f\(random.number(below: 100))", 1) })
            }
            var (one, other) = (GroupSums(), GroupSums())
            for (index, state) in states.enumerated() {
                if index < 11 { one.add(state, at: 0) } else { other.add(state, at: 0) }
            }
            one.merge(other)
            var naive: [String: Int] = [:]
            for state in states { for key in state.keys { naive[key, default: 0] += 1 } }
            let first = naive.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.prefix(64)
            #expect(one.fields.map(\.name) == Array(first))
            #expect(one.isCut == (naive.count > 64))
            for name in first { #expect(one[name]?.count == naive[name]) }
        }
    }

    @Test func `fields of equal looks are two fields`() {
        var sums = GroupSums()
        sums.add(["é": 1, "e\u{301}": 2], at: 0)
        #expect(sums.fields.count == 2)
        #expect(sums["é"]?.integers.total == 1)
    }

    @Test func `null is no value and makes no field`() {
        var sums = GroupSums()
        sums.add(["a": .null], at: 0)
        #expect(sums.fields.isEmpty)
        #expect(sums.count == 1)
    }

    @Test func `integers are exact, also beyond 64 bits`() {
        var sums = GroupSums()
        for value in ["9223372036854775807", "9223372036854775806"] {
            sums.add(["a": .numeral(value)], at: 0)
        }
        #expect(sums["a"]?.integers.total == 18_446_744_073_709_551_613)
        #expect(sums["a"]?.integers.greatest?.value == .max)
    }

    @Test func `sums beyond the range of a double have a mean and come back into range`() {
        var sum = DecimalSum()
        for _ in 0..<1000 { sum.add(1.7e308) }
        #expect(sum.value == nil)
        #expect(sum.mean(of: 1000).map { ($0 / 1.7e308 - 1).magnitude < 1e-12 } == true)
        for _ in 0..<1000 { sum.add(-1.7e308) }
        #expect(sum.value == 0)
        var other = DecimalSum()
        for _ in 0..<10 { other.add(1e308) }
        sum.merge(other)
        #expect(sum.value.map { ($0 / 1e308 - 10).magnitude < 1e-12 } != true)
        #expect(sum.mean(of: 10).map { ($0 / 1e308 - 1).magnitude < 1e-12 } == true)
    }

    @Test func `sums of a damaged file do not trap`() {
        let broken = FieldSum(
            integers: NumberSum(count: .max, total: .max, least: Extreme(.min, at: .min)),
            decimals: NumberSum(count: .max, total: DecimalSum(total: .nan, lost: .infinity, isScaled: true)),
            booleans: .max,
            objects: -5
        )
        var sums = GroupSums(
            count: .max,
            fields: [GroupSums.Field("a", broken), GroupSums.Field("a", broken)],
            isCut: false
        )
        sums.merge(sums)
        sums.add(["a": 1], at: 0)
        sums.add(["a": 1.5], at: 0)
        for aggregation in Self.aggregations { _ = aggregation.result(in: sums).value.text }
    }
}

/// What an aggregation of a field gives, with nothing kept but the values.
private struct Naive {
    let value: JSONValue

    init(_ states: [JSONObject], _ aggregation: Aggregation) {
        let values = states.compactMap { $0[aggregation.field] }.filter { $0.number?.isFinite == true }
            .filter { aggregation.type == .decimal || $0.integer != nil }
        let numbers = values.compactMap(\.number)
        // In parts, so that nothing overflows; sums out of range have no value.
        let part = numbers.map { $0 / 1024 }.sorted { $0.magnitude < $1.magnitude }.reduce(0, +)
        switch aggregation.function {
        case .count: value = JSONValue(values.count)
        case .sum: value = numbers.isEmpty || !(part * 1024).isFinite ? .null : .number(part * 1024)
        case .mean: value = numbers.isEmpty ? .null : .number(part / Double(numbers.count) * 1024)
        case .max: value = numbers.max().map { .number($0) } ?? .null
        case .min: value = numbers.min().map { .number($0) } ?? .null
        }
    }
}
