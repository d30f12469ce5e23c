/// Where the reading of a block of samples has come to; only the next ones of it are decoded.
struct SampleCursor {
    /// The block of packed samples; `nil` for those that are not packed yet.
    let key: Int64?
    private var places: Range<Int> = 0..<0
    private var rows: ArraySlice<HistoryFile.TailRow> = []
    private var samples: [Sample] = []
    private var index = 0
    /// The time of the next sample that is not decoded; `nil` at the end.
    private var later: Int64?

    /// - Parameter rows: In order of time.
    init(_ rows: ArraySlice<HistoryFile.TailRow>) {
        key = nil
        self.rows = rows
        later = rows.first?.at
    }

    init(_ key: Int64, _ places: Range<Int>, of packed: PackedSamples) {
        self.key = key
        self.places = places
        setLater(packed)
    }

    var isAtEnd: Bool { index >= samples.count && later == nil }

    /// The time of the next sample; of no meaning at the end.
    var time: Int64 { index < samples.count ? samples[index].at : later ?? .max }

    /// Whether its next sample comes first: the earlier one, of one time that which arrived first.
    func isBefore(_ other: SampleCursor) -> Bool {
        (time, key ?? .max) < (other.time, other.key ?? .max)
    }

    /// The next sample; `nil` if none is decoded.
    mutating func next() -> Sample? {
        guard index < samples.count else { return nil }
        defer { index += 1 }
        return samples[index]
    }

    // MARK: Decoding

    mutating func takePlaces(_ count: Int, of packed: PackedSamples) -> Range<Int> {
        let taken = places.prefix(count)
        places = places.dropFirst(count)
        startAnew()
        setLater(packed)
        return taken
    }

    mutating func takeRows(_ count: Int) -> ArraySlice<HistoryFile.TailRow> {
        let taken = rows.prefix(count)
        rows = rows.dropFirst(count)
        startAnew()
        later = rows.first?.at
        return taken
    }

    mutating func append(_ sample: Sample) { samples.append(sample) }

    /// Nothing more can be read.
    mutating func end() { (places, rows, later) = (0..<0, [], nil) }

    private mutating func startAnew() {
        samples.removeAll(keepingCapacity: true)
        index = 0
    }

    private mutating func setLater(_ packed: PackedSamples) {
        let place = places.lowerBound
        later = !places.isEmpty && packed.times.indices.contains(place) ? packed.times[place] : nil
    }
}
