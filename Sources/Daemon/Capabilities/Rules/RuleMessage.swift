package import JSON
package import People
package import Rules

/// A message for people, as a rule wants it sent.
///
/// Its texts are filled in; who gets it, and by which channels, is still to be looked up.
/// - Source: contrib/contract/rules.md, "Notifications".
package struct RuleMessage: Sendable, Hashable {
    /// The number and the slug of the rule.
    package let rule: Int
    package let slug: String
    /// Who answers for it: the recipients are his own, unless he owns everything.
    package let maker: AccountID
    /// The daemon's epoch.
    package let epoch: String
    /// The number of the firing.
    package let firing: Int64
    /// Milliseconds since 1970 UTC.
    package let at: Int64
    package let recipients: [NotificationRecipient]
    /// Those asked for; all that a recipient has on, if there are none.
    package let channels: [RuleNotification.Channel]
    /// The displays that were attached then.
    package let displays: Set<String>
    package let subject: String
    package let text: String
}

/// What a rule hands to the parts around the node.
package struct RuleOutgoing: Sendable, Hashable {
    package enum Content: Sendable, Hashable {
        case message(RuleMessage)
        /// A message on the topic of the rule with this slug.
        case publication(slug: String, JSONValue)
    }

    package let content: Content
    /// The action that it is, which ends with it.
    let action: GivenAction

    init(_ content: Content, of action: GivenAction) { (self.content, self.action) = (content, action) }
}
