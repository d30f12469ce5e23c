import Bindings
import GRDB
import JSON

/// The samples of one thing as they were when a query began, whatever is recorded and packed while it is worked on.
///
/// Packed blocks never change, and their keys are not used again. The rows of samples that are packed meanwhile are kept
/// here, since they leave the table. What is removed as too old or too much is missing from then on.
final class SampleView {
    /// Samples that lie together, and their times.
    struct Block {
        /// `nil` for those that were not packed yet.
        let key: Int64?
        let range: ClosedRange<Int64>
        /// Blocks that came later have a greater one.
        var order: Int64 { key ?? .max }
    }

    /// Of the thing.
    let number: Int64
    private let rounds: [HistoryFile.Round]
    /// Those that were not packed yet, in order of arrival.
    let rows: [HistoryFile.TailRow]
    /// Their states as they are stored, by row, once they are packed.
    private var kept: [Int64: [UInt8]]?

    init(_ number: Int64, _ rounds: [HistoryFile.Round], _ rows: [HistoryFile.TailRow]) {
        (self.number, self.rounds, self.rows) = (number, rounds, rows)
    }

    /// The blocks with samples of a range, by the first time.
    func blocks(_ range: ClosedRange<Int64>, _ database: Database) throws -> [Block] {
        var blocks: [Block] = []
        for round in rounds where round.range.overlaps(range) {
            let key = ThingKey.packed(round.number, number)
            let sql = "SELECT first, last FROM packed WHERE key = ?"
            guard let times = try database.integers(sql, key) else { continue }
            let first = try Optional(times.0).legal(in: HistoryTime.legal)
            let last = try Optional(times.1).legal(in: first...HistoryTime.legal.upperBound)
            if (first...last).overlaps(range) { blocks.append(Block(key: key, range: first...last)) }
        }
        let tail = rows.lazy.map(\.at).filter { range.contains($0) }
        if let first = tail.min(), let last = tail.max() {
            blocks.append(Block(key: nil, range: first...last))
        }
        return blocks.sorted { ($0.range.lowerBound, $0.order) < ($1.range.lowerBound, $1.order) }
    }

    /// A sample that was not packed yet; `nil` if it cannot be read.
    func sample(_ row: HistoryFile.TailRow, _ database: Database) throws -> Sample? {
        guard let kept else { return try HistoryFile.sample(row, database) }
        return kept[row.row].flatMap { HistoryFile.state($0) }.map { Sample($0, at: row.at) }
    }

    /// Keeps what will be packed now.
    func keep(_ database: Database) throws {
        guard kept == nil else { return }
        var bodies: [Int64: [UInt8]] = [:]
        for row in rows { bodies[row.row] = try HistoryFile.body(row, database) }
        kept = bodies
    }
}

/// Where one turn of a query reads samples.
struct SampleSource {
    let view: SampleView
    let file: HistoryFile
    let database: Database

    func blocks(_ range: ClosedRange<Int64>) throws -> [SampleView.Block] { try view.blocks(range, database) }

    func sample(_ row: HistoryFile.TailRow) throws -> Sample? { try view.sample(row, database) }

    /// A block of packed samples; `nil` if it is gone, or cannot be read.
    func packed(_ key: Int64) throws -> PackedSamples? {
        if let packed = file.cache.samples[key] { return packed }
        let bytes = try database.bytes("SELECT body FROM packed WHERE key = ?", key)
        guard let packed = bytes.flatMap({ PackedSamples($0) }) else { return nil }
        file.cache.insert(packed, for: key)
        return packed
    }
}
