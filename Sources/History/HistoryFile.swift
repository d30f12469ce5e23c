import Bindings
import Databases
import Foundation
import GRDB
import JSON
import OperatingSystem
import People

/// `history.db` while it is open; used by one thread.
///
/// What each operation does is one transaction; what is in memory changes after it.
final class HistoryFile {
    /// A thing with a history.
    struct Thing {
        let number: Int64
        let interval: GroupInterval
        /// The time of its oldest sample ever.
        var first: Int64
    }

    /// Samples of all things that were packed together.
    struct Round {
        let number: Int64
        /// The times of its samples.
        let range: ClosedRange<Int64>
        /// When it was packed: its age, if times of samples are in the future.
        let packed: Int64

        /// Samples until then are gone when it is removed.
        var end: Int64 { min(range.upperBound, packed) }
    }

    /// A sample that is not packed yet.
    struct TailRow {
        let row: Int64
        let at: Int64
        /// Of its state, as it is stored.
        let bytes: Int
    }

    /// A sample to be stored.
    struct NewSample: Sendable {
        let thing: BindingID
        let interval: GroupInterval
        let at: Int64
        let state: JSONObject
    }

    let path: String
    private let queue: DatabaseQueue

    var things: [BindingID: Thing] = [:]
    /// The numbers of things that are gone, whose rows must still be removed.
    var removed: [Int64] = []
    /// The oldest first.
    var rounds: [Round] = []
    var tail = Tail()
    var sums = NewSums()
    var nextRow: Int64 = 1
    /// See ``Mark``.
    var samplesFrom: Int64?
    var sumsFrom: Int64?
    var buffer = JSONBuffer()
    /// How many bytes of states one row of packed samples has, at most: far less than ``Deflate`` takes.
    var packedBytes = 32 << 20
    /// Where the packing of sums goes on, as a key of them: spans before that time are packed, and the one that begins then is
    /// of the things that have lower numbers.
    var packedEnds: [GroupInterval: Int64] = [:]
    /// How many sums are packed at once: rows in one step, about, and things of which they are taken together.
    var packing = (rows: 4000, things: 250)

    /// The greatest number of a round that was removed: it is not used again, as a query may still read that round.
    var lastRemovedRound: Int64 = 0
    /// What queries that are worked on see of samples.
    private(set) var views: [WeakView] = []
    /// The packed samples that these queries read last.
    var cache = PackedCache()

    /// It is gone with its query.
    struct WeakView {
        private(set) weak var value: SampleView?
    }

    /// Samples that are not packed yet, by the number of their thing.
    struct Tail {
        var rows: [Int64: [TailRow]] = [:]
        var count = 0
        var bytes = 0
        /// The most of one thing.
        var longest = 0
        /// When the first of them came; milliseconds since 1970.
        var began: Int64?

        mutating func add(_ row: TailRow, of number: Int64) {
            rows[number, default: []].append(row)
            count += 1
            bytes += row.bytes
            longest = max(longest, rows[number]?.count ?? 0)
        }
    }

    /// Sums that are not stored yet, by the number of their thing.
    struct NewSums {
        var things: [Int64: UnstoredSums] = [:]
        var count = 0
        /// When the first of them came; milliseconds since 1970.
        var began: Int64?
    }

    /// Opens or makes the file, for its owner only, and brings it up to date.
    ///
    /// - Parameter now: Milliseconds since 1970.
    /// - Throws: ``HistoryError``
    init(_ path: String, at now: Int64) throws(HistoryError) {
        self.path = path
        var configuration = Configuration()
        configuration.label = "history"
        configuration.busyMode = .timeout(1)
        configuration.prepareDatabase { database in
            // The lock is held until the file is closed, so that no other process writes. Only a new file follows
            // auto_vacuum. Pages that are free need not be overwritten, which some systems do unless told.
            try database.execute(
                sql: """
                    PRAGMA locking_mode = EXCLUSIVE; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL;
                    PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = 16777216;
                    PRAGMA wal_autocheckpoint = 4000; PRAGMA secure_delete = FAST
                    """
            )
        }
        DatabaseFile.makePrivate(path)
        queue = try Self.mappingErrors(path) { [configuration] in
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            try queue.read { try HistorySchema.schema.check($0, path) }
            guard try queue.read({ try !HistorySchema.hasUnknownTables($0) }) else {
                throw HistorySchema.damage
            }
            try HistorySchema.schema.apply(to: queue, path)
            guard try queue.read({ try HistorySchema.isWhole($0) }) else { throw HistorySchema.damage }
            return queue
        }
        try load(at: now)
    }

    func close() { try? queue.close() }

    /// What a query is to see of a thing's samples from now on.
    func view(of number: Int64) -> SampleView {
        views.removeAll { $0.value == nil }
        let view = SampleView(number, rounds, tail.rows[number] ?? [])
        views.append(WeakView(value: view))
        return view
    }

    // MARK: Transactions

    func read<Result>(_ work: (Database) throws -> Result) throws(HistoryError) -> Result {
        // Nobody else writes, so that no transaction is needed.
        try Self.mappingErrors(path) { try queue.unsafeRead(work) }
    }

