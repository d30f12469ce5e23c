package import People

/// A stored rule without its texts, which are long and seldom asked for, and without its title, which its body has.
package struct RuleHeader: Sendable, Hashable {
    /// Above 0, and never used for another rule.
    package let id: Int
    package let slug: String
    package var isEnabled: Bool
    package let maker: AccountID
    /// How it was spelled: the raw value of a form.
    package let form: String
    /// Of its body.
    package var bytes: Int
    /// Milliseconds since 1970, UTC.
    package let added: Int64
    /// Milliseconds since 1970, UTC.
    package let changed: Int64

    package init(_ rule: StoredRule) {
        (id, slug, isEnabled) = (rule.id, rule.slug, rule.isEnabled)
        (maker, form, bytes) = (rule.maker, rule.form, rule.body.utf8.count)
        (added, changed) = (rule.added, rule.changed)
    }
}
