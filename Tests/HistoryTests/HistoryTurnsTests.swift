import Bindings
import JSON
import People
import SeededRandom
import TestSupport
import Testing
import Threading

@testable import History

struct HistoryTurnsTests {
    private static let thing = TestHistory.things[0]

    private static func new(_ samples: [Sample]) -> [HistoryFile.NewSample] {
        samples.map { HistoryFile.NewSample(thing: thing, interval: .minute, at: $0.at, state: $0.state) }
    }

    private static func reading(_ query: HistoryQuery, _ file: HistoryFile) throws -> HistoryReading {
        let empty = try HistoryAnswer(to: query, of: .minute)
        return try HistoryReading(empty, of: thing, in: file, findingSamples: true)
    }

    /// The JSON of a complete answer.
    private static func json(_ reading: HistoryReading) -> JSONObject {
        let found = reading.found
        return reading.answer.json { at, field, value in
            found[WantedSample(at: at, field: field, value: value)]
        }
    }

    /// A history that changes, beside a plain list of what it got.
    private struct Changing {
        let file: HistoryFile
        var random: RandomSamples
        var list: [Sample] = []

        mutating func change() throws {
            switch random.random.number(below: 5) {
            case 0: try file.pack(at: TestHistory.start)
            case 1: try file.storeSums()
            case 2: _ = try file.packSums(at: TestHistory.start + 5_000_000)
            default:
                let samples = random.samples(upTo: 16)
                try file.store(HistoryTurnsTests.new(samples), at: TestHistory.start)
                list += samples
            }
        }
    }

    @Test(arguments: [UInt64](1...12))
    func `nothing that comes between turns changes an answer`(seed: UInt64) async throws {
        try await withTemporaryFolder { folder in
            let file = try HistoryFile(folder.path("history.db"), at: TestHistory.start)
            defer { file.close() }
            // So that a thing has several blocks.
            file.packedBytes = 1000
            var history = Changing(file: file, random: RandomSamples(seed: seed))
            for _ in 0..<12 {
                for _ in 0..<4 { try history.change() }
                let query = try history.random.query()
                let expected = try TestHistory.answer(to: query, of: .minute, from: history.list)
                var reading = try Self.reading(query, file)
                let limits = ReadingTurn.Limits(samples: 1 + history.random.random.number(below: 20))
                var turns = 0
                while try !reading.work(ReadingTurn(limits)) {
                    turns += 1
                    if turns <= 8 { try history.change() }
                }
                #expect(Self.json(reading) == expected)
            }
        }
    }

    @Test(arguments: [true, false])
    func `pages that each take turns lose and repeat nothing`(isPacked: Bool) async throws {
        try await withTemporaryFolder { folder in
            let file = try HistoryFile(folder.path("history.db"), at: TestHistory.start)
            defer { file.close() }
            // Three of each time.
            let samples = (0..<3).flatMap { _ in TestHistory.seconds(60) }
            try file.store(Self.new(samples), at: TestHistory.start)
            if isPacked { try file.pack(at: TestHistory.start) }
            var results: [JSONValue] = []
            var position: HistoryPosition?
            repeat {
                var reading = try Self.reading(try HistoryQuery(limit: 50, from: position), file)
                while try !reading.work(ReadingTurn(ReadingTurn.Limits(samples: 20))) {
                    try file.pack(at: TestHistory.start)
                }
                let answer = Self.json(reading)
                results += answer["results"]?.array ?? []
                position = answer["nextPaginationKey"]?.string.flatMap { HistoryPosition($0) }
            } while position != nil
            let all = samples.sorted { $0.at < $1.at }
            #expect(results == all.map { HistoryAnswer.result($0.state, at: $0.at) })
        }
    }

    @Test func `a turn looks at so many samples and ends`() async throws {
        try await withTemporaryFolder { folder in
            let file = try HistoryFile(folder.path("history.db"), at: TestHistory.start)
            defer { file.close() }
            try file.store(Self.new(TestHistory.seconds(100)), at: TestHistory.start)
            for _ in 0..<2 {
                var reading = try Self.reading(try HistoryQuery(), file)
                let limits = ReadingTurn.Limits(samples: 10, time: .seconds(3600))
                var turns = 1
                while try !reading.work(ReadingTurn(limits)) {
                    #expect(reading.answer.json()["results"]?.array?.count == turns * 10)
                    turns += 1
                }
                #expect(turns == 10 || turns == 11)
                try file.pack(at: TestHistory.start)
            }
            // Without any time, too, it comes to an end.
            var reading = try Self.reading(try HistoryQuery(), file)
            while try !reading.work(ReadingTurn(ReadingTurn.Limits(time: .zero))) {}
            #expect(reading.answer.json()["results"]?.array?.count == 100)
        }
    }

