import Bindings
import Databases
import Foundation
import GRDB
import JSON
import OperatingSystem
import People
import SeededRandom
import TestSupport
import Testing

@testable import History

struct HistoryDamageTests {
    private static let first = TestHistory.things[0]

    @Test func `a damaged file is moved aside and begun again`() async throws {
        try await withTemporaryFolder { folder in
            try folder.write(String(repeating: "no database ", count: 1000), to: "history.db")
            let history = try TestHistory(folder.path("history.db"))
            history.record(TestHistory.seconds(10))
            let expected = try history.expected(try HistoryQuery())
            #expect(try await history.json(try HistoryQuery()) == expected)
            let aside = "history.db.damaged-\(TestHistory.start / 1000)"
            #expect(folder.read(aside).hasPrefix("no database "))
            guard case .restarted(let path, let error) = history.reported.first else {
                Issue.record("nothing was reported")
                return
            }
            #expect(path == folder.path(aside) && error.description.contains("SQLite 26"))
            await history.store.close()
        }
    }

    @Test(arguments: [UInt64](1...10))
    func `whatever is damaged, samples are stored again`(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        try await withHistory { history in
            for number in 0..<4 {
                history.record(TestHistory.seconds(300, from: TestHistory.start + Int64(number) * 300_000))
                await history.store.packNow()
            }
            history.record(TestHistory.seconds(300, from: TestHistory.start + 1_200_000))
            await history.store.close()
            var bytes = try Data(contentsOf: URL(filePath: history.path))
            for _ in 0..<20 {
                let place = random.number(below: bytes.count)
                for index in place..<min(place + 40, bytes.count) {
                    bytes[index] = UInt8(random.number(below: 256))
                }
            }
            try bytes.write(to: URL(filePath: history.path))
            try await history.reopen()
            let query = try HistoryQuery.grouped(TestHistory.start...TestHistory.start + 3_500_000, ["max:t"])
            for _ in 0..<3 {
                _ = try? await history.json(query)
                _ = try? await history.json(try HistoryQuery())
                await history.store.packNow()
            }
            history.record([Sample(["new": 1], at: TestHistory.start - 1)])
            let new = try await history.json(try HistoryQuery(.equals("new", 1)))
            #expect(new["results"] == [["new": 1, "_created": JSONValue(Int(TestHistory.start - 1))]])
        }
    }

    @Test func `a table that is missing is damage`() async throws {
        try await withHistory { history in
            history.record(TestHistory.seconds(3))
            await history.store.close()
            let file = try HistoryFile(history.path, at: 0)
            try file.write { try $0.execute(sql: "DROP TABLE sample") }
            file.close()
            try await history.reopen()
            #expect(try await history.json(try HistoryQuery()) == ["results": []])
            #expect(history.files.contains { $0.contains("damaged") })
        }
    }

    @Test(arguments: [
        "UPDATE round SET last = 9223372036854775807", "UPDATE round SET number = 9223372036854775807",
        "UPDATE round SET first = last + 1", "UPDATE sample SET row = 9223372036854775807 - row",
        "UPDATE mark SET value = 9223372036854775807", "UPDATE sample SET at = -9223372036854775808",
        "UPDATE thing SET number = 9223372036854775807", "UPDATE thing SET first = -9223372036854775808",
        "INSERT INTO mark VALUES ('sumsFrom', -9223372036854775808)",
        "INSERT INTO mark VALUES ('1_MINUTE', 9223372036854775807)",
        "UPDATE packed SET first = 9223372036854775807", "UPDATE packed SET last = -9223372036854775808",
    ])
    func `a number that cannot be is damage`(sql: String) async throws {
        try await withHistory { history in
            history.record(TestHistory.seconds(50))
            await history.store.packNow()
            history.record(TestHistory.seconds(50))
            await history.store.close()
            let file = try HistoryFile(history.path, at: 0)
            try file.write { try $0.execute(sql: sql) }
            file.close()
            try await history.reopen()
            _ = try? await history.json(try HistoryQuery())
            history.record(TestHistory.seconds(1))
            #expect(try await history.json(try HistoryQuery())["results"]?.array?.count == 1)
            #expect(history.reported.count == 1)
            #expect(history.files.contains { $0.contains("damaged") })
        }
    }

    @Test func `only what SQLite calls corrupt or no database is damage`() {
        let system = NSError(domain: NSPOSIXErrorDomain, code: 5)
        #expect(!HistoryError(system, "p").isDamage)
        #expect(HistoryError(system, "p").description.hasPrefix("p cannot be used: "))
        for code in [
            ResultCode.SQLITE_ERROR, .SQLITE_FULL, .SQLITE_IOERR, .SQLITE_BUSY, .SQLITE_CANTOPEN,
            .SQLITE_NOMEM,
        ] {
            #expect(!HistoryError(DatabaseError(resultCode: code), "p").isDamage)
        }
        for code in [ResultCode.SQLITE_CORRUPT, .SQLITE_NOTADB] {
            #expect(HistoryError(DatabaseError(resultCode: code), "p").isDamage)
        }
    }

    @Test(arguments: [
        "ALTER TABLE sums RENAME COLUMN body TO other", "DROP TABLE mark", "DROP TABLE packed_sums",
        "DROP TABLE grdb_migrations",
    ])
    func `tables that are others are damage`(sql: String) async throws {
        try await withHistory { history in
            history.record(TestHistory.seconds(3))
            await history.store.close()
            let file = try HistoryFile(history.path, at: 0)
            try file.write { try $0.execute(sql: sql) }
            file.close()
            try await history.reopen()
            #expect(try await history.json(try HistoryQuery()) == ["results": []])
            #expect(history.files.contains { $0.contains("damaged") })
        }
    }

