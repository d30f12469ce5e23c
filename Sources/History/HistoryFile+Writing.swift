import Bindings
import GRDB
import JSON
import People

extension HistoryFile {
    /// Samples are packed as soon as one of these is reached: samples, samples of one thing, bytes, or milliseconds.
    private static let roundCount = 100_000
    private static let roundCountOfThing = 10_000
    private static let roundBytes = 8 << 20
    private static let roundTime: Int64 = 86_400_000
    /// Sums are stored as soon as one of these is reached: samples in them, or milliseconds.
    private static let sumsCount = 50_000
    static let sumsTime: Int64 = 600_000

    /// Whether samples should be packed.
    func isPackingDue(at now: Int64) -> Bool {
        tail.count >= Self.roundCount || tail.longest >= Self.roundCountOfThing
            || tail.bytes >= Self.roundBytes
            || tail.began.map { now - $0 >= Self.roundTime } ?? false
    }

    /// Whether sums should be stored.
    func areSumsDue(at now: Int64) -> Bool {
        sums.count >= Self.sumsCount || sums.began.map { now - $0 >= Self.sumsTime } ?? false
    }

    // MARK: Samples

    /// Stores samples, all or none.
    ///
    /// - Parameter now: Milliseconds since 1970.
    func store(_ samples: [NewSample], at now: Int64) throws(HistoryError) {
        // A thing that has another interval than before was forgotten, and came again.
        for sample in samples where things[sample.thing].map({ $0.interval != sample.interval }) ?? false {
            try remove(sample.thing)
        }
        var things = things
        var row = nextRow
        var sizes: [Int] = []
        sizes.reserveCapacity(samples.count)
        try write { database in
            for sample in samples {
                let thing = try Self.thing(of: sample, &things, database)
                self.buffer.removeAll()
                self.buffer.write(sample.state)
                sizes.append(self.buffer.count)
                try self.buffer.withUnsafeBytes { bytes in
                    try database.run(
                        "INSERT INTO sample (row, thing, at, body) VALUES (?, ?, ?, ?)",
                        [row, thing.number, sample.at],
                        bytes
                    )
                }
                row += 1
            }
        }
        self.things = things
        if tail.began == nil { tail.began = now }
        for (sample, size) in zip(samples, sizes) {
            guard let thing = things[sample.thing] else { continue }
            tail.add(TailRow(row: nextRow, at: sample.at, bytes: size), of: thing.number)
            addToSums(sample.state, at: sample.at, of: thing, at: now)
            nextRow += 1
        }
    }

    /// The thing of a sample, which is new or known.
    private static func thing(
        of sample: NewSample,
        _ things: inout [BindingID: Thing],
        _ database: Database
    ) throws -> Thing {
        if let thing = things[sample.thing] {
            guard sample.at < thing.first else { return thing }
            things[sample.thing]?.first = sample.at
            try database.run("UPDATE thing SET first = ? WHERE number = ?", [sample.at, thing.number])
            return thing
        }
        let number = (try Int64.fetchOne(database, sql: "SELECT MAX(number) FROM thing") ?? 0) + 1
        guard number <= ThingKey.maximumNumber else {
            throw DatabaseError(resultCode: .SQLITE_FULL, message: "too many things have a history")
        }
        try database.execute(
            sql: "INSERT INTO thing (number, id, interval, first) VALUES (?, ?, ?, ?)",
            arguments: [number, "\(sample.thing)", sample.interval.rawValue, sample.at]
        )
        let thing = Thing(number: number, interval: sample.interval, first: sample.at)
        things[sample.thing] = thing
        return thing
    }

    // MARK: Sums

    /// Stores the sums that are not stored yet, merged with those that are.
    func storeSums() throws(HistoryError) {
        guard sums.count > 0 else { return }
        try write { try self.storeSums($0) }
        sums = NewSums()
    }

    private func storeSums(_ database: Database) throws {
        var recent: [(key: Int64, sums: GroupSums)] = []
        var late: [Int64: [PackedSums.Group]] = [:]
        for (number, sums) in sums.things {
            let end = packedEnd(of: number, sums.interval)
            // Of groups that are gone nobody wants the rest.
            for (start, group) in sums.groups where start >= sumsFrom ?? .min {
                if start >= end {
                    recent.append((ThingKey.sums(start, number), group))
                } else {
                    let place = PackedSums.place(of: start, sums.interval)
                    late[ThingKey.sums(PackedSums.end(of: start, sums.interval), number), default: []]
                        .append(PackedSums.Group(place: place, bytes: StoredSums.bytes(of: group)[...]))
                }
            }
        }
        for group in recent.sorted(by: { $0.key < $1.key }) {
            var sums = group.sums
            if let stored = try Self.sums(group.key, database) { sums.merge(stored) }
            try StoredSums.bytes(of: sums).withUnsafeBytes { bytes in
                try database.run("INSERT OR REPLACE INTO sums (key, body) VALUES (?, ?)", [group.key], bytes)
            }
        }
        for (key, groups) in late.sorted(by: { $0.key < $1.key }) {
            try Self.addPacked(groups, at: key, database)
        }
        try Self.set(.summed, nextRow - 1, database)
    }

