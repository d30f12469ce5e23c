import Bindings
import JSON
import SeededRandom
import Testing

@testable import History

struct StoredFormsTests {
    private static func packed(_ samples: [Sample]) throws -> PackedSamples {
        let bytes = try #require(PackedSamples.bytes(of: samples))
        return try #require(PackedSamples(bytes))
    }

    @Test(arguments: [UInt64](1...40))
    func `packed samples are read as they were`(seed: UInt64) throws {
        var random = RandomSamples(seed: seed)
        let samples = random.samples(upTo: 300).sorted { $0.at < $1.at }
        let packed = try Self.packed(samples)
        #expect(packed.times == samples.map(\.at))
        #expect(packed.states(0..<samples.count) == samples.map(\.state))
        let low = random.random.number(below: samples.count + 1)
        let places = low..<low + random.random.number(below: samples.count - low + 1)
        let some = samples[places].map {
            $0.state.filter { $0.key == "a" || $0.key.utf8.elementsEqual("é".utf8) }
        }
        #expect(packed.states(places, only: ["a", "é"]) == some)
    }

    @Test(arguments: [
        [0.1, 21.53, -7], [1e300, -1e-300, 0.1 + 0.2], [9_007_199_254_740_992, -9_007_199_254_740_992, 0.5],
        [.greatestFiniteMagnitude, .leastNonzeroMagnitude, 1.0 / 3],
    ])
    func `numbers keep every bit`(numbers: [Double]) throws {
        let samples = numbers.enumerated().map { Sample(["n": .number($1)], at: Int64($0)) }
        let packed = try Self.packed(samples)
        #expect(packed.states(0..<samples.count) == samples.map(\.state))
    }

    @Test func `a hundred fields are packed, whatever they are called`() throws {
        let samples = (0..<20).map { number in
            Sample(
                JSONObject((0..<100).map { ("field \($0 * number)", .number(Double($0))) }),
                at: Int64(number)
            )
        }
        let packed = try Self.packed(samples)
        #expect(packed.states(0..<20) == samples.map(\.state))
        #expect(packed.states(3..<4, only: ["field 297"]) == [["field 297": 99]])
    }

    @Test func `samples of a second need few bytes`() throws {
        var random = SplitMix64(seed: 1)
        var temperature = 215
        let samples = (0..<100).map { number in
            temperature += random.number(below: 3) - 1
            return Sample(
                ["temperature": .number(Double(temperature) / 10), "humidity": 41, "on": .bool(number > 50)],
                at: 1_760_000_000_000 + Int64(number) * 1000 + Int64(random.number(below: 20))
            )
        }
        #expect(PackedSamples.bytes(of: samples).map(\.count) ?? .max < 400)
    }

    @Test(arguments: [UInt64](1...40))
    func `stored sums are read as they were`(seed: UInt64) throws {
        var random = RandomSamples(seed: seed)
        var sums = GroupSums()
        for sample in random.samples(upTo: 50) { sums.add(sample.state, at: sample.at) }
        if random.random.chance(2) {
            for number in [1e308, 1e308, -5, 0.1] { sums.add(["a": .number(number)], at: -3) }
            for number in 0..<80 { sums.add(["\(number)": true], at: 1) }
        }
        let read = try #require(StoredSums.sums(in: StoredSums.bytes(of: sums)))
        #expect(read.count == sums.count && read.isCut == sums.isCut)
        #expect(read.fields.map(\.name) == sums.fields.map(\.name))
        for field in sums.fields.map(\.name) {
            for function in ["count", "mean", "sum", "min", "max"] {
                let aggregation = try Aggregation(argument: "\(function):\(field)")
                #expect(aggregation.result(in: read) == aggregation.result(in: sums))
            }
        }
    }

    @Test func `packed sums are in order, and those of one place merged`() throws {
        let sums = (0..<4).map { number in
            var sums = GroupSums()
            sums.add(["n": JSONValue(number)], at: Int64(number))
            return sums
        }
        let groups = zip([5, 0, 15, 5] as [Int64], sums).map {
            PackedSums.Group(place: $0, bytes: StoredSums.bytes(of: $1)[...])
        }
        let read = Array(PackedSums(PackedSums.bytes(of: groups)))
        #expect(read.map(\.place) == [0, 5, 15])
        var both = sums[0]
        both.merge(sums[3])
        #expect(read.map { StoredSums.sums(in: $0.bytes) } == [sums[1], both, sums[2]])
    }

    @Test func `what could not be unpacked again is not packed`() {
        #expect(Deflate.compressed([UInt8](repeating: 0, count: 11), most: 10) == nil)
        #expect(Deflate.compressed([UInt8](repeating: 0, count: 10), most: 10) != nil)
    }

    @Test func `no bytes trap`() throws {
        var random = RandomSamples(seed: 2)
        var sums = GroupSums()
        let samples = random.samples(upTo: 60).sorted { $0.at < $1.at }
        for sample in samples { sums.add(sample.state, at: sample.at) }
        let packed = try #require(PackedSamples.bytes(of: samples))
        let stored = StoredSums.bytes(of: sums)
        let row = PackedSums.bytes(of: [3, 1, 3].map { PackedSums.Group(place: $0, bytes: stored[...]) })
        var fuzz = Fuzz(seed: 3, corpus: [stored, row, packed])
        for _ in 0..<Fuzz.count / 10 {
            let bytes = fuzz.next()
            _ = StoredSums.sums(in: bytes)
            for group in PackedSums(bytes) { _ = StoredSums.sums(in: group.bytes) }
            guard let samples = PackedSamples(bytes) else { continue }
            _ = samples.states(0..<samples.times.count)
        }
        // Those that are compressed rightly, and have another content.
        var reader = ByteReader(packed)
        let (count, compressed) = (reader.count(), reader.list())
        let plain = Deflate.expanded(try #require(compressed), count: try #require(count))
        var inner = Fuzz(seed: 4, corpus: [try #require(plain)])
        for _ in 0..<Fuzz.count / 20 {
            let bytes = inner.next()
            var writer = ByteWriter()
            writer.write(count: bytes.count)
            writer.write(Deflate.compressed(bytes) ?? [])
            guard let samples = PackedSamples(writer.bytes) else { continue }
            _ = samples.states(0..<samples.times.count)
            _ = samples.states(0..<samples.times.count, only: ["a"])
        }
    }
}
