import GRDB

/// One firing of a rule, or one that was refused because there were too many.
package struct StoredFiring: Sendable, Hashable {
    /// How it ended.
    package enum Outcome: String, Sendable, Hashable, CaseIterable {
        case done
        /// One of its actions failed, or several.
        case failed
        /// The daemon ended before its actions had.
        case interrupted
        /// Refused: the rule had fired too often within a minute.
        case limited
        /// Refused: it came from too many firings of other rules.
        case loop
    }

    /// Above 0, rising, and never used for another one.
    package let seq: Int64
    /// The daemon's epoch.
    package let epoch: String
    /// The number of a rule, which may have been removed since.
    package let rule: Int
    /// Milliseconds since 1970, UTC.
    package let at: Int64
    package let why: String
    /// `nil` while its actions run.
    package var outcome: Outcome?
    /// JSON.
    package var results: String?
    /// From the firing to the end of its last action.
    package var tookMilliseconds: Int64?

    package init(
        _ seq: Int64,
        epoch: String,
        rule: Int,
        at: Int64,
        why: String,
        outcome: Outcome? = nil
    ) {
        (self.seq, self.epoch, self.rule, self.at) = (seq, epoch, rule, at)
        (self.why, self.outcome) = (why, outcome)
    }

    /// The largest number that is counted on from: the largest that every reader of JSON has exactly.
    ///
    /// Only a damaged row has a larger one.
    static let largestNumber: Int64 = 1 << 53
}

// MARK: - Rows

extension StoredFiring {
    /// `nil` for a damaged row.
    init?(_ row: Row) {
        do throws(StoredColumns.Damage) {
            let columns = StoredColumns(row)
            self.init(
                try columns.value("seq"),
                epoch: try columns.value("epoch"),
                rule: try columns.value("rule"),
                at: try columns.value("at"),
                why: try columns.value("why"),
                outcome: try columns.optional("outcome") { Outcome(rawValue: $0) }
            )
            results = try columns.valueIfPresent("results")
            tookMilliseconds = try columns.valueIfPresent("took_ms")
        } catch {
            return nil
        }
    }
}