    func write<Result>(_ work: (Database) throws -> Result) throws(HistoryError) -> Result {
        try Self.mappingErrors(path) {
            try queue.writeWithoutTransaction { database in
                var result: Result?
                try database.inTransaction(.immediate) {
                    result = try work(database)
                    return .commit
                }
                guard let result else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
                return result
            }
        }
    }

    /// What cannot be done in a transaction.
    func perform(_ work: (Database) throws -> Void) throws(HistoryError) {
        try Self.mappingErrors(path) { try queue.writeWithoutTransaction(work) }
    }

    private static func mappingErrors<Result>(
        _ path: String,
        _ work: () throws -> Result
    ) throws(HistoryError) -> Result {
        do { return try work() } catch { throw HistoryError(error, path) }
    }

    static func set(_ mark: Mark, _ value: Int64, _ database: Database) throws {
        try set(mark.rawValue, value, database)
    }

    static func set(_ name: String, _ value: Int64, _ database: Database) throws {
        try database.execute(
            sql: "INSERT OR REPLACE INTO mark (name, value) VALUES (?, ?)",
            arguments: [name, value]
        )
    }

    // MARK: The start

    /// Reads what is kept in memory, and makes the sums again that were not stored.
    private func load(at now: Int64) throws(HistoryError) {
        let summed = try read { database in
            try self.loadThings(database)
            try self.loadRounds(database)
            return try self.loadMarks(database)
        }
        let numbers = Dictionary(things.values.map { ($0.number, $0) }) { first, _ in first }
        try read { database in
            let sql = "SELECT row, thing, at, body FROM sample ORDER BY row"
            let rows = try Row.fetchCursor(database, sql: sql)
            self.nextRow = summed + 1
            while let row = try rows.next() {
                let number = try row.integer(1, in: ThingKey.numbers)
                let bytes = try row.withUnsafeData(atIndex: 3) { $0 ?? Data() }
                let sample = TailRow(
                    row: try row.integer(0, in: Self.legalRows),
                    at: try row.integer(2, in: HistoryTime.legal),
                    bytes: bytes.count
                )
                self.nextRow = max(self.nextRow, sample.row + 1)
                guard let thing = numbers[number] else { continue }
                if self.tail.began == nil { self.tail.began = now }
                self.tail.add(sample, of: number)
                guard sample.row > summed, let state = Self.state(bytes) else { continue }
                self.addToSums(state, at: sample.at, of: thing, at: now)
            }
        }
    }

    /// What a row's number may be, so that it can be counted on.
    private static let legalRows: ClosedRange<Int64> = 0...Int64.max / 2

    private func loadThings(_ database: Database) throws {
        for row in try Row.fetchAll(database, sql: "SELECT number, first, id, interval FROM thing") {
            let number = try row.integer(0, in: ThingKey.numbers)
            // What cannot be read is removed.
            guard let id = String.fromDatabaseValue(row[2]).flatMap({ BindingID($0) }),
                let interval = String.fromDatabaseValue(row[3]).flatMap({ GroupInterval($0) })
            else {
                removed.append(number)
                continue
            }
            let first = try row.integer(1, in: HistoryTime.legal)
            things[id] = Thing(number: number, interval: interval, first: first)
        }
    }

    private func loadRounds(_ database: Database) throws {
        let sql = "SELECT number, first, last, packed FROM round ORDER BY number"
        for row in try Row.fetchAll(database, sql: sql) {
            let first = try row.integer(1, in: HistoryTime.legal)
            let last = try row.integer(2, in: first...HistoryTime.legal.upperBound)
            rounds.append(
                Round(
                    number: try row.integer(0, in: ThingKey.rounds),
                    range: first...last,
                    packed: try row.integer(3, in: HistoryTime.legal)
                )
            )
        }
    }

    /// - Returns: The row up to which samples are in the stored sums.
    private func loadMarks(_ database: Database) throws -> Int64 {
        var summed: Int64 = 0
        for row in try Row.fetchAll(database, sql: "SELECT value, name FROM mark") {
            let name = String.fromDatabaseValue(row[1]) ?? ""
            switch Mark(rawValue: name) {
            case .summed: summed = try row.integer(0, in: Self.legalRows)
            case .samplesFrom: samplesFrom = try row.integer(0, in: HistoryTime.legal)
            case .sumsFrom: sumsFrom = try row.integer(0, in: HistoryTime.legal)
            case nil:
                guard let interval = GroupInterval(name) else { continue }
                packedEnds[interval] = try row.integer(0, in: ThingKey.legalSums)
            }
        }
        return summed
    }

    /// A state as it is stored; `nil` for other bytes.
    static func state(_ bytes: some Collection<UInt8>) -> JSONObject? {
        (try? JSONValue(parsing: bytes, maximumDepth: 128, keepsHugeNumbers: true))?.object
    }

    func addToSums(_ state: JSONObject, at time: Int64, of thing: Thing, at now: Int64) {
        if sums.began == nil { sums.began = now }
        sums.count += 1
        sums.things[thing.number, default: UnstoredSums(thing.interval)].add(state, at: time)
    }
}
