import JSON
import Text
import Things

extension RuleReading {
    mutating func notification(in object: RuleObject) throws(Refusal) -> RuleNotification {
        var recipients: [NotificationRecipient] = []
        let only = object.optional("notify").flatMap { $0.array == nil ? $0 : nil }
        let listed = only == nil ? try object.list("notify", RuleLimits.recipients, of: "recipients") : nil
        for (index, value) in (listed ?? only.map { [$0] } ?? []).enumerated() {
            let recipient = try recipient(value, at: "\(object.path(of: "notify"))[\(index)]")
            if !recipients.contains(recipient) { recipients.append(recipient) }
        }
        let count = 1...RuleNotification.Channel.allCases.count
        var channels: [RuleNotification.Channel] = []
        for (index, value) in (try object.list("channels", count, of: "channels") ?? []).enumerated() {
            let legal = "one of \(QuotedValue.list(RuleNotification.Channel.allCases.map(\.rawValue)))"
            let name = "channels[\(index)]"
            guard let text = value.string else { throw object.wrongType(name, value, legal) }
            guard let channel = RuleNotification.Channel(rawValue: text) else {
                throw object.invalid(name, value, legal)
            }
            if !channels.contains(channel) { channels.append(channel) }
        }
        return RuleNotification(
            to: recipients,
            by: channels,
            subject: try Self.text("subject", isLine: true, in: object),
            text: try Self.text("text", in: object)
        )
    }

    private static let recipientRule =
        "user:U, contact:C, installation:ID, display:ID, display:all, {\"email\":…} or {\"sms\":…}"

    private mutating func recipient(_ value: JSONValue, at path: String) throws(Refusal)
        -> NotificationRecipient
    {
        if let text = value.string {
            guard let recipient = NotificationRecipient(text) else {
                throw Refusal(
                    .invalidValue,
                    "\(path) must be \(Self.recipientRule), is \(QuotedValue.of(text))",
                    field: path
                )
            }
            return recipient
        }
        guard let members = value.object else {
            let rest = "must be \(Self.recipientRule), is \(QuotedValue.of(value))"
            throw Refusal(.wrongType, "\(path) \(rest)", field: path)
        }
        let address = RuleObject(members, at: path)
        warnings.addUnknown(in: address, known: ["email", "sms"])
        guard (address.optional("email") == nil) != (address.optional("sms") == nil) else {
            throw Refusal(.invalidValue, "\(path) must have one of email and sms", field: path)
        }
        if address.optional("email") != nil { return .email(try Self.mail("email", in: address)) }
        return .sms(try Self.phone("sms", in: address))
    }

    static func mail(_ name: String, in object: RuleObject) throws(Refusal) -> String {
        let text = try object.text(name, NotificationAddress.mailRule)
        guard NotificationAddress.isMail(text) else {
            throw object.invalid(name, .string(text), NotificationAddress.mailRule)
        }
        return text
    }

    static func phone(_ name: String, in object: RuleObject) throws(Refusal) -> String {
        let text = try object.text(name, NotificationAddress.phoneRule)
        guard NotificationAddress.isPhone(text) else {
            throw object.invalid(name, .string(text), NotificationAddress.phoneRule)
        }
        return text
    }
}

extension NotificationRecipient {
    /// Reads `user:alice` and the like; `nil` for any other text, also for an address.
    package init?(_ text: String) {
        let scalars = text.unicodeScalars
        guard let colon = scalars.firstIndex(of: ":") else { return nil }
        let name = String(scalars[scalars.index(after: colon)...])
        guard NotificationAddress.isName(name) else { return nil }
        switch String(scalars[..<colon]) {
        case "user": self = .user(name)
        case "contact": self = .contact(name)
        case "installation": self = .installation(name)
        case "display": self = name == "all" ? .allDisplays : .display(name)
        default: return nil
        }
    }
}