    static func sums(_ key: Int64, _ database: Database) throws -> GroupSums? {
        try database.bytes("SELECT body FROM sums WHERE key = ?", key).flatMap { StoredSums.sums(in: $0) }
    }

    // MARK: Packing

    /// Packs the samples that are not packed yet, and stores their sums.
    ///
    /// If a thing has more of them than one row may have, further rounds have the rest. Queries that are worked on read
    /// on as if nothing had been packed.
    func pack(at now: Int64) throws(HistoryError) {
        var parts: [Int: [Int64: ArraySlice<TailRow>]] = [:]
        for (number, rows) in tail.rows {
            for (index, part) in cut(Self.sorted(rows)).enumerated() {
                parts[index, default: [:]][number] = part
            }
        }
        let next = max(rounds.last?.number ?? 0, lastRemovedRound) + 1
        let new = parts.sorted { $0.key < $1.key }.compactMap {
            index,
            things -> (round: Round, things: [Int64: ArraySlice<TailRow>])? in
            let times = things.values.joined().lazy.map(\.at)
            guard let first = times.min(), let last = times.max() else { return nil }
            return (Round(number: next + Int64(index), range: first...last, packed: now), things)
        }
        guard !new.isEmpty else { return }
        try write { database in
            try self.storeSums(database)
            for view in views { try view.value?.keep(database) }
            for (round, things) in new { try Self.pack(things, in: round, database) }
            try database.run("DELETE FROM sample", [])
        }
        rounds += new.map(\.round)
        tail = Tail()
        sums = NewSums()
    }

    /// Parts that may each be a row; a sample that is too large by itself is one.
    ///
    /// - Parameter rows: In order of time.
    private func cut(_ rows: [TailRow]) -> [ArraySlice<TailRow>] {
        var parts: [ArraySlice<TailRow>] = []
        var (start, bytes) = (0, 0)
        for (index, row) in rows.enumerated() {
            if index > start, bytes + row.bytes > packedBytes {
                parts.append(rows[start..<index])
                (start, bytes) = (index, 0)
            }
            bytes += row.bytes
        }
        if start < rows.count { parts.append(rows[start...]) }
        return parts
    }

    private static func pack(
        _ things: [Int64: ArraySlice<TailRow>],
        in round: Round,
        _ database: Database
    ) throws {
        for (number, rows) in things.sorted(by: { $0.key < $1.key }) {
            let samples = try rows.compactMap { try sample($0, database) }
            guard let first = samples.first, let last = samples.last else { continue }
            guard let bytes = PackedSamples.bytes(of: samples) else {
                throw DatabaseError(resultCode: .SQLITE_NOMEM, message: "samples cannot be compressed")
            }
            try bytes.withUnsafeBytes { bytes in
                try database.run(
                    "INSERT OR REPLACE INTO packed (key, first, last, body) VALUES (?, ?, ?, ?)",
                    [ThingKey.packed(round.number, number), first.at, last.at],
                    bytes
                )
            }
        }
        try database.run(
            "INSERT INTO round (number, first, last, packed) VALUES (?, ?, ?, ?)",
            [round.number, round.range.lowerBound, round.range.upperBound, round.packed]
        )
    }

    /// In order of time, and those of one time in order of arrival.
    static func sorted(_ rows: some Collection<TailRow>) -> [TailRow] {
        rows.sorted { ($0.at, $0.row) < ($1.at, $1.row) }
    }

    /// `nil` for a sample that cannot be read.
    static func sample(_ row: TailRow, _ database: Database) throws -> Sample? {
        try body(row, database).flatMap { state($0) }.map { Sample($0, at: row.at) }
    }

    /// A state as it is stored; `nil` if it is not there.
    static func body(_ row: TailRow, _ database: Database) throws -> [UInt8]? {
        try database.bytes("SELECT body FROM sample WHERE row = ?", row.row)
    }
}
