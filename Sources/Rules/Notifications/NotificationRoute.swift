package import Bindings

/// Where a notification goes to.
package enum NotificationRoute: Sendable, Hashable {
    case email(String)
    case sms(String)
    case push(Installation)
    /// A banner on a display; on every one for `nil`.
    case display(String?)

    /// What is counted: the same address is the same one, however it is written.
    package var key: String {
        switch self {
        case .email(let address): "email:\(address.lowercased())"
        case .sms(let number): "sms:\(NotificationAddress.dialled(number))"
        case .push(let installation): "installation:\(installation.id)"
        case .display(let display): "display:\(display ?? "all")"
        }
    }
}

/// How somebody can be reached at the moment.
/// - Source: contrib/contract/rules.md, "Notifications".
package struct NotificationReach: Sendable, Hashable {
    /// For messages: `user:alice`.
    package let name: String
    /// Those that are on.
    package let channels: Set<RuleNotification.Channel>
    /// `nil` if there is none, or none that a program could send to.
    package let email: String?
    package let phone: String?
    package let installations: [Installation]

    /// - Parameters:
    ///   - email: Empty for none.
    ///   - phone: Empty for none.
    package init(
        _ name: String,
        channels: Set<RuleNotification.Channel> = Set(RuleNotification.Channel.allCases),
        email: String = "",
        phone: String = "",
        installations: [Installation] = []
    ) {
        (self.name, self.channels, self.installations) = (name, channels, installations)
        self.email = NotificationAddress.isMail(email) ? email : nil
        self.phone = NotificationAddress.isPhone(phone) ? phone : nil
    }

    /// The routes of a notification: by those of the channels asked for that are on, and that reach somebody.
    ///
    /// - Parameter asked: All channels, if there are none.
    /// - Returns: None, if no channel is left.
    package func routes(by asked: [RuleNotification.Channel]) -> [NotificationRoute] {
        RuleNotification.Channel.allCases.flatMap { channel -> [NotificationRoute] in
            guard channels.contains(channel), asked.isEmpty || asked.contains(channel) else { return [] }
            return switch channel {
            case .email: email.map { [NotificationRoute.email($0)] } ?? []
            case .sms: phone.map { [NotificationRoute.sms($0)] } ?? []
            case .push: installations.map { NotificationRoute.push($0) }
            }
        }
    }
}