    @Test func `a file that cannot be migrated stays as it is`() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path("history.db")
            let queue = try DatabaseQueue(path: path)
            try await queue.write { try $0.execute(sql: "CREATE VIEW thing AS SELECT 1") }
            try queue.close()
            let history = try TestHistory(path)
            await history.store.flush()
            guard case .failed(.database(_, 1, _))? = history.reported.first else {
                Issue.record("it was reported otherwise: \(history.reported)")
                return
            }
            #expect(!history.files.contains { $0.contains("damaged") })
            await history.store.close()
        }
    }

    @Test func `an older damaged file stays until the next one is moved aside`() async throws {
        try await withTemporaryFolder { folder in
            try folder.write(String(repeating: "no database ", count: 1000), to: "history.db")
            try folder.write("older", to: "history.db.damaged-1")
            // Nothing can be renamed to a folder that has something in it.
            let taken = "history.db.damaged-\(TestHistory.start / 1000)"
            try FileManager.default.createDirectory(
                atPath: folder.path(taken),
                withIntermediateDirectories: true
            )
            try folder.write("in the way", to: "\(taken)/file")
            let history = try TestHistory(folder.path("history.db"))
            await history.store.flush()
            #expect(folder.read("history.db.damaged-1") == "older")
            #expect(folder.read("history.db").hasPrefix("no database "))
            history.pass(1000)
            await history.store.flush()
            #expect(
                history.files.filter { $0.contains("damaged") } == [
                    "history.db.damaged-\(TestHistory.start / 1000 + 1)"
                ]
            )
            await history.store.close()
        }
    }

    @Test func `a file of a later version stays as it is`() async throws {
        try await withHistory { history in
            history.record(TestHistory.seconds(3))
            await history.store.close()
            let file = try HistoryFile(history.path, at: 0)
            try file.write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('v99')") }
            file.close()
            try await history.reopen()
            await #expect(throws: HistoryError.self) { try await history.json(try HistoryQuery()) }
            let newer = NewerDatabase(path: history.path, steps: ["v99"], known: "v2", program: .current)
            #expect(history.reported == [.failed(.newerVersion(newer))])
            #expect(!history.files.contains { $0.contains("damaged") })
        }
    }

    @Test func `without room samples wait, and those beyond are counted`() async throws {
        try await withTemporaryFolder { folder in
            let history = try TestHistory(folder.path("later/history.db"))
            let many = TestHistory.seconds(15_000)
            history.record(many)
            await history.store.flush()
            history.record(many)
            await history.store.flush()
            #expect(history.store.droppedSamples == 15_000)
            guard case .failed(.database)? = history.reported.first else {
                Issue.record("nothing was reported")
                return
            }
            try FileManager.default.createDirectory(
                atPath: folder.path("later"),
                withIntermediateDirectories: true
            )
            await history.store.flush()
            #expect(Array(history.reported.dropFirst()) == [.recovered(dropped: 15_000)])
            let query = try HistoryQuery.grouped(TestHistory.start...TestHistory.start + 59_999, ["count:t"])
            let group = try await history.json(query)["groupedResults"]?.array?.first
            #expect(group?["aggregations"]?.array?.first?["value"] == 60)
            await history.store.close()
        }
    }

    @Test func `a file that cannot be opened is not said to be right again, though no sample waits`()
        async throws
    {
        try await withTemporaryFolder { folder in
            let history = try TestHistory(folder.path("later/history.db"))
            for _ in 0..<3 { await history.store.flush() }
            #expect(history.reported.count == 1)
            guard case .failed(.database)? = history.reported.first else {
                Issue.record("nothing was reported")
                return
            }
            try FileManager.default.createDirectory(
                atPath: folder.path("later"),
                withIntermediateDirectories: true
            )
            for _ in 0..<2 { await history.store.flush() }
            #expect(Array(history.reported.dropFirst()) == [.recovered(dropped: 0)])
            await history.store.close()
        }
    }

    @Test(.enabled { await OwnDisk.canMount() })
    func `a full disk is said, and samples are stored when there is room again`() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path("disk")
            try await OwnDisk.with("size=2m", at: path) {
                let history = try TestHistory(path + "/history.db")
                history.record(TestHistory.seconds(100))
                await history.store.flush()
                try OwnDisk.fill(path + "/filler")
                let later = TestHistory.seconds(1000, from: TestHistory.start + 100_000).map {
                    Sample(["text": .string(String(repeating: "x", count: 300))], at: $0.at)
                }
                history.record(later)
                await history.store.flush()
                guard case .failed(let error)? = history.reported.first else {
                    Issue.record("nothing was reported")
                    return
                }
                #expect(error.description.contains("free some space"))
                // What is stored is answered meanwhile, and nothing that lacks samples.
                let stored = try HistoryQuery(.time(TestHistory.start...TestHistory.start + 99_999))
                #expect(try await history.json(stored)["results"]?.array?.count == 100)
                await #expect(throws: HistoryError.unstored(path: history.path)) {
                    try await history.json(try HistoryQuery())
                }
                try FileManager.default.removeItem(atPath: path + "/filler")
                await history.store.flush()
                #expect(history.reported.last == .recovered(dropped: 0))
                #expect(try await history.json(try HistoryQuery())["nextPaginationKey"] != nil)
                await history.store.close()
            }
        }
    }
}
