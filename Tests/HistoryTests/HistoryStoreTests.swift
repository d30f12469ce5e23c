import Bindings
import Foundation
import JSON
import OperatingSystem
import People
import SeededRandom
import TestSupport
import Testing
import Threading

@testable import History

struct HistoryStoreTests {
    private static let first = TestHistory.things[0]

    @Test(arguments: [UInt64](1...12))
    func `packed and unpacked samples answer as a plain list does`(seed: UInt64) async throws {
        var random = RandomSamples(seed: seed)
        try await withHistory(interval: random.random.chance(2) ? .minute : .quarterHour) { history in
            for _ in 0..<30 {
                let thing = random.random.pick(TestHistory.things, else: Self.first)
                switch random.random.number(below: 8) {
                case 0: await history.store.packNow()
                case 1: try await history.reopen()
                case 2: await history.store.flush()
                case 3:
                    history.pass(700_000)
                    await history.store.flush()
                default: history.record(random.samples(upTo: 60), of: thing)
                }
                for _ in 0..<3 {
                    let query = try random.query()
                    let expected = try history.expected(query, of: thing)
                    #expect(try await history.json(query, of: thing) == expected)
                }
            }
            #expect(history.reported == [])
        }
    }

    @Test func `pages follow one another though samples are packed in between`() async throws {
        try await withHistory { history in
            // Three of each time.
            history.record(TestHistory.seconds(400) + TestHistory.seconds(400) + TestHistory.seconds(400))
            var results: [JSONValue] = []
            var position: HistoryPosition?
            repeat {
                let answer = try await history.json(try HistoryQuery(limit: 100, from: position))
                results += answer["results"]?.array ?? []
                position = answer["nextPaginationKey"]?.string.flatMap { HistoryPosition($0) }
                await history.store.packNow()
            } while position != nil
            let all = (history.list[Self.first] ?? []).sorted { $0.at < $1.at }
            #expect(results == all.map { HistoryAnswer.result($0.state, at: $0.at) })
        }
    }

    @Test(arguments: [UInt64](1...6))
    func `samples that are too many for one row are packed in several`(seed: UInt64) async throws {
        var random = RandomSamples(seed: seed)
        try await withHistory { history in
            for thing in TestHistory.things { history.record(random.samples(upTo: 100), of: thing) }
            history.record(TestHistory.seconds(100))
            await history.store.close()
            let file = try HistoryFile(history.path, at: TestHistory.start)
            file.packedBytes = 200
            try file.pack(at: TestHistory.start)
            #expect(file.rounds.count > 5)
            #expect(Set(file.rounds.map(\.number)).count == file.rounds.count)
            file.close()
            try await history.reopen()
            for _ in 0..<20 {
                let thing = random.random.pick(TestHistory.things, else: Self.first)
                let query = try random.query()
                let expected = try history.expected(query, of: thing)
                #expect(try await history.json(query, of: thing) == expected)
            }
            #expect(history.reported == [])
        }
    }

    @Test func `a crash loses no sample that was confirmed`() async throws {
        try await withHistory { history in
            let copies = Locked<[(path: String, count: Int)]>([])
            for number in 1...6 {
                // On the store's thread, which writes nothing meanwhile: what a killed process leaves.
                history.record(TestHistory.seconds(100, from: TestHistory.start + Int64(number) * 100_000)) {
                    [path = history.path] in
                    #expect($0)
                    let copy = path + ".copy\(number)"
                    for suffix in ["", "-wal"] {
                        try? FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
                    }
                    copies.withLock { $0.append((copy, number * 100)) }
                }
                await history.store.flush()
                if number % 2 == 0 { await history.store.packNow() }
            }
            let made = copies.withLock { $0 }
            #expect(made.count == 6)
            for (path, count) in made {
                let copy = try TestHistory(path)
                let times = TestHistory.start...TestHistory.start + 59 * 60_000
                let query = try HistoryQuery.grouped(times, ["count:t"])
                let counts = try await copy.json(query)["groupedResults"]?.array?.compactMap {
                    $0["aggregations"]?.array?.first?["value"]?.integer
                }
                #expect(counts?.reduce(0, +) == count)
                #expect(try await copy.json(try HistoryQuery())["results"]?.array?.count == count)
                await copy.store.close()
            }
        }
    }

