/// Suggests the intended name for a misspelt one.
package enum NearestName {
    /// Longer names are not compared.
    private static let longest = 64
    /// More candidates are not looked at: names come from outside, as do their numbers.
    private static let mostCandidates = 1000

    /// The candidate with the smallest edit distance; `nil` when none is close.
    ///
    /// An edit is a letter inserted, removed, replaced, or swapped with its neighbour, ignoring case. Close
    /// means one edit for short names, two from five letters on and three from nine on; among equals the
    /// first is used.
    package static func to(_ name: String, among candidates: some Sequence<String>) -> String? {
        let wanted = Array(name.lowercased().unicodeScalars.prefix(longest + 1))
        guard !wanted.isEmpty, wanted.count <= longest else { return nil }
        let limit = wanted.count < 5 ? 1 : wanted.count < 9 ? 2 : 3
        var best: (name: String, slips: Int)?
        for candidate in candidates.prefix(mostCandidates) {
            let letters = Array(candidate.lowercased().unicodeScalars.prefix(longest + 1))
            guard letters.count <= longest, abs(letters.count - wanted.count) <= limit else { continue }
            // Only a nearer one takes its place.
            let most = best.map { $0.slips - 1 } ?? limit
            if let slips = distance(from: wanted, to: letters, atMost: most) { best = (candidate, slips) }
        }
        return best?.name
    }

    /// `; did you mean "…"?` to append to a sentence, or nothing.
    package static func hint(for name: String, among candidates: some Sequence<String>) -> String {
        to(name, among: candidates).map { "; did you mean \"\($0)\"?" } ?? ""
    }

    /// The same before a list of the candidates: `; did you mean "…"? there are a, b`, or `; there are a, b`.
    ///
    /// - Parameter introduction: What is before the list.
    package static func choice(
        for name: String,
        among candidates: [String],
        _ introduction: String = "there are"
    ) -> String {
        let hint = hint(for: name, among: candidates)
        return "\(hint.isEmpty ? ";" : hint) \(introduction) \(QuotedValue.list(candidates))"
    }

    /// The restricted Damerau-Levenshtein distance, if it is not above a limit.
    ///
    /// Only the diagonal as wide as the limit is worked out, and only until it is left.
    /// - Source: Ukkonen, "Algorithms for Approximate String Matching", 1985, section 2.
    private static func distance(
        from left: [Unicode.Scalar],
        to right: [Unicode.Scalar],
        atMost limit: Int
    ) -> Int? {
        guard limit >= 0, abs(left.count - right.count) <= limit else { return nil }
        guard !left.isEmpty, !right.isEmpty else { return max(left.count, right.count) }
        let far = limit + 1
        var older = [Int](repeating: far, count: right.count + 1)
        var (previous, row) = ((0...right.count).map { min($0, far) }, older)
        var leastBefore = 0
        for i in 1...left.count {
            let first = max(1, i - limit)
            let last = min(right.count, i + limit)
            row[first - 1] = first == 1 ? min(i, far) : far
            var least = row[first - 1]
            for j in first...last {
                let (a, b) = (left[i - 1], right[j - 1])
                var slips = min(previous[j - 1] + (a == b ? 0 : 1), previous[j] + 1, row[j - 1] + 1)
                if i > 1, j > 1, a == right[j - 2], left[i - 2] == b { slips = min(slips, older[j - 2] + 1) }
                row[j] = min(slips, far)
                least = min(least, slips)
            }
            if last < right.count { row[last + 1] = far }
            // Two swapped letters step over a row.
            guard least <= limit || leastBefore < limit else { return nil }
            leastBefore = least
            (older, previous, row) = (previous, row, older)
        }
        return previous[right.count] <= limit ? previous[right.count] : nil
    }
}
