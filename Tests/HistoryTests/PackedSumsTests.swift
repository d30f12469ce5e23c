import Bindings
import GRDB
import JSON
import People
import SeededRandom
import TestSupport
import Testing

@testable import History

struct PackedSumsTests {
    /// Things with other intervals, beside a plain list of what each has reported.
    private struct Reported {
        static let intervals: [GroupInterval] = [.minute, .quarterHour, .minute]

        let path: String
        var file: HistoryFile
        var lists: [BindingID: [Sample]] = [:]

        init(_ path: String) throws {
            self.path = path
            file = try HistoryFile(path, at: TestHistory.start)
        }

        static func interval(of thing: BindingID) -> GroupInterval {
            TestHistory.things.firstIndex(of: thing).map { intervals[$0] } ?? .minute
        }

        mutating func reopen() throws {
            file.close()
            file = try HistoryFile(path, at: TestHistory.start)
        }

        mutating func add(_ samples: [Sample], of thing: BindingID = TestHistory.things[0]) throws {
            lists[thing, default: []] += samples
            let interval = Self.interval(of: thing)
            let new = samples.map {
                HistoryFile.NewSample(thing: thing, interval: interval, at: $0.at, state: $0.state)
            }
            try file.store(new, at: TestHistory.start)
        }

        /// Packs all groups that are long over.
        func packAll() throws {
            try file.storeSums()
            while try file.packSums(at: TestHistory.start + 3 * 86_400_000) {}
        }

        func json(_ query: HistoryQuery, of thing: BindingID = TestHistory.things[0]) throws -> JSONObject {
            let empty = try HistoryAnswer(to: query, of: Self.interval(of: thing))
            var reading = try HistoryReading(empty, of: thing, in: file, findingSamples: true)
            while try !reading.work(ReadingTurn()) {}
            let found = reading.found
            let truncated = try file.truncation(of: reading.answer, of: thing)
            return reading.answer.json(truncatedBefore: truncated) { at, field, value in
                found[WantedSample(at: at, field: field, value: value)]
            }
        }

        func expected(_ query: HistoryQuery, of thing: BindingID = TestHistory.things[0]) throws
            -> JSONObject
        {
            try TestHistory.answer(to: query, of: Self.interval(of: thing), from: lists[thing] ?? [])
        }

        func count(_ table: String) throws -> Int {
            try file.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") } ?? -1
        }
    }

