/// Suggests the intended name for a misspelt one.
package enum NearestName {
    /// Longer names are not compared, because the cost is the product of the lengths.
    private static let longest = 64

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
        for candidate in candidates {
            let letters = Array(candidate.lowercased().unicodeScalars.prefix(longest + 1))
            guard letters.count <= longest, abs(letters.count - wanted.count) <= limit else { continue }
            let slips = distance(from: wanted, to: letters)
            if slips <= limit, slips < best?.slips ?? .max { best = (candidate, slips) }
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

    /// The restricted Damerau-Levenshtein distance.
    private static func distance(from left: [Unicode.Scalar], to right: [Unicode.Scalar]) -> Int {
        var older: [Int] = []
        var previous = Array(0...right.count)
        for (i, a) in left.enumerated() {
            var row = [i + 1]
            row.reserveCapacity(right.count + 1)
            for (j, b) in right.enumerated() {
                var least = min(previous[j] + (a == b ? 0 : 1), previous[j + 1] + 1, row[j] + 1)
                if i > 0, j > 0, a == right[j - 1], left[i - 1] == b { least = min(least, older[j - 1] + 1) }
                row.append(least)
            }
            (older, previous) = (previous, row)
        }
        return previous[right.count]
    }
}
