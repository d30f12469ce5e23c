/// How long a group of samples is; a thing has one of these, or no history.
///
/// - Source: contrib/contract/bindings.md, "History".
package enum GroupInterval: String, Sendable, Hashable, CaseIterable {
    case minute = "1_MINUTE"
    case quarterHour = "15_MINUTES"
    case halfHour = "30_MINUTES"
    case hour = "1_HOUR"
    case halfDay = "12_HOURS"

    /// Parses a name, also with `INTERVAL_` before it; `nil` for any other text.
    package init?(_ name: String) {
        let prefix = "INTERVAL_"
        self.init(rawValue: name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name)
    }

    package var milliseconds: Int64 {
        switch self {
        case .minute: 60_000
        case .quarterHour: 900_000
        case .halfHour: 1_800_000
        case .hour: 3_600_000
        case .halfDay: 43_200_000
        }
    }
}

// MARK: - Groups

extension GroupInterval {
    /// A grouped query must ask for fewer intervals than this.
    package static let limit: Int64 = 60

    /// When the group of a time begins: at a multiple of the interval from 1970, UTC.
    ///
    /// - Parameter time: Beyond the legal times it counts as the nearest of them.
    package func start(of time: Int64) -> Int64 {
        let time = HistoryTime.clamped(time)
        let rest = time % milliseconds
        return time - (rest < 0 ? rest + milliseconds : rest)
    }

    /// The times of the group that a time belongs to.
    package func group(of time: Int64) -> Range<Int64> {
        let start = start(of: time)
        return start..<start + milliseconds
    }

    /// Whether a range is short enough for a grouped query: under 60 intervals.
    package func allows(_ range: ClosedRange<Int64>) -> Bool {
        let (length, isTooLong) = range.upperBound.subtractingReportingOverflow(range.lowerBound)
        return !isTooLong && length < Self.limit * milliseconds
    }

    /// How a range is covered by groups.
    package func cover(of range: ClosedRange<Int64>) -> GroupCover { GroupCover(range, self) }

    /// The range in pieces that each can be asked for by a grouped query, and of which none parts a group.
    ///
    /// - Parameter most: How many pieces at most; the rest of the range is left out.
    package func pieces(of range: ClosedRange<Int64>, most: Int) -> [ClosedRange<Int64>] {
        var pieces: [ClosedRange<Int64>] = []
        var lower = HistoryTime.clamped(range.lowerBound)
        let upper = HistoryTime.clamped(range.upperBound)
        while lower <= upper, pieces.count < most {
            let next = start(of: lower) + Self.limit * milliseconds
            pieces.append(lower...min(upper, next - 1))
            lower = next
        }
        return pieces
    }
}

/// How a range of times is covered by groups: the stored sums of whole groups are used as they are, while the samples of
/// the groups at both ends must be read.
package struct GroupCover: Sendable, Hashable {
    /// From the beginning of the first group that lies wholly in the range to the end of the last one; `nil` if none does.
    package let whole: Range<Int64>?
    /// What is before and after the whole groups.
    package let partial: [ClosedRange<Int64>]

    /// - Parameter range: Times beyond the legal ones count as the nearest of them.
    package init(_ range: ClosedRange<Int64>, _ interval: GroupInterval) {
        let lower = HistoryTime.clamped(range.lowerBound)
        let upper = HistoryTime.clamped(range.upperBound)
        let first = interval.start(of: lower) == lower ? lower : interval.group(of: lower).upperBound
        // The range has its last millisecond, a group not its end.
        let last = interval.group(of: upper).upperBound == upper + 1 ? upper + 1 : interval.start(of: upper)
        guard first < last else {
            whole = nil
            partial = [lower...upper]
            return
        }
        whole = first..<last
        partial = (lower < first ? [lower...(first - 1)] : []) + (last <= upper ? [last...upper] : [])
    }
}
