import JSON

/// Samples of one thing in order of time, field by field: values of one field are alike, and so become small.
///
/// Only the fields that are asked for are decoded.
struct PackedSamples {
    /// In order; those of one time in order of arrival.
    let times: [Int64]
    private let columns: [(name: String, column: PackedColumn)]
    /// The members of each sample that have no column, if there are any.
    private let rest: PackedColumn?
    /// How many bytes of memory they need, about.
    let bytes: Int

    /// More fields than these have no column of their own.
    private static let maximumColumns = 64

    // MARK: Packing

    /// The samples as bytes; `nil` if there is no memory for it.
    ///
    /// - Parameter samples: In order of time.
    static func bytes(of samples: [Sample]) -> [UInt8]? {
        var writer = ByteWriter()
        writer.write(count: samples.count)
        var (last, step): (Int64, Int64) = (0, 0)
        for sample in samples {
            // Times are legal, so that their differences do not overflow.
            writer.write(sample.at - last - step)
            (last, step) = (sample.at, sample.at - last)
        }
        let names = columnNames(samples)
        writer.write(count: names.count)
        for name in names {
            writer.write(name)
            PackedColumn.write(samples.map { $0.state[name] }, to: &writer)
        }
        let known = FieldNames(names)
        let rest = samples.map { sample -> JSONValue? in
            guard !sample.state.allMembers({ _, key, _ in known.contains(key) }) else { return nil }
            return .object(sample.state.filter { !known.contains($0.key) })
        }
        let hasRest = rest.contains { $0 != nil }
        writer.write(hasRest ? 1 as UInt8 : 0)
        if hasRest { PackedColumn.write(rest, to: &writer) }
        guard let compressed = Deflate.compressed(writer.bytes) else { return nil }
        var result = ByteWriter()
        result.write(count: writer.bytes.count)
        result.write(compressed)
        return result.bytes
    }

    private static func columnNames(_ samples: [Sample]) -> [String] {
        var names: [String] = []
        var known: FieldNames = []
        for sample in samples {
            // Nearly always it has no others.
            if sample.state.allMembers({ _, key, _ in known.contains(key) }) { continue }
            for (key, _) in sample.state where names.count < maximumColumns && !known.contains(key) {
                known.insert(key)
                names.append(key)
            }
            if names.count == maximumColumns { break }
        }
        return names
    }

    // MARK: Reading

    /// `nil` for bytes that are no packed samples.
    init?(_ bytes: [UInt8]) {
        var outer = ByteReader(bytes)
        guard let size = outer.count(), let compressed = outer.list(),
            let plain = Deflate.expanded(compressed, count: size)
        else { return nil }
        var reader = ByteReader(plain)
        // Each time has a byte at least.
        guard let count = reader.count(), count <= plain.count else { return nil }
        var times: [Int64] = []
        times.reserveCapacity(count)
        var (last, step): (Int64, Int64) = (0, 0)
        for _ in 0..<count {
            guard let change = reader.signed() else { return nil }
            step &+= change
            last &+= step
            times.append(last)
        }
        guard let columnCount = reader.count(), columnCount <= Self.maximumColumns else { return nil }
        var columns: [(String, PackedColumn)] = []
        for _ in 0..<columnCount {
            guard let name = reader.text(), let column = PackedColumn(&reader, count) else { return nil }
            columns.append((name, column))
        }
        var rest: PackedColumn?
        if reader.byte() == 1 {
            guard let column = PackedColumn(&reader, count) else { return nil }
            rest = column
        }
        (self.times, self.columns, self.rest) = (times, columns, rest)
        self.bytes = plain.count + times.count * MemoryLayout<Int64>.size
    }

    /// The states of samples, in order.
    ///
    /// - Parameters:
    ///   - range: Which of the samples.
    ///   - names: The fields of interest; `nil` for all.
    /// - Returns: `nil` if a value cannot be read.
    func states(_ range: Range<Int>, only names: FieldNames? = nil) -> [JSONObject]? {
        var states = [JSONObject](repeating: JSONObject(), count: range.count)
        for (name, column) in columns where names?.contains(name) ?? true {
            guard let values = column.values(range), values.count == range.count else { return nil }
            for (index, value) in values.enumerated() { if let value { states[index][name] = value } }
        }
        if let rest {
            guard let values = rest.values(range), values.count == range.count else { return nil }
            for (index, value) in values.enumerated() {
                for (name, value) in value?.object ?? [:] where names?.contains(name) ?? true {
                    states[index][name] = value
                }
            }
        }
        return states
    }

    /// The values of some fields, in order of the fields and then of the samples; `nil` if a value cannot be read.
    ///
    /// - Parameter range: Which of the samples.
    func values(_ range: Range<Int>, of names: [String]) -> [[JSONValue?]]? {
        var values: [[JSONValue?]] = []
        for name in names {
            if let (_, column) = columns.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) {
                guard let found = column.values(range), found.count == range.count else { return nil }
                values.append(found)
            } else {
                values.append([JSONValue?](repeating: nil, count: range.count))
            }
        }
        guard let rest else { return values }
        guard let objects = rest.values(range), objects.count == range.count else { return nil }
        for (number, name) in names.enumerated() {
            for (index, object) in objects.enumerated() {
                if let value = object?.object?[name] { values[number][index] = value }
            }
        }
        return values
    }

    /// Bytes of memory that one of them needs, about.
    var bytesOfSample: Int { bytes / max(1, times.count) }

    /// Where the samples of a range are.
    func places(_ range: ClosedRange<Int64>) -> Range<Int> {
        let first = insertionPoint { $0 < range.lowerBound }
        let end = insertionPoint { $0 <= range.upperBound }
        // Times in a damaged file may be in any order.
        return first..<max(first, end)
    }

    private func insertionPoint(_ precedes: (Int64) -> Bool) -> Int {
        var (low, high) = (0, times.count)
        while low < high {
            let middle = (low + high) / 2
            if precedes(times[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
