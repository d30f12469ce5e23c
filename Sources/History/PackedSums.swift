import Bindings

/// The sums of one thing's groups in a span of time, as they are packed in a row: the place of each group in the span, and
/// its ``StoredSums``.
///
/// What cannot be read ends them.
struct PackedSums: Sequence, IteratorProtocol {
    struct Group {
        /// Which of the span's groups it is, from 0 on.
        let place: Int64
        /// Its ``StoredSums``.
        let bytes: ArraySlice<UInt8>
    }

    /// How many groups a span has: those of an answer are in five rows at most.
    static let groups: Int64 = 16

    /// Of a span, milliseconds.
    static func length(of interval: GroupInterval) -> Int64 { groups * interval.milliseconds }

    /// When the span of a time begins: at a multiple of its length from 1970.
    static func start(of time: Int64, _ interval: GroupInterval) -> Int64 {
        let length = length(of: interval)
        let rest = time % length
        return time - (rest < 0 ? rest + length : rest)
    }

    static func end(of time: Int64, _ interval: GroupInterval) -> Int64 {
        start(of: time, interval) + length(of: interval)
    }

    /// The place of the group that begins at a time.
    static func place(of start: Int64, _ interval: GroupInterval) -> Int64 {
        (start - Self.start(of: start, interval)) / interval.milliseconds
    }

    // MARK: Packing

    /// A row of groups in any order; those of one place are merged.
    static func bytes(of groups: [Group]) -> [UInt8] {
        var writer = ByteWriter()
        var rest = groups.sorted { $0.place < $1.place }[...]
        while let group = rest.popFirst() {
            var bytes = group.bytes
            while let other = rest.first, other.place == group.place {
                bytes = merged(bytes, other.bytes)
                rest.removeFirst()
            }
            writer.write(UInt8(truncatingIfNeeded: group.place))
            writer.write(bytes)
        }
        return writer.bytes
    }

    /// Sums that cannot be read are dropped.
    private static func merged(_ one: ArraySlice<UInt8>, _ other: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard var sums = StoredSums.sums(in: one) else { return other }
        guard let more = StoredSums.sums(in: other) else { return one }
        sums.merge(more)
        return StoredSums.bytes(of: sums)[...]
    }

    // MARK: Reading

    private var reader: ByteReader
    private var least: Int64 = 0

    init(_ bytes: [UInt8]) { reader = ByteReader(bytes) }

    /// The next group, in order of time.
    mutating func next() -> Group? {
        guard let place = reader.byte().map({ Int64($0) }), least..<Self.groups ~= place,
            let bytes = reader.list()
        else { return nil }
        least = place + 1
        return Group(place: place, bytes: bytes)
    }
}
