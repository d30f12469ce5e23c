/// Where the next page of a history begins: at the time of a sample, after some results with that time.
///
/// It stays right when samples are packed, since it does not name rows.
/// - Source: contrib/contract/bindings.md, "Queries".
package struct HistoryPosition: Sendable, Hashable {
    /// Milliseconds since 1970.
    package let time: Int64
    /// How many results of that time were in the pages before.
    package let skipped: Int

    package init(time: Int64, skipped: Int) { (self.time, self.skipped) = (time, skipped) }

    /// Parses a pagination key; `nil` for any other text.
    package init?(_ key: String) {
        guard key.utf8.count <= 40 else { return nil }
        let parts = key.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let time = Int64(parts[0]), HistoryTime.legal.contains(time),
            let skipped = Int(parts[1]), skipped >= 0
        else { return nil }
        self.init(time: time, skipped: skipped)
    }

    /// The pagination key.
    package var key: String { "\(time).\(skipped)" }
}