    private static func withReported(_ body: (inout Reported) throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            var reported = try Reported(folder.path("history.db"))
            defer { reported.file.close() }
            try body(&reported)
        }
    }

    /// The groups of the first hour.
    private static func hour(_ aggregations: String...) throws -> HistoryQuery {
        try .grouped(TestHistory.start...TestHistory.start + 3_539_999, aggregations)
    }

    @Test(arguments: [UInt64](1...20))
    func `packed sums answer as a plain list does, whenever they are packed`(seed: UInt64) async throws {
        var random = RandomSamples(seed: seed)
        try await Self.withReported { reported in
            for _ in 0..<60 {
                // So that packing stops anywhere.
                let (rows, things) = (random.random.number(below: 40), random.random.number(below: 2))
                reported.file.packing = (rows: 1 + rows, things: 1 + things)
                switch random.random.number(below: 8) {
                case 0: try reported.reopen()
                case 1: try reported.file.storeSums()
                case 2: try reported.file.pack(at: TestHistory.start)
                case 3, 4:
                    let now = TestHistory.start + Int64(random.random.number(below: 30_000_000))
                    _ = try reported.file.packSums(at: now)
                default:
                    let thing = random.random.pick(TestHistory.things, else: TestHistory.things[0])
                    try reported.add(random.samples(upTo: 30), of: thing)
                }
                for thing in TestHistory.things {
                    let query = try random.query()
                    let expected = try reported.expected(query, of: thing)
                    #expect(try reported.json(query, of: thing) == expected)
                }
            }
        }
    }

    @Test func `the groups of a thing are in a few rows, and late ones join them`() async throws {
        try await Self.withReported { reported in
            try reported.add(TestHistory.seconds(3600))
            try reported.packAll()
            #expect(try reported.count("sums") == 0)
            let rows = try reported.count("packed_sums")
            #expect(rows == 5)
            // One of each minute.
            let minutes = (Int64(0)..<60).map { TestHistory.start + $0 * 60_000 + 7 }
            try reported.add(minutes.map { Sample(["t": 100], at: $0) })
            try reported.file.storeSums()
            #expect(try reported.count("sums") == 0)
            #expect(try reported.count("packed_sums") == rows)
            let query = try Self.hour("mean:t", "max:t", "count:t")
            let expected = try reported.expected(query)
            #expect(try reported.json(query) == expected)
            try reported.reopen()
            #expect(try reported.json(query) == expected)
        }
    }

    @Test func `what is not long over is not packed`() async throws {
        try await Self.withReported { reported in
            try reported.add(TestHistory.seconds(60))
            try reported.file.storeSums()
            let isMore = try reported.file.packSums(at: TestHistory.start + 60_000)
            #expect(!isMore)
            #expect(try reported.count("sums") == 1)
            #expect(try reported.count("packed_sums") == 0)
        }
    }

    @Test func `a store packs what is due by itself`() async throws {
        try await withHistory { history in
            history.record(TestHistory.seconds(3600))
            history.pass(86_400_000)
            try await history.reopen()
            // That comes after its first upkeep.
            await history.store.flush()
            await history.store.close()
            let file = try HistoryFile(history.path, at: TestHistory.start)
            defer { file.close() }
            let count = try file.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM packed_sums") }
            #expect(count == 5)
        }
    }

    @Test func `a step packs about as much as it may`() async throws {
        try await Self.withReported { reported in
            for thing in TestHistory.things { try reported.add(TestHistory.seconds(3600), of: thing) }
            try reported.file.storeSums()
            reported.file.packing = (rows: 10, things: 1)
            var left = try reported.count("sums")
            #expect(left > 120)
            while try reported.file.packSums(at: TestHistory.start + 86_400_000) {
                let now = try reported.count("sums")
                #expect(left - now <= Int(PackedSums.groups))
                left = now
            }
            #expect(try reported.count("sums") == 0)
        }
    }

    @Test func `packed sums of a thing that is gone go`() async throws {
        try await Self.withReported { reported in
            for thing in TestHistory.things.prefix(2) {
                try reported.add(TestHistory.seconds(3600), of: thing)
            }
            try reported.packAll()
            let (gone, other) = (TestHistory.things[0], TestHistory.things[1])
            let number = try #require(reported.file.things[gone]).number
            try reported.file.remove(gone)
            // It begins again before its rows are gone.
            reported.lists[gone] = nil
            try reported.add(TestHistory.seconds(5), of: gone)
            try reported.packAll()
            var removal: HistoryFile.Removal? = HistoryFile.Removal(of: number)
            while let next = removal { removal = try reported.file.removeRows(next) }
            // One of the thing that began again, and those of the other one.
            #expect(try reported.count("packed_sums") == 2)
            for thing in [gone, other] {
                let query = try Self.hour("count:t", "mean:t")
                let expected = try reported.expected(query, of: thing)
                #expect(try reported.json(query, of: thing) == expected)
            }
        }
    }

    @Test func `packed sums that are too old go with their row, and nothing older is told then`()
        async throws
    {
        try await Self.withReported { reported in
            try reported.add(TestHistory.seconds(3600))
            // Their row ends behind those of the others.
            try reported.add(TestHistory.seconds(7200), of: TestHistory.things[1])
            try reported.packAll()
            var limits = HistoryLimits()
            (limits.rawDays, limits.groupDays) = (1, 2)
            let day: Int64 = 86_400_000
            let query = try Self.hour("count:t")
            let before = try reported.json(query)
            let rows = try reported.count("packed_sums")
            let start = GroupInterval.minute.start(of: TestHistory.start)
            let firstEnd = PackedSums.end(of: start, .minute)
            // Until the last group of the row is too old, all are told.
            while try reported.file.trim(limits, at: firstEnd + 2 * day) {}
            #expect(try reported.count("packed_sums") == rows)
            #expect(try reported.json(query) == before)
            let end = firstEnd + 120_000
            while try reported.file.trim(limits, at: end + 2 * day) {}
            #expect(try reported.count("packed_sums") == rows - 1)
            for thing in TestHistory.things.prefix(2) {
                let answer = try reported.json(query, of: thing)
                let interval = Reported.interval(of: thing)
                let from = Int(interval.start(of: end - 1) + interval.milliseconds)
                #expect(answer["truncated_before"]?.integer == from)
                let groups = try #require(answer["groupedResults"]?.array)
                #expect(!groups.isEmpty)
                #expect(groups.allSatisfy { ($0["range"]?["from"]?.integer ?? 0) >= Int(end) })
            }
        }
    }

    @Test func `packed sums go when there is no room, too`() async throws {
        try await Self.withReported { reported in
            try reported.add(TestHistory.seconds(3600))
            try reported.packAll()
            try reported.add(TestHistory.seconds(3, from: TestHistory.start + 4_000_000))
            try reported.file.pack(at: TestHistory.start)
            var limits = HistoryLimits()
            limits.maximumMegabytes = 0
            while try reported.file.trim(limits, at: TestHistory.start) {}
            #expect(try reported.count("packed_sums") == 0)
            #expect(try reported.count("sums") == 0)
            let answer = try reported.json(try Self.hour("count:t"))
            #expect(answer["groupedResults"] == [])
            #expect(answer["truncated_before"] != nil)
        }
    }

    @Test func `a file of the first version keeps its sums, which are packed then`() async throws {
        try await Self.withReported { reported in
            for thing in TestHistory.things { try reported.add(TestHistory.seconds(3600), of: thing) }
            try reported.file.storeSums()
            try reported.file.write {
                try $0.execute(
                    sql: "DROP TABLE packed_sums; DELETE FROM grdb_migrations WHERE identifier = 'v2'"
                )
            }
            try reported.reopen()
            let query = try Self.hour("mean:t", "min:t", "count:on")
            for isPacked in [false, true] {
                if isPacked { try reported.packAll() }
                let count = try reported.count("sums")
                #expect((count == 0) == isPacked)
                for thing in TestHistory.things {
                    let expected = try reported.expected(query, of: thing)
                    #expect(try reported.json(query, of: thing) == expected)
                }
            }
        }
    }

    @Test(arguments: ["x''", "x'ff'", "x'00ff'", "substr(body, 1, length(body) / 2)"])
    func `a row of packed sums that cannot be read harms no other`(body: String) async throws {
        try await Self.withReported { reported in
            for thing in TestHistory.things { try reported.add(TestHistory.seconds(3600), of: thing) }
            try reported.packAll()
            let damaged = try #require(reported.file.things[TestHistory.things[0]]).number
            try reported.file.write {
                try $0.execute(
                    sql: "UPDATE packed_sums SET body = \(body) WHERE key & ? = ?",
                    arguments: [ThingKey.maximumNumber, damaged]
                )
            }
            let query = try Self.hour("count:t", "sum:t")
            for thing in TestHistory.things.dropFirst() {
                let expected = try reported.expected(query, of: thing)
                #expect(try reported.json(query, of: thing) == expected)
            }
            let left = try reported.json(query)["groupedResults"]?.array
            #expect((left?.count ?? 0) < 59)
            // What comes is stored all the same.
            try reported.add([Sample(["new": 1], at: TestHistory.start + 1_800_000)])
            try reported.file.storeSums()
            let groups = try reported.json(try Self.hour("sum:new"))["groupedResults"]?.array ?? []
            #expect(groups.contains { $0["aggregations"]?.array?.first?["value"] == 1 })
        }
    }
}
