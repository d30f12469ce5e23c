/// A message for people.
/// - Source: contrib/contract/rules.md, "Notifications".
package struct RuleNotification: Sendable, Hashable {
    package enum Channel: String, Sendable, Hashable, CaseIterable {
        case email, sms, push
    }

    package let recipients: [NotificationRecipient]
    /// Those asked for, each once; all that the contact has on, if there are none.
    package let channels: [Channel]
    package let subject: RuleText?
    package let text: RuleText?

    /// What is sent for a rule that has no text of its own.
    package static let defaultText = RuleText([.placeholder(.rule), .text(": "), .placeholder(.why)])
    /// What a message is called that has no subject of its own.
    package static let defaultSubject = RuleText([.placeholder(.rule)])

    /// Whether its texts say in which zone the device is.
    var tellsZone: Bool {
        [subject, text].contains { $0?.parts.contains(.placeholder(.zone)) ?? false }
    }

    package init(
        to recipients: [NotificationRecipient],
        by channels: [Channel] = [],
        subject: RuleText? = nil,
        text: RuleText? = nil
    ) {
        (self.recipients, self.channels) = (recipients, channels)
        (self.subject, self.text) = (subject, text)
    }
}

/// Whom a rule notifies.
package enum NotificationRecipient: Sendable, Hashable {
    /// By name or identifier; rules are stored with identifiers.
    case user(String)
    /// By name or number; rules are stored with numbers.
    case contact(String)
    case installation(String)
    case display(String)
    case allDisplays
    /// An address of nobody who is known here.
    case email(String)
    case sms(String)

    /// Whether only who owns everything may use it.
    package var isAddress: Bool {
        switch self {
        case .email, .sms: true
        case .user, .contact, .installation, .display, .allDisplays: false
        }
    }
}