    @Test(.timeLimit(.minutes(1))) func `a sample is stored although nobody asks for it`() async throws {
        try await withHistory { history in
            let isStored = await withCheckedContinuation { stored in
                history.record(TestHistory.seconds(1)) { stored.resume(returning: $0) }
            }
            #expect(isStored)
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `samples that go on are stored together, and a query and the end store them at once`() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path("history.db")
            let store = try HistoryStore(
                path,
                pace: StoringPace(spacing: .seconds(3600)),
                clock: { TestHistory.start },
                report: { _ in }
            )
            func record(_ numbers: Range<Int>) {
                for number in numbers {
                    let sample = Sample(["t": JSONValue(number)], at: TestHistory.start + Int64(number))
                    store.record([sample], of: TestHistory.things[0], .minute)
                }
            }
            func samples(_ store: HistoryStore) async throws -> Int? {
                let answer = try HistoryAnswer(to: HistoryQuery(), of: .minute)
                return try await store.json(answer, of: TestHistory.things[0])["results"]?.array?.count
            }
            await withCheckedContinuation { stored in
                let sample = Sample(["t": 0], at: TestHistory.start)
                store.record([sample], of: TestHistory.things[0], .minute) { _ in stored.resume() }
            }
            let size = FileStatus(path: path + "-wal")?.size
            record(1..<401)
            // On the store's thread, behind whatever these have begun.
            _ = try await store.perform { _ in true }
            #expect(FileStatus(path: path + "-wal")?.size == size, "nothing was written for each of them")
            #expect(try await samples(store) == 401)
            record(401..<500)
            await store.close()
            let again = try HistoryStore(path, clock: { TestHistory.start }, report: { _ in })
            #expect(try await samples(again) == 500)
            await again.close()
        }
    }

