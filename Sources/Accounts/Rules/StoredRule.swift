import GRDB
package import People

/// A rule as it is stored.
package struct StoredRule: Sendable, Hashable {
    /// Above 0, and never used for another rule.
    package let id: Int
    package let slug: String
    package var title: String
    package var isEnabled: Bool
    /// Who made it, or edited it last; perhaps a user who has been removed since.
    package var maker: AccountID
    /// How it was spelled: the raw value of a form.
    package var form: String
    /// Our JSON, with identifiers of things and zones; whether it is a rule is for the reader to find out.
    package var body: String
    /// What came in, without secrets; `nil` if it was not kept.
    package var original: String?
    /// Milliseconds since 1970, UTC.
    package let added: Int64
    /// Milliseconds since 1970, UTC.
    package var changed: Int64

    package init(_ id: Int, _ new: NewRule, slug: String, added: Int64) {
        (self.id, self.slug, self.added, changed) = (id, slug, added, added)
        (title, isEnabled, maker) = (new.title, new.isEnabled, new.maker)
        (form, body, original) = (new.form, new.body, new.original)
    }

    /// What all rules have, by number.
    package struct List: Sendable, Hashable {
        package var rules: [StoredRule] = []
        package var damaged: [DamagedRule] = []
    }
}

/// What a new rule has.
package struct NewRule: Sendable, Hashable {
    /// The slug that it is to have, as it is made from the title; another rule may have it already.
    package var slug: String
    package var title: String
    package var isEnabled = true
    package var maker: AccountID
    package var form: String
    package var body: String
    package var original: String?

    package init(
        slug: String,
        title: String,
        maker: AccountID,
        form: String,
        body: String,
        original: String? = nil
    ) {
        (self.slug, self.title, self.maker) = (slug, title, maker)
        (self.form, self.body, self.original) = (form, body, original)
    }
}

/// A row of the table that is no rule: it is left out, and everything else works without it.
package struct DamagedRule: Sendable, Hashable, CustomStringConvertible {
    package let id: Int
    /// The first column that cannot be read.
    package let column: String

    package var description: String {
        "the stored rule \(id) is damaged in '\(column)' and left out; `trilateral rule rm \(id)` removes it"
    }
}

// MARK: - Slugs

extension StoredRule {
    /// Bytes of a slug that a title gives.
    static let longestWish = 48
    /// Bytes of a slug with the number that makes it unique.
    private static let longestSlug = 64

    /// Whether a text may be a slug, and so part of a topic and a path.
    ///
    /// One of digits alone would be the number of a rule.
    static func isSlug(_ text: String, upTo bytes: Int = StoredRule.longestSlug) -> Bool {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        return (1...bytes).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                digits.contains($0) || letters.contains($0) || $0 == UInt8(ascii: "-")
            }
            && !text.utf8.allSatisfy { digits.contains($0) }
    }
}

// MARK: - Rows

extension StoredRule {
    /// - Throws: ``StoredColumns/Damage`` for a damaged row.
    init(_ row: Row) throws(StoredColumns.Damage) {
        let columns = StoredColumns(row)
        id = try columns.value("id")
        slug = try columns.required("slug") { Self.isSlug($0) ? $0 : nil }
        title = try columns.value("title")
        let enabled: Int64 = try columns.value("enabled")
        isEnabled = enabled != 0
        maker = try columns.required("maker") { AccountID($0) }
        form = try columns.value("form")
        body = try columns.value("body")
        original = try columns.valueIfPresent("original")
        added = try columns.value("added")
        changed = try columns.value("changed")
    }
}

extension NewRule {
    /// The order of ``values(slug:at:)``.
    static let columns = "slug, title, enabled, maker, form, added, changed, body, original"

    /// What is stored of it; its number comes from the table.
    func values(slug: String, at now: Int64) -> StatementArguments {
        [slug, title, isEnabled ? 1 : 0, "\(maker)", form, now, now, body, original]
    }
}