    @Test func `what is removed between turns is missing, and nothing else takes its place`() async throws {
        try await withTemporaryFolder { folder in
            let file = try HistoryFile(folder.path("history.db"), at: TestHistory.start)
            defer { file.close() }
            let samples = TestHistory.seconds(700)
            try file.store(Self.new(samples), at: TestHistory.start)
            try file.pack(at: TestHistory.start + 700_000)
            var reading = try Self.reading(try HistoryQuery(), file)
            let isDone = try reading.work(ReadingTurn(ReadingTurn.Limits(samples: 1)))
            #expect(!isDone)
            var limits = HistoryLimits()
            limits.rawDays = 1
            _ = try file.trim(limits, at: TestHistory.start + 3 * 86_400_000)
            #expect(file.rounds.isEmpty)
            file.cache = PackedCache()
            // The first round after that.
            let later = samples.map { Sample(["later": true], at: $0.at) }
            try file.store(Self.new(later), at: TestHistory.start)
            try file.pack(at: TestHistory.start)
            while try !reading.work(ReadingTurn()) {}
            let results = try #require(reading.answer.json()["results"]?.array)
            #expect(results.count < 700 && results.allSatisfy { $0["later"] == nil })
            #expect(try file.truncation(of: reading.answer, of: Self.thing) != nil)
        }
    }

    @Test func `of a thing that is removed between turns nothing is told`() async throws {
        try await withTemporaryFolder { folder in
            let file = try HistoryFile(folder.path("history.db"), at: TestHistory.start)
            defer { file.close() }
            try file.store(Self.new(TestHistory.seconds(100)), at: TestHistory.start)
            var reading = try Self.reading(try HistoryQuery(), file)
            let isDone = try reading.work(ReadingTurn(ReadingTurn.Limits(samples: 1)))
            #expect(!isDone)
            try file.remove(Self.thing)
            try file.store(Self.new(TestHistory.seconds(2)), at: TestHistory.start)
            while try !reading.work(ReadingTurn()) {}
            #expect(Self.json(reading) == ["results": []])
        }
    }

    @Test(.timeLimit(.minutes(1))) func `a long query lets others and the storing of samples come between`()
        async throws
    {
        try await withHistory { history in
            let other = TestHistory.things[1]
            history.record(TestHistory.seconds(60))
            history.record(TestHistory.seconds(3), of: other)
            let (long, short) = (
                try history.expected(try HistoryQuery()), try history.expected(try HistoryQuery(), of: other)
            )
            let (store, between) = (history.store, Locked<[JSONObject?]>([]))
            let empty = try HistoryAnswer(to: try HistoryQuery(), of: .minute)
            await store.useTurns(ReadingTurn.Limits(samples: 25, time: .seconds(3600))) {
                let isStored = await withCheckedContinuation { stored in
                    store.record(TestHistory.seconds(1), of: Self.thing, .minute) {
                        stored.resume(returning: $0)
                    }
                }
                await store.packNow()
                let answer = try? await store.json(empty, of: other)
                between.withLock { $0.append(isStored ? answer : nil) }
            }
            let answer = try await store.json(empty, of: Self.thing)
            #expect(answer == long)
            let meanwhile = between.withLock { $0 }
            #expect(meanwhile == [short, short])
        }
    }

    @Test func `queries that take turns are all answered`() async throws {
        try await withHistory { history in
            for thing in TestHistory.things { history.record(TestHistory.seconds(30), of: thing) }
            let expected = try history.expected(try HistoryQuery())
            let store = history.store
            let empty = try HistoryAnswer(to: try HistoryQuery(), of: .minute)
            await store.useTurns(ReadingTurn.Limits(samples: 10, time: .seconds(3600)))
            try await withThrowingTaskGroup(of: JSONObject.self) { group in
                for thing in TestHistory.things {
                    group.addTask { try await store.json(empty, of: thing) }
                }
                for try await answer in group { #expect(answer == expected) }
            }
        }
    }

    // MARK: Clauses

    @Test(arguments: [UInt64](1...20))
    func `a clause with numbered fields is met by the same samples`(seed: UInt64) throws {
        var random = RandomSamples(seed: seed)
        var samples = random.samples(upTo: 60).sorted { $0.at < $1.at }
        // Some fields have no column then.
        if random.random.chance(2) {
            let many = JSONObject((0..<80).map { ("a\($0)", JSONValue($0)) })
            samples.insert(Sample(many, at: TestHistory.start), at: 0)
        }
        let packed = try #require(PackedSamples.bytes(of: samples).flatMap { PackedSamples($0) })
        for _ in 0..<20 {
            let parts = (0..<3).map { _ in random.clause() }
            let clause = StateClause.or([
                parts[0], .and([parts[1], .time(random.times())]),
                .and([.not(parts[2]), .equals("a79", 79)]),
            ])
            let numbered = NumberedClause(clause)
            let values = try #require(packed.values(0..<samples.count, of: numbered.fields))
            for (index, sample) in samples.enumerated() {
                let isMet = numbered.matches(at: sample.at) { values[$0][index] }
                #expect(isMet == clause.matches(sample.state, at: sample.at))
                #expect(isMet == numbered.matches(sample))
            }
        }
    }

    @Test func `sums are read of the fields that are asked for, and of all if some are left out`() throws {
        var sums = GroupSums()
        sums.add(["a": 1, "b": 2, "e\u{301}": 3], at: TestHistory.start)
        let names = ["b", "é"].map { Array($0.utf8) }
        let some = try #require(StoredSums.sums(in: StoredSums.bytes(of: sums), only: names))
        #expect(some.count == 1 && some.fields.map(\.name) == ["b"] && some["b"] == sums["b"])
        sums.add(JSONObject((0..<80).map { ("n\($0)", JSONValue($0)) }), at: TestHistory.start)
        #expect(StoredSums.sums(in: StoredSums.bytes(of: sums), only: names) == sums)
    }
}