    @Test func `only its owner may read the files`() async throws {
        try await withHistory { history in
            history.record(TestHistory.seconds(1))
            await history.store.flush()
            for file in [history.path, history.path + "-wal"] {
                let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions]
                #expect(mode as? Int == 0o600)
            }
        }
    }

    @Test func `a thing without samples has an empty answer`() async throws {
        try await withHistory { history in
            let answer = try await history.json(try HistoryQuery())
            #expect(answer == ["results": []])
        }
    }

    @Test func `what is forgotten is gone, and the history of others stays`() async throws {
        try await withHistory { history in
            let (gone, other) = (TestHistory.things[0], TestHistory.things[1])
            for thing in [gone, other] { history.record(TestHistory.seconds(50), of: thing) }
            await history.store.packNow()
            for thing in [gone, other] {
                history.record(TestHistory.seconds(50, from: TestHistory.start + 50_000), of: thing)
            }
            try await history.store.remove(gone)
            history.forget(gone)
            for _ in 0..<2 {
                for thing in [gone, other] {
                    let expected = try history.expected(try HistoryQuery(), of: thing)
                    #expect(try await history.json(try HistoryQuery(), of: thing) == expected)
                }
                try await history.reopen()
            }
            // It begins again with nothing of what was there.
            history.record(TestHistory.seconds(3), of: gone)
            let query = try HistoryQuery.grouped(
                TestHistory.start...TestHistory.start + 59 * 60_000,
                ["count:t"]
            )
            for thing in [gone, other] {
                let expected = try history.expected(query, of: thing)
                #expect(try await history.json(query, of: thing) == expected)
            }
        }
    }

    @Test(.timeLimit(.minutes(1))) func `a sample after the removal of its thing begins no history`()
        async throws
    {
        try await withHistory { history in
            history.record(TestHistory.seconds(5))
            try await history.store.remove(Self.first)
            let isStored = await withCheckedContinuation { stored in
                history.record(TestHistory.seconds(1)) { stored.resume(returning: $0) }
            }
            #expect(!isStored)
            #expect(history.store.droppedSamples == 0)
            #expect(try await history.json(try HistoryQuery()) == ["results": []])
        }
    }

    @Test func `samples wait up to a number of bytes, too`() {
        var waiting = WaitingSamples()
        let text = JSONValue.string(String(repeating: "x", count: 1 << 20))
        let sample = HistoryFile.NewSample(thing: Self.first, interval: .minute, at: 0, state: ["t": text])
        func add() -> WaitingSamples.Addition {
            waiting.add([sample], sample.state.estimatedBytes, of: Self.first)
        }
        // Each has a few bytes more than a mebibyte.
        for _ in 0..<63 { #expect(add() == .added) }
        #expect(add() == .dropped)
        // What could not be stored counts as before.
        let failed = waiting.take()
        waiting.putBack(failed)
        #expect(add() == .dropped)
        #expect(waiting.dropped == 2)
        #expect(waiting.takeUnreported() == 2)
        _ = waiting.take()
        #expect(add() == .added)
    }

    @Test(.timeLimit(.minutes(1))) func `a closed history takes no samples`() async throws {
        try await withHistory { history in
            await history.store.close()
            for _ in 0..<2 {
                let isStored = await withCheckedContinuation { stored in
                    history.record(TestHistory.seconds(1)) { stored.resume(returning: $0) }
                }
                #expect(!isStored)
            }
            await #expect(throws: HistoryError.self) { try await history.json(try HistoryQuery()) }
        }
    }

    @Test func `a thing with another interval begins again`() async throws {
        try await withHistory { history in
            history.record(TestHistory.seconds(50))
            await history.store.packNow()
            history.store.record(TestHistory.seconds(2), of: Self.first, .hour)
            let all = try HistoryAnswer(to: try HistoryQuery(), of: .hour)
            #expect(try await history.store.json(all, of: Self.first)["results"]?.array?.count == 2)
        }
    }

    @Test(arguments: ["1e17", "100000000000000000", "9007199254740992", "-12345678901234567890", "1e300"])
    func `a large number is given with its sample, however it is written`(text: String) async throws {
        try await withHistory { history in
            let state = try #require(JSONValue(parsing: "{\"t\":\(text)}").object)
            history.record([Sample(state, at: TestHistory.start)])
            let times = TestHistory.start...TestHistory.start + 59_999
            let query = try HistoryQuery.grouped(times, ["max:t", "min:t"])
            for _ in 0..<2 {
                let group = try await history.json(query)["groupedResults"]?.array?.first
                let objects = group?["aggregations"]?.array?.map { $0["object"]?["_created"] }
                #expect(objects == [JSONValue(Int(TestHistory.start)), JSONValue(Int(TestHistory.start))])
                await history.store.packNow()
            }
        }
    }

    @Test func `the first with the least value is given with it, packed or not`() async throws {
        try await withHistory { history in
            let states: [JSONObject] = [["t": 3, "n": 1], ["t": 2, "n": 2], ["t": 2, "n": 3]]
            let time = TestHistory.start
            history.record(states.enumerated().map { Sample($1, at: time + Int64($0)) })
            let query = try HistoryQuery.grouped(time...time + 59_999, ["min:t"])
            for _ in 0..<2 {
                let group = try await history.json(query)["groupedResults"]?.array?.first
                let object = group?["aggregations"]?.array?.first?["object"]
                #expect(object == ["t": 2, "n": 2, "_created": JSONValue(Int(time + 1))])
                await history.store.packNow()
            }
        }
    }
}
