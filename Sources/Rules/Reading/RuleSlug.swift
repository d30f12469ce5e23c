import Controller

/// Names of rules in topics, paths and on the command line.
package enum RuleSlug {
    /// A slug made from a title that nobody else has.
    ///
    /// It is never a number, as those are the identifiers of rules.
    /// - Parameter isTaken: Whether another rule has it.
    package static func slug(from title: String, isTaken: (String) -> Bool) -> String {
        let stem = stem(of: title)
        var (slug, number) = (stem, 2)
        while isTaken(slug) {
            slug = "\(stem)-\(number)"
            number += 1
        }
        return slug
    }

    private static func stem(of title: String) -> String {
        guard let stem = SlugRegistry.slug(from: title) else { return "rule" }
        return stem.utf8.allSatisfy { (0x30...0x39).contains($0) } ? "rule-\(stem)" : stem
    }
}
