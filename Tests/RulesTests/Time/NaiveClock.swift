import Rules

/// The clock of a time zone around an instant, asked minute by minute.
struct NaiveClock {
    /// Minutes since 1970 UTC, in order, with what the clock shows then.
    let minutes: [(instant: Int64, local: Int64)]
    private let firstShown: [Int64: Int64]

    /// - Parameter days: How many days before and after the instant.
    init(_ zone: ZoneTable, around instant: Int64, days: Int64) {
        let middle = instant / 60_000
        minutes = (middle - days * 1440..<middle + days * 1440).map { minute in
            let offset = zone.transitions.last { $0.instant <= minute * 60_000 }?.offset ?? zone.firstOffset
            return (minute, minute + Int64(offset / 60))
        }
        firstShown = Dictionary(minutes.lazy.map { ($0.local, $0.instant) }) { first, _ in first }
    }

    /// The instant of a local time in seconds, milliseconds; `nil` outside the minutes that it has.
    func instant(ofLocal seconds: Int64) -> Int64? {
        let minute = (seconds - (seconds % 60 + 60) % 60) / 60
        if let found = firstShown[minute] { return (found * 60 + seconds - minute * 60) * 1000 }
        // Within a gap: the first minute that the clock shows after it. A gap is at most a day.
        return (minute...minute + 1500).lazy.compactMap { firstShown[$0] }.first.map { $0 * 60_000 }
    }
}
