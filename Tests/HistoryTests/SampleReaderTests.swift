import Bindings
import JSON
import People
import TestSupport
import Testing

@testable import History

struct SampleReaderTests {
    /// Ten rounds of a hundred samples, and in the last one a sample of the very beginning.
    private static func rounds(in folder: TemporaryFolder) throws -> HistoryFile {
        let file = try HistoryFile(folder.path("history.db"), at: TestHistory.start)
        for round in 0..<10 {
            let start = TestHistory.start + Int64(round) * 100_000
            var samples = TestHistory.seconds(100, from: start)
            if round == 9 { samples.append(Sample(["late": true], at: TestHistory.start + 1)) }
            let new = samples.map {
                HistoryFile.NewSample(
                    thing: TestHistory.things[0],
                    interval: .minute,
                    at: $0.at,
                    state: $0.state
                )
            }
            try file.store(new, at: start + 100_000)
            try file.pack(at: start + 100_000)
        }
        return file
    }

    private static func read(_ file: HistoryFile, _ query: HistoryQuery) throws -> (JSONObject, Set<Int64>) {
        let empty = try HistoryAnswer(to: query, of: .minute)
        file.cache = PackedCache()
        var reading = try HistoryReading(empty, of: TestHistory.things[0], in: file, findingSamples: true)
        while try !reading.work(ReadingTurn()) {}
        return (reading.answer.json(), Set(file.cache.samples.keys))
    }

    @Test func `a late sample does not make a page read all blocks`() async throws {
        try await withTemporaryFolder { folder in
            let file = try Self.rounds(in: folder)
            defer { file.close() }
            let number = try #require(file.things[TestHistory.things[0]]).number
            let (first, last) = (ThingKey.packed(1, number), ThingKey.packed(10, number))
            let (json, keys) = try Self.read(file, try HistoryQuery(limit: 10))
            let times = json["results"]?.array?.compactMap { $0["_created"]?.integer }
            let start = Int(TestHistory.start)
            #expect(times == [start, start + 1] + (1..<9).map { start + $0 * 1000 })
            #expect(keys == [first, last])
            // The next page, too.
            let position = try #require(json["nextPaginationKey"]?.string.flatMap { HistoryPosition($0) })
            let (next, nextKeys) = try Self.read(file, try HistoryQuery(limit: 10, from: position))
            #expect(next["results"]?.array?.count == 10)
            #expect(nextKeys == [first, last])
        }
    }

    @Test(arguments: [true, false])
    func `many samples are found at the cost of one reading`(isPacked: Bool) async throws {
        try await withTemporaryFolder { folder in
            let file = try HistoryFile(folder.path("history.db"), at: TestHistory.start)
            defer { file.close() }
            let (thing, count) = (TestHistory.things[0], 600)
            let samples = (0..<count).map { number in
                let state = JSONObject(
                    (0..<10).map { ("f\($0)", JSONValue((number * ($0 + 7)) % 100)) }
                )
                // Two of each time.
                return Sample(state, at: TestHistory.start + Int64(number / 2) * 1000)
            }
            let new = samples.map {
                HistoryFile.NewSample(thing: thing, interval: .minute, at: $0.at, state: $0.state)
            }
            try file.store(new, at: TestHistory.start)
            if isPacked { try file.pack(at: TestHistory.start) }
            let wanted = samples.reduce(into: Set<WantedSample>()) { wanted, sample in
                for (field, value) in sample.state {
                    wanted.insert(WantedSample(at: sample.at, field: field, value: value))
                }
            }
            let number = try #require(file.things[thing]).number
            let view = file.view(of: number)
            let (found, decoded) = try file.read { database in
                let source = SampleSource(view: view, file: file, database: database)
                var finder = try SampleFinder(wanted, source)
                var isDone = false
                while !isDone {
                    var turn = ReadingTurn(ReadingTurn.Limits(samples: 100))
                    isDone = try finder.look(source, &turn)
                }
                return (finder.found, finder.decoded)
            }
            #expect(found.count == wanted.count && decoded <= count)
            for (sample, state) in found {
                #expect(state == samples.first { $0.at == sample.at && sample.isIn($0.state) }?.state)
            }
        }
    }

    @Test func `unpacked samples are kept as long as there is room`() throws {
        let samples = TestHistory.seconds(100)
        let packed = try #require(PackedSamples.bytes(of: samples).flatMap { PackedSamples($0) })
        var cache = PackedCache(room: packed.bytes * 2)
        for key in Int64(1)...5 {
            cache.insert(packed, for: key)
            #expect(Set(cache.samples.keys) == Set(max(1, key - 1)...key))
        }
        var small = PackedCache(room: 1)
        for key in Int64(1)...2 { small.insert(packed, for: key) }
        #expect(Set(small.samples.keys) == [2])
    }
}
